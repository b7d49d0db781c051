"""Detectors: what can be found in a picture. Pure functions; `resources.children.detector` runs them."""
