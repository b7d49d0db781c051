"""Control loops: from orders and measurements to torques. Pure: no clock, no input or output, no process.

    loop.py       `ControlLoopCore`: whose orders count, what stops, what has become of a goal; for any mechanism
    mailbox.py    orders through shared memory, from the manager to the process that moves
    arm.py        `ArmController`, the mechanism of an arm: modes, reference, law, observer, limits in one tick
    gripper.py    `GripperController`
    base.py       `BaseController`, guarded by scans

The process that moves (the simulated world, or one process an arm on hardware) calls, every period:

    core.obey(mailbox.read(), now_s)      what is wanted
    core.look(stop, now_s)                what must not be
    torque = mechanism.tick(...)          what is done
    core.settle(now_s)                    what has become of it
"""
