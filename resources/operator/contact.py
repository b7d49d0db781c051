"""What a person feels of an arm's contacts, as intensities of vibration. Pure: forces in, intensities out.

Paper 000, section IV: a transient when a contact is new, scaled with the impulse that the arm lost (eq 16,
as facts repair it: `i = i_min + k |S Λ J (q̇(t) − q̇(t−Δ))|`), and a continuous pattern of the force's size
while it lasts (eq 17, repaired: 10 to 40 N become `MINIMUM` to 1). Contacts are counted, so that a link
that loses packets neither loses nor doubles one: `knocks` rises by one for each.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from resources.types.motion import Joints7

BEGINS_N: Final = 10.0
"""A contact is felt from here (paper 000, V: less is what the estimate is wrong by in motion) [N]."""

ENDS_N: Final = 8.0
"""And until here [N]."""

FULL_N: Final = 40.0
"""The continuous pattern is strongest from here [N]."""

MINIMUM: Final = 0.2
"""Weaker vibration is not felt in a hand."""

PER_NEWTON_SECOND: Final = 0.4
"""Of the transient [1/(N s)]: about 5 kg at the tool, stopped from 0.4 m/s, are felt as 1."""

WINDOW_S: Final = 0.08
"""Δ: contact, observer (25 ms) and the way here lie within it [s]."""

LostImpulse = Callable[[Joints7, Sequence[float]], float]
"""From joints [rad] and change of their velocities [rad/s] to |S Λ J Δq̇| [N s]."""


class ContactFeel:
    """One arm's contact, from its samples.

    in_contact; knocks: new contacts so far; knock: intensity of the last, `MINIMUM` to 1, 0 before the first;
    press: of the continuous pattern, 0 without contact.
    """

    def __init__(self, lost_impulse: LostImpulse) -> None:
        self.in_contact = False
        self.knocks = 0
        self.knock = 0.0
        self.press = 0.0
        self._lost_impulse = lost_impulse
        self._velocities: deque[tuple[float, Joints7]] = deque()

    def update(self, time_s: float, q: Joints7, dq: Joints7, force: Sequence[float]) -> None:
        """Take a sample; one that is not newer, or not finite, changes nothing.

        Args:
            time_s: the sample's own time [s], rising; where it falls, the arm's loop began anew.
            force: (3,) what the surroundings do to the tool, estimated [N].
        """
        if not all(map(math.isfinite, (time_s, *q, *dq, *force))):
            return
        if self._velocities and time_s < self._velocities[-1][0]:
            self._velocities.clear()
        elif self._velocities and time_s == self._velocities[-1][0]:
            return
        self._velocities.append((time_s, dq))
        while self._velocities[0][0] < time_s - WINDOW_S - 1e-9:
            self._velocities.popleft()
        strength = math.hypot(*force)
        if not self.in_contact and strength >= BEGINS_N:
            self.in_contact = True
            self.knocks += 1
            self.knock = self._transient(q, dq)
        elif self.in_contact and strength <= ENDS_N:
            self.in_contact = False
        share = (strength - BEGINS_N) / (FULL_N - BEGINS_N)
        self.press = _bounded(MINIMUM + (1.0 - MINIMUM) * share) if self.in_contact else 0.0

    def _transient(self, q: Joints7, dq: Joints7) -> float:
        before = self._velocities[0][1]
        change = [now - then for now, then in zip(dq, before, strict=True)]
        impulse = self._lost_impulse(q, change)
        return _bounded(MINIMUM + PER_NEWTON_SECOND * impulse) if math.isfinite(impulse) else MINIMUM


def _bounded(intensity: float) -> float:
    return min(max(intensity, MINIMUM), 1.0)
