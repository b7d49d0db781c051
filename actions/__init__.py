"""What the robot can be told to do: one folder an action, with its class, its phrases and its test data.

Files beside the folders are what several actions share: `driving` (with `driven_gripper`) the base class of
those that let a person drive, `people`, `confirming`.
"""
