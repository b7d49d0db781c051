"""Simulated worlds: their scenes as data, and a pure stepping core. Processes are built elsewhere.

world.py          `World`: a scene with its mechanisms, stepped; the worlds there are, by name
inspection.py     one of them: which elements stand where; bench.py another
scene.py          a scene in the making, to which room, furniture, marker and robot add
part.py           what a world knows of a mechanism and of the controller that drives it:
                  arm_part.py, gripper_part.py, base_part.py
guarding.py       what keeps arms out of places, and from each other
tool_contact.py   what touches an arm's tool; reflexes.py and joint_brakes.py: what then happens to it
state_vector.py   what others get to know of a world; scene_description.py and things.py as well
"""
