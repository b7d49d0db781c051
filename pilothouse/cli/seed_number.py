"""Where randomness begins, as it is typed."""

from __future__ import annotations

import argparse


def seed_number(text: str) -> int:
    """For `type=` of an argument. Raises ArgumentTypeError for what no generator begins with."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; a seed is a whole number, 0 or more")
    return int(text)
