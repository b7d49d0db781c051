"""Sensors and what moves of a robot that speaks ROS 2: each device a process that joins its graph.

A device's process takes messages and writes the same samples as any other device's, so nobody above can tell.
The processes run under the interpreter that has rclpy; they import nothing but that, numpy and msgspec.
"""
