"""Drivers of grippers, one file a make."""
