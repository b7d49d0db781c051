"""ROS 2 as one more world of resources.

In our processes, without rclpy:

    environment.py    which interpreter of this machine has rclpy
    network.py        how far our processes reach: domain, loopback, peers, subnet
    specs.py          the `ProcessSpec` of a process that joins

In processes of theirs, under that interpreter, which import nothing but rclpy, numpy and msgspec:

    library.py        the one place where rclpy is imported
    participant.py    a node of ours in the graph: made, spun, and left
    joining.py        so that publishers are known soon
    qos.py            what fits together; messages.py: types by their names, and what they are made of
    stamps.py         their clocks, and ours; frames.py: where everything is; silence.py: what does not come
    graph_listing.py  what is in the graph, for `pilothouse doctor --ros`

The bridge, which carries topics, services and actions of any type as links:

    bridging.py       what it and the ROS manager say to each other
    bridge_child.py   the process; growing_ring.py: where what comes is written
    link_end.py       what all ends of links are; links.py: topics, and services of theirs
    goal_link.py      actions of theirs; served_links.py: services and actions of ours
    pilothouse_msgs/  the action by which others instruct us, for their workspace

Facts and figures: docs/ros2.md.
"""
