"""How reliable each device has been: the running average that orders candidates.

As in TeMoto's component manager: starts at 0.8, one sample of 1 for each good
load and of 0 for each failure, averaged over about 100 samples.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

import msgspec

from framework.state import StateFolder

START = 0.8
SAMPLES = 100

log = logging.getLogger("pilothouse.managers")


class Score(msgspec.Struct, frozen=True):
    """A running average and how many samples it rests on, the start value counting as one."""

    value: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = START
    samples: Annotated[int, msgspec.Meta(ge=1, le=SAMPLES)] = 1


class Reliability:
    """Scores by device name.

    Args:
        state: where they are kept between runs; None keeps them in memory. They are an opinion, not a
            record: written by and by, and what cannot be read begins anew.
        file: under which name.
    """

    def __init__(self, state: StateFolder | None = None, file: str = "reliability") -> None:
        self._state = state
        self._file = file
        self._has_said = False
        self._scores: dict[str, Score] = {}
        if state is not None:
            self._scores = state.restore(file, dict[str, Score]) or {}

    def of(self, device: str) -> float:
        """The score in [0, 1]."""
        return self._scores.get(device, Score()).value

    def loaded(self, device: str) -> None:
        """It was started and worked."""
        self._add(device, 1.0)

    def failed(self, device: str) -> None:
        """It failed, at the start or in use."""
        self._add(device, 0.0)

    def _add(self, device: str, sample: float) -> None:
        score = self._scores.get(device, Score())
        samples = min(score.samples + 1, SAMPLES)
        self._scores[device] = Score(score.value + (sample - score.value) / samples, samples)
        if self._state is not None:
            self._state.write_later(self._file, self._scores, self._not_kept)

    async def close(self) -> None:
        """Wait until the last ones are kept, bounded."""
        if self._state is not None:
            await asyncio.to_thread(self._state.flush)

    def _not_kept(self, why: str) -> None:
        if not self._has_said:
            self._has_said = True
            log.warning("reliability scores are not kept: %s", why)
