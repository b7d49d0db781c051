"""What is said to the robot, from the sound to its words: requests, and what comes back.

    Microphone → Utterances (when somebody speaks)

The payloads of utterances' streams are msgpack: `SpeechMark`. Nobody provides `Utterances` yet.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from resources.types.sensors import AudioFeed
from resources.types.streams import StreamHandle


class Phase(StrEnum):
    """What has become known of an utterance, or that there is nothing new."""

    PROGRESS = "progress"
    """All that was heard up to now is judged; nothing else."""

    BEGAN = "began"
    ENDED = "ended"
    TOO_LONG = "too_long"
    """It goes on for longer than an instruction is, and is given up: whoever spoke is told so."""

    LOST = "lost"
    """Sound is missing from it: the microphone is another one, or blocks were lost."""


class SpeechMark(msgspec.Struct, frozen=True):
    """Somebody speaks, or has spoken.

    utterance: names it, the same in all of its marks: when it began [ms]. began_s, until_s: what belongs to
    it, CLOCK_MONOTONIC [s]; of PROGRESS until_s is how far the sound is judged. level_dbfs: how loud it was;
    clipped: how much of it was too loud for the microphone, 0 … 1.
    """

    phase: Phase
    utterance: int
    began_s: float
    until_s: float
    level_dbfs: float = 0.0
    clipped: float = 0.0


encode_mark = msgspec.msgpack.Encoder().encode
"""A mark as it goes into its ring."""

decode_mark = msgspec.msgpack.Decoder(SpeechMark).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError for what is no mark."""


class UtteranceFeed(msgspec.Struct, frozen=True):
    """Where the marks of a microphone's utterances are, and the sound that they speak of."""

    audio: AudioFeed
    marks: StreamHandle


class Utterances(msgspec.Struct, frozen=True):
    """When somebody speaks into this microphone: the end-of-speech detector."""

    handle_type: ClassVar[type] = UtteranceFeed

    audio: AudioFeed

    def __str__(self) -> str:
        return f"utterances at {self.audio.device}"


class EarHandle(msgspec.Struct, frozen=True):
    """Somebody listens for "emergency stop" at this microphone."""

    device: str
