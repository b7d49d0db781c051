"""Names as people write them, and what to say when nobody has the one that was asked for. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

#: A name counts as near if this much of it is the same.
_NEAR = 0.7
_MOST_SHOWN = 12
_ARTICLES = ("the", "a", "an", "my", "your")


def plain(name: str) -> str:
    """A name as it is compared: small letters, single spaces instead of underscores, no article."""
    words = name.casefold().replace("_", " ").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def near(said: str, names: Iterable[str]) -> tuple[str, ...]:
    """Known names that could have been meant, the nearest first."""
    by_plain = {plain(name): name for name in names}
    asked = plain(said)
    found = [by_plain[each] for each in get_close_matches(asked, by_plain, 3, _NEAR)]
    words = set(asked.split())
    found += [name for each, name in by_plain.items() if words & set(each.split()) and name not in found]
    return tuple(found[:3])


def unknown(said: str, names: Iterable[str], could: str) -> str:
    """Why it cannot be done with this name: what was said, what could be meant, what there is.

    could: what is done with such names ("what I can show is").
    """
    known = tuple(dict.fromkeys(names))
    likely = near(said, known)
    if likely:
        return f"I know no {plain(said)!r}; do you mean {either(likely)}?"
    shown = [*known[:_MOST_SHOWN], *(["others"] if len(known) > _MOST_SHOWN else [])]
    return f"I know no {plain(said)!r}; {could} {listed(shown) or 'nothing just now'}"


def listed(names: Iterable[str]) -> str:
    """Names in a row: "the table, the shelf and the door"."""
    return _joined(tuple(names), "and")


def either(names: Iterable[str]) -> str:
    """Names to choose from: "the table, the shelf or the door"."""
    return _joined(tuple(names), "or")


def _joined(names: tuple[str, ...], last: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
