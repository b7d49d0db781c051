"""Where the base has been: its departures, and the way that it came."""

from __future__ import annotations

from collections.abc import Iterable

from managers.base_track import BaseTrack
from resources.types.routes import Departure, Spot

START, BEFORE = Departure.START, Departure.BEFORE
HERE: Spot = (0.0, 0.0, 0.0)


class Trips:
    """A base that is given to somebody, and driven."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.track = BaseTrack(lambda: self.now_s)
        self.track.at(HERE)

    def drive(self, *spots: Spot) -> None:
        self.track.departs()
        for spot in spots:
            self.now_s += 1.0
            self.track.at(spot)

    @property
    def departures(self) -> Iterable[Spot | None]:
        return [self.track.departure(START), self.track.departure(BEFORE)]


def test_before_it_has_driven_there_is_no_way_back() -> None:
    trips = Trips()
    assert trips.departures == [None, None]
    trips.drive()
    trips.drive((0.02, 0.0, 0.0))  # no way to speak of
    assert trips.departures == [None, None]


def test_it_started_where_it_was_first_and_was_before_where_it_was_last() -> None:
    trips = Trips()
    table, shelf = (1.0, 0.0, 0.0), (2.0, -1.0, 0.0)
    trips.drive((0.5, 0.0, 0.0), table)
    assert trips.departures == [HERE, HERE]
    trips.drive(shelf)
    assert trips.departures == [HERE, table]
    trips.drive(shelf)  # it was given to somebody who did not drive
    assert trips.departures == [HERE, table]
    trips.drive(HERE)
    assert trips.departures == [HERE, shelf]
    trips.drive((0.0, 1.0, 0.0))  # a new journey
    assert trips.departures == [HERE, HERE]


def test_a_turn_is_a_departure_too() -> None:
    trips = Trips()
    trips.drive((0.0, 0.0, 1.5))
    assert trips.departures == [HERE, HERE]


def test_the_way_is_kept_for_a_while() -> None:
    trips = Trips()
    trips.drive((0.05, 0.0, 0.0), (0.2, 0.0, 0.0), (0.5, 0.0, 0.0))
    assert [*trips.track.way] == [HERE, (0.2, 0.0, 0.0), (0.5, 0.0, 0.0)]
    trips.now_s += 601.0
    assert not trips.track.way
