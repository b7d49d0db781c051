"""Trajectories to a goal, also from where the solver finds none at first."""

from __future__ import annotations

from typing import Any

import pytest

from framework.errors import CommandRefused
from resources.controllers import trajectory
from resources.controllers.trajectory import State, Trajectory, to_goal

SPEED, ACCELERATION, JERK = [1.0, 1.0], [5.0, 5.0], [50.0, 50.0]
GOAL = [0.5, -0.3]


def planned(start: State) -> Trajectory:
    """To the goal."""
    return to_goal(start, GOAL, SPEED, ACCELERATION, JERK)


def test_it_ends_at_rest_at_the_goal() -> None:
    position, velocity, _ = planned(([0.0, 0.0], [0.2, 0.0], [1.0, 0.0])).at(100.0)
    assert position == pytest.approx(GOAL) and velocity == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(
    ("refused", "velocity"),
    [
        (lambda wanted: any(wanted.current_acceleration), 0.2),
        (lambda wanted: any(wanted.current_velocity), 0.004),
    ],
    ids=["in acceleration", "hardly in motion"],
)
def test_a_start_for_which_there_is_none_is_taken_as_one_that_is_as_good_as_there(
    monkeypatch: pytest.MonkeyPatch, refused: Any, velocity: float
) -> None:
    computed = trajectory._computed

    def fails(wanted: Any) -> Trajectory:
        if refused(wanted):
            raise CommandRefused("no trajectory leads there from here")
        return computed(wanted)

    monkeypatch.setattr(trajectory, "_computed", fails)
    found = planned(([0.0, 0.0], [velocity, 0.0], [1.0, 0.0]))
    assert found.at(100.0)[0] == pytest.approx(GOAL)


def test_who_is_there_but_for_what_nobody_can_measure_stays() -> None:
    # as it was found by a campaign over real processes: "error in step 2 in dof: 6 for t sync: 0.000004"
    position = [3.665505066665096e-12, -0.7853981633973581, 1.795455751890328e-12, -2.356194490192024]
    position += [-6.226248163983044e-12, 3.141592653589349, 0.7853981634072218]
    goal = [0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0, 3.141592653589793, 0.7853981633974483]
    limits = [0.6] * 7, [3.0] * 7, [60.0] * 7
    found = to_goal((position, [0.0] * 7, [0.0] * 7), goal, *limits)
    assert found.duration_s == pytest.approx(0.0) and found.at(1.0)[0] == pytest.approx(goal, abs=1e-6)


def test_where_there_is_none_at_all_it_is_said() -> None:
    with pytest.raises(CommandRefused, match="no trajectory leads there from here"):
        planned(([float("nan"), 0.0], [0.0, 0.0], [0.0, 0.0]))
