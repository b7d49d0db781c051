"""What is known of ROS 2 where there is none."""
