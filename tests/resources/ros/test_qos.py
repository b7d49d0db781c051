"""Which ends of a topic fit together, and the words if they do not."""

from __future__ import annotations

import pytest

from resources.ros.qos import misfits
from resources.types.ros import COMMAND, LATCHED, SENSOR, Durability, Liveliness, Qos, Reliability


@pytest.mark.parametrize("offered", [SENSOR, COMMAND, LATCHED, Qos(deadline_s=0.1, lease_s=1.0)])
def test_who_asks_for_nothing_takes_everybody(offered: Qos) -> None:
    assert not list(misfits(SENSOR, offered))


@pytest.mark.parametrize(
    ("asked", "offered", "words"),
    [
        (COMMAND, SENSOR, "reliability: best_effort is offered, reliable asked for"),
        (LATCHED, COMMAND, "durability: volatile is offered, transient_local asked for"),
        (Qos(deadline_s=0.2), Qos(), "deadline: no promise is offered, 0.2 s asked for"),
        (Qos(deadline_s=0.2), Qos(deadline_s=0.3), "deadline: 0.3 s is offered, 0.2 s asked for"),
        (
            Qos(liveliness=Liveliness.MANUAL_BY_TOPIC),
            Qos(),
            "liveliness: automatic is offered, manual_by_topic asked for",
        ),
        (Qos(lease_s=1.0), Qos(lease_s=1.5), "liveliness lease: 1.5 s is offered, 1 s asked for"),
    ],
)
def test_each_policy_that_does_not_fit_is_named_with_both_sides(asked: Qos, offered: Qos, words: str) -> None:
    assert list(misfits(asked, offered)) == [words]


def test_all_that_does_not_fit_is_named() -> None:
    asked = Qos(Reliability.RELIABLE, Durability.TRANSIENT_LOCAL)
    assert len(list(misfits(asked, SENSOR))) == 2
