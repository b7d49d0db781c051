"""A real Franka arm behind our protocol, by way of pylibfranka: its drivers, and the processes of each arm.

    arm_driver.py     `FciArm`; gripper_driver.py: `FciGripper`. They import no pylibfranka
    arm_child.py      one real arm: states in, torques out; nothing else runs in this process
    gripper_child.py  its gripper; fingers_child.py makes the calls that block

Without a process:

    library.py       the one place that imports pylibfranka, for child processes only
    arguments.py     what the child processes are told, as data
    flags.py         the arm's error flags in people's words
    events.py        every exception of pylibfranka → a typed event
    states.py        a state of the arm → numbers that the law may see
    limits.py        what the joints of the two generations may do
    model.py         the law's model of this arm: gripper, payload, tool point
    reaching.py      whether anything answers at an address
    connection.py    opening the arm: settings, and what must be right before anything moves
    recovery.py      a recovery that was ordered, until it can be carried out
    handles.py       what the gripper's process becomes ready with
    fingers.py       `Mechanism` of the gripper: commands → calls that block, and what became of them

All of it is tried against `resources.fci_sim`; what was never run on hardware says docs/hardware.md.
"""
