"""Detectors: what can be found in a picture. Pure functions; the processes that run them are elsewhere."""
