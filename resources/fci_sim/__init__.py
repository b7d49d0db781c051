"""A simulated control box: speaks the Franka control interface, so that an unmodified pylibfranka connects.

As a fixture (`SimulatedControlBox` is a child process; addresses are free loopback ones):

    from resources.fci_sim import Reflex, Since, SimulatedControlBox

    reflex = Reflex(flag="joint_reflex", since=Since.MOTION, at_s=0.5)
    with SimulatedControlBox(arms=1, lock_step=True, faults=[reflex]) as box:
        robot = pylibfranka.Robot(box.address, pylibfranka.RealtimeConfig.kIgnore)
        # box.addresses[1] is the second arm's
        ...
        box.inject(Push(force=(0, 0, -20), for_s=0.2))      # faults at run time; box.clear()
        box.status().mode, .q, .errors, .digest, .steps     # a look inside
        box.wait_for("motion ends")                         # an event, in its words; box.events()
        box.place(q); box.hold_object(0.03); box.guide(True); box.pass_time(0.5)

Lock-step: one state, its command, one step of the physics; the same digest every run. While no motion runs
time stands still, except that coming to rest and a gripper's way take no real time, and that pushes and
guiding make it pass by the clock. Without lock-step it is the clock's time.

    wire.py, gripper_wire.py, flags.py   layouts and names of everything that is sent
    box.py             one arm: what it is asked for, motions, reflexes
        arm_motion.py  a running motion: motion.py (set-points to reference), limits.py, controllers.py
        standstill.py  no motion: brake, hold, be guided
        settings.py    the setters: end_effector.py, contacts.py
        state_record.py, rotation.py
    gripper.py         its gripper
    physics.py         both in MuJoCo
    faults.py          what goes wrong, as data
    pacing.py          when an arm steps: lock-step and wall clock
    server.py, arm_server.py             sockets; all above knows none
    orders.py, chronicle.py  what can be asked of a running box, and what happened to it
    simulated_box.py, __main__.py        the fixture and its child
"""

from resources.fci_sim.faults import (
    AnyFault,
    CloseTcp,
    Fault,
    Loss,
    Mute,
    NanState,
    Packets,
    Push,
    Reflex,
    SilentUdp,
    Since,
    Stream,
    UserStop,
    WrongVersion,
)
from resources.fci_sim.orders import BoxStatus
from resources.fci_sim.physics import HOME, Scene
from resources.fci_sim.simulated_box import SimulatedControlBox

__all__ = [
    "HOME",
    "AnyFault",
    "BoxStatus",
    "CloseTcp",
    "Fault",
    "Loss",
    "Mute",
    "NanState",
    "Packets",
    "Push",
    "Reflex",
    "Scene",
    "SilentUdp",
    "SimulatedControlBox",
    "Since",
    "Stream",
    "UserStop",
    "WrongVersion",
]
