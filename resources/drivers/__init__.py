"""Drivers: what managers open, one device's driver in one folder, or file."""
