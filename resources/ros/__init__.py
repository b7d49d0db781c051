"""ROS 2 as one more world of resources.

In our processes, without rclpy:

    environment.py  which interpreter of this machine has rclpy
    network.py      how far our processes reach: domain, loopback, peers, subnet
    specs.py        the `ProcessSpec` of a process that joins

In processes of theirs, under that interpreter, which import nothing but rclpy, numpy and msgspec:

    library.py      the one place where rclpy is imported
    participant.py  a node of ours in the graph: made, spun, and left
    stamps.py       their clocks, and ours

Facts and figures: docs/ros2.md.
"""
