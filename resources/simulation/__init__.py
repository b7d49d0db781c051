"""Models of sensors: what a camera or a lidar would measure in a simulated world."""
