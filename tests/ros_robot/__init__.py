"""A robot of somebody else's that speaks ROS 2: plain rclpy, nothing of ours.

Each part is a program of its own, so that it can be killed alone: `python -m tests.ros_robot.scanner`.
"""
