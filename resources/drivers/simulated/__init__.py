"""Drivers of simulated devices, one file a kind; mechanism.py: what arms, grippers and bases share.

The processes are `resources.children.world`, `camera` and `lidar`.
"""
