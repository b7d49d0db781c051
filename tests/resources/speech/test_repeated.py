"""What a recogniser repeats was said once, unless there was time to say it again."""

from __future__ import annotations

import pytest

from resources.speech.repeated import said_once


@pytest.mark.parametrize(
    ("text", "seconds", "once"),
    [
        ("turn to the table turn to the table turn to", 1.2, "turn to the table"),
        ("turn left turn left", 0.7, "turn left"),
        ("turn left turn left", 1.6, "turn left turn left"),
        ("turn around and back up turn around then back up turn", 1.5, "turn around and back up"),
        ("turn the gripper at water turn turn turn turn", 1.2, "turn the gripper at water turn"),
        ("stop stop stop stop stop stop", 1.0, "stop stop"),
        ("stop stop", 0.2, "stop stop"),
        ("stop", 0.1, "stop"),
        ("what was said this fast and never again", 1.0, "what was said this fast and never again"),
        ("", 0.0, ""),
    ],
)  # fmt: skip
def test_nobody_speaks_that_fast(text: str, seconds: float, once: str) -> None:
    assert said_once(tuple(text.split()), seconds) == tuple(once.split())
