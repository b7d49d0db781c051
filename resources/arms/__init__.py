"""Arms: parameters, kinematic trees, MJCF, joint-space laws."""
