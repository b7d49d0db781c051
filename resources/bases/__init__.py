"""Drivers of mobile bases, one file a make."""
