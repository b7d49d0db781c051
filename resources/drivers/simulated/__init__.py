"""Drivers of simulated devices: what moves or measures in a simulated world."""
