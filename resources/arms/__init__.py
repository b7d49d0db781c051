"""Arms: parameters, kinematic trees, MJCF, joint-space laws. Only `simulated_arm.py` is a driver."""
