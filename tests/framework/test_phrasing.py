"""Words for people: articles, places in a queue."""

from __future__ import annotations

import pytest

from framework.phrasing import in_the_queue, the


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ("arm", "the arm"),
        ("left arm", "the left arm"),
        ("the driver's seat", "the driver's seat"),
        ("The seat", "The seat"),
        ("who is connected", "who is connected"),
        ("theodolite", "the theodolite"),
        ("Camera(mount='front')", "Camera(mount='front')"),
        ("arm (left_arm)", "the arm (left_arm)"),
        ("", ""),
    ],
)
def test_an_article_where_one_is_missing(thing: str, said: str) -> None:
    assert the(thing) == said


def test_a_place_in_a_queue() -> None:
    assert [in_the_queue(place) for place in (1, 2, 10, 11)] == [
        "first in the queue",
        "second in the queue",
        "tenth in the queue",
        "number 11 in the queue",
    ]
