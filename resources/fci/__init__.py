"""A real Franka arm behind our protocol, by way of pylibfranka: what can be said of it without a process.

    library.py       the one place that imports pylibfranka, for child processes only
    arguments.py     what the two child processes are told, as data
    flags.py         the arm's error flags in people's words
    events.py        every exception of pylibfranka → a typed event
    states.py        a state of the arm → numbers that the law may see
    limits.py        what the joints of the two generations may do
    model.py         the law's model of this arm: gripper, payload, tool point
    connection.py    opening the arm: settings, and what must be right before anything moves
    feeds.py         what the gripper's process becomes ready with
    fingers.py       `Mechanism` of the gripper: commands → calls that block, and what became of them

What runs is in `resources.children`: fci_arm.py (one process an arm, nothing else in it), fci_gripper.py and
its helper fci_fingers.py. The drivers are `resources.arms.fci_arm` and `resources.grippers.fci_gripper`. All
of it is tried against `resources.fci_sim`; what was never run on hardware says docs/hardware.md.
"""
