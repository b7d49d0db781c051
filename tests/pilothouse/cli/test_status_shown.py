"""How `pilothouse status` looks where there is little room: what can be typed again is never cut."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from pilothouse.cli.status import show

WORLD = "process_manager/Process world inspection"
LINKS = "operator_manager/OperatorLinks"


def resource(name: str, *, used_by: list[str], depends_on: list[str], detail: str = "") -> dict[str, Any]:
    registrar, _, request = name.partition("/")
    return {
        "registrar": registrar,
        "request": request,
        "state": "needs a human" if detail else "ready",
        "detail": detail,
        "used_by": used_by,
        "depends_on": depends_on,
    }


STATUS: dict[str, Any] = {
    "plans": [],
    "resources": [
        resource(LINKS, used_by=["the installation"], depends_on=["process_manager/Process operator links"]),
        resource(
            WORLD, used_by=["controller_manager/Simulation"], depends_on=[], detail="[red] " + 30 * "no "
        ),
    ],
    "providers": [
        {
            "name": "right_gripper_of_the_robot",
            "kind": "gripper",
            "state": "absent",
            "detail": 12 * "not heard of ",
            "reliability": 0.8,
        }
    ],
    "streams": [
        {
            "name": "a_camera_with_a_long_name/colour_and_depth",
            "format": "rgbd",
            "rate_hz": 30.0,
            "age_s": 0.01,
            "watchers": 2,
        }
    ],
    "health": {"loop_lag_ms_p99": 1.0, "pages": 0},
}


def shown(width: int) -> str:
    printed = io.StringIO()
    show(STATUS, Console(file=printed, width=width, highlight=False))
    return printed.getvalue()


@pytest.mark.parametrize("width", [50, 80, 120, 200])
def test_names_stay_whole_whatever_the_width(width: int) -> None:
    lines = shown(width).splitlines()
    for name in (
        LINKS,
        WORLD,
        "process_manager/Process operator links",
        "controller_manager/Simulation",
        "right_gripper_of_the_robot",
        "a_camera_with_a_long_name/colour_and_depth",
    ):
        assert any(name in line for line in lines), name
    assert not any("…" in line for line in lines)
    assert "[red]" in shown(width)


def test_with_little_room_each_resource_says_what_uses_it_and_what_it_needs() -> None:
    lines = [line.rstrip() for line in shown(80).splitlines()]
    at = lines.index(LINKS)
    assert lines[at + 1 : at + 4] == [
        "  state: ready",
        "  used by: the installation",
        "  depends on: process_manager/Process operator links",
    ]


def test_with_room_it_is_a_table() -> None:
    (row,) = [line for line in shown(200).splitlines() if LINKS in line]
    assert "ready" in row and "the installation" in row and "Process operator links" in row


def test_who_held_the_main_loop_is_shown() -> None:
    held = {"who": "action nap", "file": "/home/me/actions/nap/__init__.py", "line": 12, "held_ms": 5017}
    health = {**STATUS["health"], "loop_held": 1, "loop_held_last": [{**held, "ago_s": 6.2}]}
    printed = io.StringIO()
    show({**STATUS, "health": health}, Console(file=printed, width=120, highlight=False))
    assert "the action nap held up everything for 5.0 s: nap/__init__.py:12" in printed.getvalue()
