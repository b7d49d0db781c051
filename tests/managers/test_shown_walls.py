"""Walls of a description, as pages draw them."""

from __future__ import annotations

import pytest

from managers.shown_walls import walls_of
from resources.robots.description import DeviceDescription
from resources.types.motion import Workspace

WORKSPACE = Workspace((0.0, -1.0, 0.0), (1.0, 1.0, 1.0))


def arm(**parameters: object) -> DeviceDescription:
    return DeviceDescription("arm", "simulated_arm", "arm", parameters=parameters)


def test_what_is_described_wrongly_is_not_drawn() -> None:
    assert walls_of(arm(no_go=[{"lower": 3}]), WORKSPACE) == ()
    assert walls_of(arm(walls="here"), WORKSPACE) == ()


def test_no_go_boxes_and_straight_walls_are_drawn_and_slanting_ones_are_not() -> None:
    drawn = walls_of(
        arm(
            no_go=[{"lower": [0, 0, 0], "upper": [1, 2, 3], "words": "a screen"}],
            walls=[
                {"point": [0, 0, 0.1], "normal": [0, 0, 1], "words": "the table"},
                {"point": [0, 0, 0.1], "normal": [0, 1, 1], "words": "a slope"},
            ],
        ),
        WORKSPACE,
    )
    box, slab = drawn
    assert box == (0, 0, 0, 1, 2, 3)
    assert slab == pytest.approx((0.0, -1.0, 0.095, 1.0, 1.0, 0.105))
    assert walls_of(arm(), WORKSPACE) == ()
