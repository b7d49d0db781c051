"""What the robot can be told to do: one folder an action, with its class, its phrases and its test data."""
