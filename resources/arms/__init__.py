"""Arms: parameters, kinematic trees, MJCF, joint-space laws. Nothing here opens a device."""
