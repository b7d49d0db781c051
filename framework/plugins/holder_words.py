"""What is said to people of who has something."""

from __future__ import annotations

from framework.errors import ResourceHeld
from framework.phrasing import the


def who_has(error: ResourceHeld) -> str:
    """ "phone 1 has the left arm": who has which thing, without how a program would get it."""
    reason = error.reason
    what = (reason.device or reason.resource).replace("_", " ")
    return f"{reason.holder} has {the(what)}"
