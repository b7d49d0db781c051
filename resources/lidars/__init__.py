"""Drivers of laser scanners: simulated planar ones, and clouds stitched from one that an arm sweeps."""
