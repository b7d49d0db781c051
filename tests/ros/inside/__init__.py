"""Run by the Python that has rclpy: what needs real messages, and no process."""
