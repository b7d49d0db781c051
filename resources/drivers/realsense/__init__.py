"""Intel RealSense depth cameras: plugged in, from a recording, or a simulated camera as one.

    driver.py     `RealSense`, which imports no pyrealsense2
    child.py      a camera's process
    library.py    the one place where pyrealsense2 is imported; listing.py prints what is plugged in

In that process only:

    sources.py    what pictures come from: live_camera.py, recorded_camera.py, simulated_camera.py (with
                  software_device.py)
    pictures.py   what is made of their frames; recorder.py: into a file
    recovery.py   what is done when there are no pictures; pure
    start_turn.py cameras start one after the other
"""
