"""What refusals say of who has something: the registrar's travel as words, the same at every hop. Pure."""

from __future__ import annotations

import re

from framework.errors import ResourceUnavailable
from framework.phrasing import the

_HELD_BY = re.compile(r"(?P<what>[^;:]+) is held by (?P<who>[^;]+), with (?:the same|a higher) priority")


def is_held(error: Exception) -> bool:
    """Whether somebody else has it, so that waiting could help."""
    return isinstance(error, ResourceUnavailable) and " is held by " in str(error)


def who_has(why: str) -> str:
    """For people: who has which thing, without how a program would get it."""
    found = _HELD_BY.search(why)
    if found is None:
        return why
    what = found["what"].strip().rpartition(" of ")[2].replace("_", " ")
    return f"{found['who']} has {the(what)}"
