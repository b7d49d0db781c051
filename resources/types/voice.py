"""What the robot says aloud: the request for a loudspeaker, what it is to say, and what it says when.

What is to be said is one list for all loudspeakers (`ANSWERS`, a ring of `SayOrder`): whichever is open says
it. A loudspeaker's own stream (`Spoken`) tells what can be heard of it from when to when, before it can be
heard: whoever listens must know the robot's own words.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

import msgspec

from resources.types.streams import StreamHandle

ANSWERS: Final = "answers"
"""Name of the ring with what is to be said, in the run directory."""


class Urgency(StrEnum):
    """What becomes of a sentence that has to wait for another one."""

    ANSWER = "answer"
    """It waits a while; of many the newest count."""

    QUESTION = "question"
    """It is never left out: somebody is waited for."""

    URGENT = "urgent"
    """It is said at once; what is being said is cut, and the answers that wait are left out."""


class Say(msgspec.Struct, frozen=True, tag="say"):
    """Say this. number: names the sentence, and rises. words: as they are spoken."""

    number: int
    words: str
    urgency: Urgency = Urgency.ANSWER


class Hush(msgspec.Struct, frozen=True, tag="hush"):
    """Be silent: all sentences up to this number are over, also the one that is being said."""

    up_to: int


class LeaveOut(msgspec.Struct, frozen=True, tag="leave_out"):
    """This one need not be said any more; what is being said of it is cut."""

    number: int


SayOrder = Say | Hush | LeaveOut

encode_say_order = msgspec.msgpack.Encoder().encode
"""An order as it goes into the ring."""

decode_say_order = msgspec.msgpack.Decoder(SayOrder).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError for what is none."""


class SpokenPhase(StrEnum):
    """What has become of a sentence."""

    PROGRESS = "progress"
    """Nothing new: it works."""

    BEGINS = "begins"
    """It can be heard from now on at the earliest, and until `until_s` at the latest."""

    ENDED = "ended"
    """It was said, until `until_s`."""

    CUT = "cut"
    """It was broken off, and cannot be heard after `until_s`; without a `why` it is said again."""

    LEFT_OUT = "left_out"
    """It was not said: `why`."""


class Spoken(msgspec.Struct, frozen=True):
    """What is heard of a sentence. from_s, until_s: CLOCK_MONOTONIC [s]. number, words: as in `Say`."""

    phase: SpokenPhase
    number: int
    words: str
    from_s: float
    until_s: float
    why: str = ""


encode_spoken = msgspec.msgpack.Encoder().encode
"""What is spoken, as it goes into its ring."""

decode_spoken = msgspec.msgpack.Decoder(Spoken).decode
"""Raises msgspec.MsgspecError or UnicodeDecodeError for what is none."""


class LoudspeakerFeed(msgspec.Struct, frozen=True):
    """A working loudspeaker.

    device: its name in the robot description. stream: of what can be heard of it (`Spoken`).
    where: how people call it.
    """

    device: str
    stream: StreamHandle
    where: str = ""


class Loudspeaker(msgspec.Struct, frozen=True):
    """What the robot can be heard by, at `mount` ("" anywhere on the robot); fields as for Camera."""

    handle_type: ClassVar[type] = LoudspeakerFeed

    mount: str = ""
    return_to_preferred: bool = False

    def __str__(self) -> str:
        return f"{self.mount} loudspeaker".strip()
