"""Why it does not drive there, in words. Pure."""

from __future__ import annotations

from actions.drive_to.goals import Meant
from resources.types.motion_words import length_in_words
from resources.types.naming import plain
from resources.types.routes import Back, Way, WayKind


def why_not(way: Way, meant: Meant) -> str:
    """One sentence: "the way to the shelf is blocked by the drum, 1.2 m away"."""
    what = f"the {way.obstacle}" if way.obstacle else "something"
    if way.obstacle[:1].isupper():  # somebody, by name
        what = way.obstacle
    match way.kind:
        case WayKind.BLOCKED:
            return f"the way {meant.way} is blocked by {what}, {length_in_words(_rounded(way.ahead_m))} away"
        case WayKind.FULL:
            stands = "" if way.obstacle == meant.to else f": {what} is in the way there"
            return f"there is no free place for me {meant.there}{stands}"
        case WayKind.STUCK:
            return f"I have no room to turn here: {what} is {length_in_words(_rounded(way.ahead_m))} away"
        case WayKind.BLIND:
            seen = f"the {plain(way.scanner)} tells nothing now"
            return f"I do not see where I would drive: {seen}, so I see no way {meant.way}"
        case WayKind.UNKNOWN if isinstance(meant.goal, Back):
            return "I have not driven anywhere yet, so there is no way back"
        case WayKind.UNKNOWN:
            return f"I do not know where I am, so I know no way {meant.way}"
    return f"I see no way {meant.way}: what I see to be free does not lead there"


def _rounded(metres: float) -> float:
    return round(metres, 1) if metres >= 1.0 else round(metres, 2)
