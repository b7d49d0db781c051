"""Drivers of cameras; each yields a `CameraFeed`. Their processes are in `resources.children`.

    simulated_camera.py     draws the simulated world
    realsense.py            Intel RealSense: plugged in, from a recording, or a simulated camera as one

The other `realsense_*.py` are used in a RealSense camera's process only, where pyrealsense2 is imported;
`realsense_recovery.py`, what is done when there are no pictures, is pure.
"""
