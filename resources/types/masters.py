"""What a person moves by: a master (phone, headset controller, bare hand, space mouse, game-pad, keys, …).

The whole seam between masters and robots: poses in, wrenches out, health. Whoever writes `HandSample`s into
a ring is a master; the control loop that was told to `Follow` the ring reads them, in the process that moves,
and decides there, on its own clock, whether the clutch is on. No sample is ever queued: newest wins. What
the robot feels comes back in the `ArmSample`s of the arm that follows (wrench, engagement, why it went off).

    browser ── link (operator process) ──▶ HandSample ring ──▶ control loop: clutch, limits, impedance
    browser ◀── link (operator process) ◀── ArmSample ring ◀──────┘

A person's hand in the robot's axes: A_T_P of paper 000, section IV, with the anchor A put on the base B of
the arm that is driven (docs/teleoperation.md). View, hold view and the place of the scene are the master's
business, which is why they change nothing in the robot.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from resources.types.motion import REST6, Vector6
from resources.types.streams import IDENTITY, Pose7, StreamHandle

SILENCE_S = 0.1
"""Without a fresh valid pose for so long the clutch is off [s] (paper 000, IV)."""

SEEN_WITHIN_S = 0.3
"""A pressing counts if the clutch was heard to be open so shortly before [s]: pages hiccup at a touch."""

LEAST_SCALE, MOST_SCALE = 0.05, 2.0
"""How far the arm goes for a hand's motion."""


class HandSide(StrEnum):
    """Which hand of the person."""

    RIGHT = "right"
    LEFT = "left"


class HandSample(msgspec.Struct, frozen=True, array_like=True):
    """A person's hand, as a state: 60 to 100 a second.

    session: who; number: rises by one with every sample of the session.
    taken_s: when the pose was measured; received_s: when it came here; both CLOCK_MONOTONIC [s] of this
        machine (a remote clock is mapped by the link, never to later than `received_s`).
    engagement: 0 while the clutch is open; else the number of this pressing of it, which rises with each.
        A control loop that let go of an engagement never follows it again: the clutch has to be opened and
        closed anew.
    tracked: the pose is good, by what the device says of itself.
    base_T_hand, twist [m/s, rad/s], acceleration [m/s², rad/s²]: in the axes of the driven arm's base.
    scale: of translations, 1 for 1:1; (0.05 to 2).
    stick: forward, left, turn, each -1 to 1: for a base; taken only while `engagement` is not 0.
    grips: how often the gripper's button was pressed in this session: a count, so none is lost.
    """

    session: str
    number: int
    taken_s: float
    received_s: float
    engagement: int = 0
    tracked: bool = True
    base_T_hand: Pose7 = IDENTITY
    twist: Vector6 = REST6
    acceleration: Vector6 = REST6
    scale: float = 1.0
    stick: tuple[float, float, float] = (0.0, 0.0, 0.0)
    grips: int = 0


class HandStream(msgspec.Struct, frozen=True):
    """One hand of a session. stream: ring of `HandSample`s (StreamFormat.HAND)."""

    side: HandSide
    stream: StreamHandle


encode_hand = msgspec.msgpack.Encoder().encode
"""A hand's sample as it lies in the ring: msgpack."""

decode_hand = msgspec.msgpack.Decoder(HandSample).decode
"""A sample from the ring; raises msgspec.MsgspecError if it is none."""
