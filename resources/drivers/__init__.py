"""Drivers: what managers open, one device's driver in one folder, or file. No driver imports another's.

    simulated/          arm, gripper, base, camera and laser scanner in a simulated world
    franka/             a Franka arm and its gripper, with the processes that speak with them
    realsense/          an Intel RealSense camera, with its process
    swept_lidar.py      a cloud from a scanner that a wrist sweeps
    marker_detector.py  which process looks for a marker
    openai_server.py    who proposes plans: a server of language models, on this machine only

A driver runs in the main process, so it imports no vendor's library: that is for the processes it asks for.
What a robot description may choose is a `Parameters` (`framework.plugins.parameters`), and so is what its
process is told.
"""
