"""Pilothouse, a supervisory, resource-managed telerobotics framework: the front door for plugin authors."""

__version__ = "0.1.0.dev0"
