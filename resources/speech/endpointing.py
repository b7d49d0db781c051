"""Where an utterance begins and ends, from how likely each block of sound is a voice. Pure.

A voice has to last before it counts (a knock does not), and silence has to last before it has ended (people
breathe). What goes on for too long is no instruction: it ends as that, and nothing of the rest is taken for
the beginning of another one before it is silent again.

Thresholds on the detector's probability with hysteresis, as its authors do it (Silero VAD).
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from framework.plugins.parameters import Parameters
from resources.audio.format import BLOCK_S
from resources.types.speech import Phase

AFTER_GAP_S = 0.2
"""A voice that is there so soon after lost sound began before [s].

A detector that begins in the middle of a word knows it late: of four sentences that begin with "do not",
"don't", "not" and "never", by six synthetic voices, with 20 to 140 ms of their beginning cut off (310 times,
through Opus), it took up to .19 s; with .1 s 26 were taken for whole."""

_SHARE = Meta(gt=0.0, lt=1.0)


class Endpointing(Parameters, frozen=True):
    """When it is a voice, and for how long.

    start_at, hold_at: probabilities from which on it is one, and from which on it still is.
    """

    start_at: Annotated[float, _SHARE] = 0.5
    hold_at: Annotated[float, _SHARE] = 0.35
    least_voice_s: Annotated[float, Meta(ge=0.03, le=2.0, description="a shorter voice is a noise")] = 0.19
    silence_s: Annotated[float, Meta(ge=0.1, le=5.0, description="silence that ends an utterance")] = 0.5
    longest_s: Annotated[float, Meta(ge=1.0, le=30.0, description="more at a stretch is a speech")] = 15.0
    before_s: Annotated[float, Meta(ge=0.0, le=2.0, description="taken along before the voice")] = 0.4
    after_s: Annotated[float, Meta(ge=0.0, le=2.0, description="taken along after the voice")] = 0.3


class Edge(msgspec.Struct, frozen=True):
    """An utterance has begun or ended. began_s, until_s: what belongs to it so far, CLOCK_MONOTONIC [s]."""

    phase: Phase
    began_s: float
    until_s: float


class Endpointer:
    """Takes each block's end [s] and how likely it is a voice; gives an edge where there is one."""

    def __init__(self, settings: Endpointing | None = None) -> None:
        self._settings = settings or Endpointing()
        self._first_s: float | None = None  # where the voice began
        self._voice_s = 0.0  # how long it has been one
        self._last_s = 0.0  # where it was heard last
        self._is_told = False
        self._overflows = False
        self._is_rest = False
        self._gap_s = float("-inf")  # before this moment sound is missing
        self._free_from_s = float("-inf")  # what is earlier belongs to the utterance before

    @property
    def is_speaking(self) -> bool:
        """Whether an utterance has begun and not ended."""
        return self._is_told

    def block(self, until_s: float, probability: float) -> Edge | None:
        """One more block, which ends at `until_s`."""
        settings = self._settings
        is_on = self._first_s is not None or self._overflows
        if probability >= (settings.hold_at if is_on else settings.start_at):
            if self._first_s is None:
                self._first_s, self._voice_s = until_s - BLOCK_S, 0.0
                self._is_rest = self._first_s <= self._gap_s + AFTER_GAP_S
            self._voice_s += BLOCK_S
            self._last_s = until_s
        if self._first_s is None:
            return None
        if until_s - self._last_s >= settings.silence_s:
            return self._silent()
        if self._overflows:
            return None
        if not self._is_told and self._voice_s >= settings.least_voice_s:
            if self._is_rest:
                self._overflows = True
                return Edge(Phase.LOST, self.began_s, until_s)
            self._is_told = True
            return Edge(Phase.BEGAN, self.began_s, until_s)
        if until_s - self._first_s >= settings.longest_s:
            edge = Edge(Phase.TOO_LONG, self.began_s, until_s)
            self._overflows, self._is_told, self._free_from_s = True, False, until_s
            return edge if self._voice_s >= settings.least_voice_s else None
        return None

    def interrupted(self, at_s: float) -> Edge | None:
        """Sound is missing before `at_s`: what was being said is lost, and its rest is none either.

        Nor is a voice that is there at once: nobody knows how it began.
        """
        edge = Edge(Phase.LOST, self.began_s, self._last_s) if self._is_told else None
        was_on = self._first_s is not None
        self._forget(at_s)
        self._gap_s = at_s
        if was_on:
            self._first_s = self._last_s = at_s
            self._overflows = True
        return edge

    def begins(self, at_s: float) -> None:
        """Listening begins in the middle of whatever is being said: a voice that is there then, or within the
        silence that would have ended it, began before, and is lost with its beginning."""
        self._gap_s = at_s + self._settings.silence_s - AFTER_GAP_S

    def over(self, at_s: float) -> Edge | None:
        """Whoever spoke says that all is said: nothing after `at_s` belongs to it."""
        until_s = min(self._last_s + self._settings.after_s, at_s)
        edge = Edge(Phase.ENDED, self.began_s, until_s) if self._is_told else None
        self._forget(at_s)
        return edge

    def _silent(self) -> Edge | None:
        until_s = self._last_s + self._settings.after_s
        edge = Edge(Phase.ENDED, self.began_s, until_s) if self._is_told else None
        given_up_s = max(self._last_s, self._free_from_s) if self._overflows else self._free_from_s
        self._forget(until_s if edge is not None else given_up_s)
        return edge

    def _forget(self, free_from_s: float) -> None:
        self._first_s, self._voice_s = None, 0.0
        self._is_told = self._overflows = self._is_rest = False
        self._free_from_s = free_from_s

    @property
    def began_s(self) -> float:
        """Where what is being said began, with what is taken along before it; only while it is."""
        assert self._first_s is not None
        return max(self._first_s - self._settings.before_s, self._free_from_s)
