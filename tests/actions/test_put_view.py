"""One's own view is put onto what is named; it moves no robot, and nobody else's view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pilothouse as ph
from framework.testing import ScriptedResources
from resources.types.views import Look, ViewPut, ViewPutHandle
from tests.actions.fake_robot import RED_CUP, TABLE, FakeRobot
from tests.actions.scene import on_robot

SEEN = "console"  # as `FakeRobot.operator` says


def _put(
    directory: Path, given: dict[str, str], then: Callable[[FakeRobot, list[ViewPut], ph.Outcome], None]
) -> None:
    async def play(robot: FakeRobot) -> None:
        put: list[ViewPut] = []

        def provide(request: ViewPut) -> ViewPutHandle:
            if request.page != SEEN:
                raise ph.ResourceUnavailable(f"{request.page} has no view")
            put.append(request)
            return ViewPutHandle(request.page)

        async with ScriptedResources(robot.transport, {ViewPut: provide}, name="outputs"):
            then(robot, put, await robot.runner("put_view", **given).run())

    on_robot(directory, play)


@pytest.mark.parametrize(
    ("given", "look", "words"),
    [
        (
            {"thing": "red cup"},
            Look((2.0, 0.5, 0.8), RED_CUP.size_m),
            "your view is on the red cup",
        ),
        (
            {"thing": "table", "how": "above"},
            Look((2.0, 0.0, 0.375), TABLE.size_m, True),
            "your view is on the table, from above; in a session from where you stand",
        ),
        ({"how": "reset"}, Look(), "your view shows all again"),
    ],
)
def test_it_is_put_where_that_is_for_who_says_it(
    tmp_path: Path, given: dict[str, str], look: Look, words: str
) -> None:
    def then(robot: FakeRobot, put: list[ViewPut], outcome: ph.Outcome) -> None:
        assert outcome.state is ph.RunState.SUCCEEDED
        assert put == [ViewPut(SEEN, look)] and robot.answers == [words]
        assert outcome.value == given.get("thing")

    _put(tmp_path, given, then)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"thing": "unicorn"}, "unicorn"),
        ({"thing": "carton"}, "2 things are called"),
        ({}, "what to look at"),
    ],
)
def test_what_is_nowhere_is_refused_in_words_and_no_view_is_put(
    tmp_path: Path, given: dict[str, str], words: str
) -> None:
    def then(robot: FakeRobot, put: list[ViewPut], outcome: ph.Outcome) -> None:
        assert outcome.state is ph.RunState.FAILED and words in outcome.words
        assert not put

    _put(tmp_path, given, then)


def test_who_has_no_view_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeRobot, "operator", lambda self, *, asked_by: "command line")

    def then(robot: FakeRobot, put: list[ViewPut], outcome: ph.Outcome) -> None:
        assert outcome.state is ph.RunState.FAILED and "command line has no view" in outcome.words
        assert not put

    _put(tmp_path, {"how": "reset"}, then)
