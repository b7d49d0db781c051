"""Drivers of cameras. Here: the simulated one; each is a context manager that yields a `CameraFeed`."""
