"""Which remarks warn, and how much."""

from __future__ import annotations

import pytest

from grammars.core_file import english
from grammars.reading.warning import Danger, danger_of, foretold


def danger(text: str) -> Danger:
    tokens = [word for word in text.lower().split() if word not in ("the", "a", "my", "your", "our")]
    return danger_of(tokens, text, english().asides)


@pytest.mark.parametrize(
    ("text", "how_much"),
    [
        ("my finger is stuck", Danger.HAZARD),
        ("the way is blocked", Danger.HAZARD),
        ("he forbids it", Danger.HAZARD),
        ("it doesn't work", Danger.HAZARD),
        ("there is no room behind you", Danger.HAZARD),
        ("my son is behind you", Danger.PRESENCE),
        ("my foot is under your wheel", Danger.PRESENCE),
        ("there's glass on the floor", Danger.PRESENCE),
        ("they can't hear you they are in front of you", Danger.PRESENCE),
        ("there is a child", Danger.PRESENCE),
        ("the floor is slippery", Danger.PRESENCE),
        ("my phone is dead", Danger.NONE),
        ("there is nobody behind you", Danger.NONE),
        ("it isn't broken", Danger.NONE),
        ("it is hot in here", Danger.NONE),
        ("there is a dreadful draught", Danger.NONE),
        ("i must read the type plate on your shoulder", Danger.NONE),
    ],
)
def test_how_much_a_remark_warns(text: str, how_much: Danger) -> None:
    assert danger(text) is how_much


def test_what_would_go_amiss_is_foretold() -> None:
    words = english().asides
    assert foretold(["open", "it", ",", "you'll", "drop", "it"], words) == 3
    assert foretold(["open", "it", ",", "you'll", "love", "it"], words) == 0
