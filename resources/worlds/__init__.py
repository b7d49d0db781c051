"""Simulated worlds: their scenes as data, and a pure stepping core. Processes are built elsewhere."""
