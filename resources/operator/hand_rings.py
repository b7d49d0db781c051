"""The rings of one session's hands: they live as long as the session, longer than any of its links."""

from __future__ import annotations

from pathlib import Path

from framework.transport.ring import RingWriter
from resources.types.masters import HandSample, HandSide, HandStream, encode_hand
from resources.types.streams import StreamFormat, StreamHandle

HAND_RATE_HZ = 90.0
_SLOT_BYTES = 1024


class HandRings:
    """Writes a session's hands where control loops read them, with numbers that only rise.

    A page that is loaded anew has a new link to the same rings, so that a loop that follows them never sees
    a number, or an engagement, twice.

    Raises SharedMemoryFull or StreamError as `RingWriter` does.
    """

    def __init__(self, session: str, directory: Path) -> None:
        self.session = session
        self.number = 0
        """Of the newest sample; the next is one above."""
        self.engagement = 0
        """Highest that was ever written; the next pressing of the clutch is one above."""
        self._grips = dict.fromkeys(HandSide, 0)
        self.owner: object = None
        """The link that may write: the newest. One that finds another here hears no hand any more."""
        self.is_closed = False
        """The session is over: nobody writes any more."""
        self._writers: dict[HandSide, RingWriter] = {}
        for side in HandSide:
            name = f"hand_{session}_{side.value}"
            self._writers[side] = RingWriter(directory, name, slot_bytes=_SLOT_BYTES, replace=True)

    @property
    def hands(self) -> tuple[HandStream, ...]:
        """Where the hands are read."""
        return tuple(
            HandStream(
                side,
                StreamHandle(
                    name=writer.path.stem,
                    ring=str(writer.path),
                    format=StreamFormat.HAND,
                    rate_hz=HAND_RATE_HZ,
                ),
            )
            for side, writer in self._writers.items()
        )

    def grips_of(self, side: HandSide) -> int:
        """How often this hand's button for the gripper was pressed so far."""
        return self._grips[side]

    @property
    def grips(self) -> int:
        """The right hand's, for masters that have only that."""
        return self.grips_of(HandSide.RIGHT)

    def write(self, side: HandSide, sample: HandSample) -> None:
        """Publish a sample; the numbers of this session are kept from it."""
        self.number = max(self.number, sample.number)
        self.engagement = max(self.engagement, sample.engagement)
        self._grips[side] = max(self._grips[side], sample.grips)
        self._writers[side].write(encode_hand(sample), stamp_s=sample.received_s)

    def close(self) -> None:
        """The session is over; idempotent."""
        self.is_closed = True
        for writer in self._writers.values():
            writer.close()
