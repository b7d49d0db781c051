"""When a message was made, on this machine's clock: its header's stamp against ROS's time and ours.

Streams are judged by CLOCK_MONOTONIC, messages carry ROS's time: the wall clock, or a simulation's. Their
difference now is what translates one to the other, so simulated time that runs slow, or jumps, needs no case
of its own. What was kept somewhere and comes late is old, and is refused; so is what comes from a clock that
is not ours, as nobody could tell the two apart, unless the device says that its clock is its own.
"""

from __future__ import annotations

from typing import Final

from framework.errors import MalformedMessage

OLDEST_S: Final = 1.0
"""What was made longer ago is not passed on [s]."""

AHEAD_S: Final = 0.05
"""So far clocks of one machine, and of well kept ones, may be apart [s]."""

_BACK_S: Final = 1.0
"""A stream whose time has gone back is believed after so long a break [s]."""

_FORGETS_S: Final = 30.0


class Stamps:
    """Those of one stream, in their order.

    own_clock: the stamps are of a clock that is not kept with ours. Then the quickest message of the last
    half minute counts as new when it came, and the others by their distance from it: a delay of all is not
    seen.
    """

    def __init__(self, *, own_clock: bool = False) -> None:
        self._own_clock = own_clock
        self._newest_s = float("-inf")
        self._came_s = float("-inf")
        self._ros_s = float("-inf")
        self._shift_s = float("inf")
        self._shift_until_s = float("-inf")

    def taken(self, stamp_s: float, ros_s: float, now_s: float) -> float:
        """CLOCK_MONOTONIC [s] when it was made.

        stamp_s: the header's; 0 is none, and counts as now. ros_s: ROS's time now. now_s: ours.
        Raises MalformedMessage for what is too old, from the future, or not newer than the last one.
        """
        if stamp_s == 0.0:
            return now_s
        is_break = now_s - self._came_s > _BACK_S and stamp_s <= self._newest_s
        if ros_s < self._ros_s - AHEAD_S or is_break:
            self._newest_s, self._shift_s = float("-inf"), float("inf")
        self._ros_s = ros_s
        if stamp_s <= self._newest_s:
            back_s = self._newest_s - stamp_s
            raise MalformedMessage(f"its time stands still, or goes back by {back_s:.3f} s; it is left out")
        age_s = self._age_s(stamp_s, ros_s, now_s)
        if not -AHEAD_S <= age_s <= OLDEST_S:
            word = "old" if age_s > 0 else "ahead of our time"
            raise MalformedMessage(
                f"its stamp is {abs(age_s):.2f} s {word}; {OLDEST_S:g} s are allowed. Was it kept somewhere, "
                "or do the clocks differ? Keep them together (chrony), or say `own_clock: true` of the device"
            )
        self._newest_s, self._came_s = stamp_s, now_s
        return now_s - max(age_s, 0.0)

    def _age_s(self, stamp_s: float, ros_s: float, now_s: float) -> float:
        if not self._own_clock:
            return ros_s - stamp_s
        shift_s = now_s - stamp_s
        if shift_s < self._shift_s or now_s > self._shift_until_s:
            self._shift_s, self._shift_until_s = shift_s, now_s + _FORGETS_S
        return shift_s - self._shift_s
