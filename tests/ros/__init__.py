"""Devices and links over ROS 2, against plain rclpy programs (`tests.ros_robot`): `make test-ros`.

They run under `.venv-ros`, in a domain of each test worker's own, on loopback only. `inside/` is run by that
environment's own Python: what needs real messages, and no process.
"""
