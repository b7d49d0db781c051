"""How far sounds are from each other: what a recogniser takes for what. In phones of the CMU dictionary.

Distances are ours: 0 the same, 1 different, less for sounds that are made alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ALIKE: Final = (
    ("AA", "AO", "AH", "OW", "AW"), ("AE", "EH", "AH", "AA"), ("IH", "IY", "EH", "AH", "EY"),
    ("UH", "UW", "AH"), ("ER", "AH", "R"), ("AY", "AA", "AE"), ("EY", "EH"), ("OW", "UH", "L"), ("OY", "AO"),
    ("P", "B"), ("T", "D"), ("K", "G"), ("P", "T", "K"), ("B", "D", "G"), ("F", "TH", "S"),
    ("V", "DH", "B", "Z"), ("DH", "D", "TH", "L", "N"), ("F", "V"), ("TH", "T"), ("S", "Z"),
    ("SH", "ZH", "S", "CH"), ("CH", "JH", "T"), ("JH", "ZH", "D", "Z"), ("M", "N", "NG"), ("L", "R", "W"),
    ("Y", "IY"), ("W", "UW", "V"), ("HH", "F"),
)  # fmt: skip
"""Sounds that are taken for each other."""

PHONES: Final = (
    "AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW",
    "B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S", "SH", "T", "TH",
    "V", "W", "Y", "Z", "ZH",
)  # fmt: skip
VOWELS: Final = 15
"""The first so many of them are vowels."""

_NUMBER: Final = {phone: number for number, phone in enumerate(PHONES)}
_TAKEN_FOR: Final = 0.5
_OTHER_KIND: Final = 1.4  # a vowel for a consonant


def _costs() -> NDArray[np.float32]:
    count = len(PHONES)
    costs = np.ones((count, count), np.float32)
    costs[:VOWELS, VOWELS:] = costs[VOWELS:, :VOWELS] = _OTHER_KIND
    costs[:VOWELS, :VOWELS] = 0.8
    for alike in _ALIKE:
        at = [_NUMBER[phone] for phone in alike]
        costs[np.ix_(at, at)] = np.minimum(costs[np.ix_(at, at)], _TAKEN_FOR)
    np.fill_diagonal(costs, 0.0)
    return costs


COSTS: Final = _costs()
"""(39, 39): to hear one sound for another."""

MISSED: Final[NDArray[np.float32]] = np.full(len(PHONES), 0.8, np.float32)
"""(39,): to hear nothing where that sound was, or that sound where nothing was. Some are hardly heard."""

for _phone, _cost in {"AH": 0.5, "HH": 0.5, "T": 0.6, "D": 0.6, "IH": 0.6, "R": 0.6, "N": 0.7}.items():
    MISSED[_NUMBER[_phone]] = _cost


_LOST: Final[list[float]] = MISSED.tolist()
_CHANGED: Final[list[list[float]]] = COSTS.tolist()


def numbers_of(phones: str) -> tuple[int, ...]:
    """ "K AH P" as indices into PHONES; what is none of them is left out."""
    return tuple(_NUMBER[phone] for phone in phones.split() if phone in _NUMBER)


def distance(one: Sequence[int], other: Sequence[int]) -> float:
    """What it costs to make one sequence of sounds the other (Levenshtein, with these costs)."""
    row = [0.0]
    for each in other:
        row.append(row[-1] + _LOST[each])
    for sound in one:
        changed, lost = _CHANGED[sound], _LOST[sound]
        before, row = row, [row[0] + lost]
        for at, each in enumerate(other):
            row.append(min(before[at + 1] + lost, row[at] + _LOST[each], before[at] + changed[each]))
    return row[-1]
