"""Plugins that do not end when they are told to, for `pilothouse/testbed/exits.py`."""
