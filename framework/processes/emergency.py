"""The emergency stop: a latch in shared memory that works with every other process hung.

One file in the run directory, mapped by the supervisor, by each control process
and by whoever wants to stop (the command line maps it for itself). Nobody
waits for anybody: no lock, no message. A control process looks at each tick and
stops when the latch is set, or when the supervisor's heartbeat is older than it
accepts. Nothing here stops a motor; that is done where the motion is made.

The latch is two words: the token of the latest stop and the token of the latest
reset. It is set while they differ, so a stop that comes while an earlier one is
being reset is never lost.

A page repeats its stop until it is confirmed, so the same one may come often and
late, also after a person has reset it. Each press of a page has an id, and the
latch remembers which have set it: a duplicate is confirmed, and sets nothing. The
ids are kept here, in shared memory, so that a restart of whoever serves the page
forgets none. An id that is new, has been pushed out by newer ones or is none at
all sets the latch: where there is doubt, everything stops.
"""

from __future__ import annotations

import mmap
import os
import re
import secrets
from pathlib import Path
from typing import Final, Self

from framework.errors import InstallationError

FILE_NAME: Final = "emergency"

#: So long after the last real heartbeat a lent one may count at most [s]: control processes hold to it.
MOST_LENT_S: Final = 0.75

_MAGIC: Final = 0x5048_454D_4552_4702
_BYTES: Final = 4096
_MAGIC_WORD, _STOPPED, _RESET, _BEAT_NS, _REASON_LENGTH, _PAGES, _LENT_FROM_NS, _LENT_UNTIL_NS = range(8)
_REASON_AT: Final = 64
_MOST_REASON_BYTES: Final = 1000
_PRESSES_AT: Final = 256  # [words]: one for each page, 48 bits its key, 16 bits its latest press
_MOST_PAGES: Final = 64
_PRESS: Final = re.compile(r"([0-9a-f]{12})-([1-9][0-9]{0,4})")
_MOST_PRESSES: Final = 0xFFFF


class EmergencyStop:
    """The latch of one installation.

    Made by `create` in the installation's run directory, by `attach` in every other process.
    Times are CLOCK_MONOTONIC [s], the same for all processes of a machine.
    """

    def __init__(self, path: Path, memory: mmap.mmap) -> None:
        self.path = path
        self._memory = memory
        self._bytes = memoryview(memory)
        # Items of a cast memoryview are stored whole; struct.pack_into would store them byte by byte.
        self._words = self._bytes.cast("Q")

    @classmethod
    def create(cls, directory: Path) -> Self:
        """A new latch, not set, without a heartbeat. Raises InstallationError if it cannot be made."""
        path = directory / FILE_NAME
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.posix_fallocate(file, 0, _BYTES)
                latch = cls(path, mmap.mmap(file, _BYTES))
            finally:
                os.close(file)
        except OSError as error:
            raise InstallationError(
                f"the emergency stop cannot be set up as {path}: {error}; nothing may move without it"
            ) from error
        latch._words[_MAGIC_WORD] = _MAGIC
        return latch

    @classmethod
    def attach(cls, directory: Path) -> Self:
        """The latch of a running installation. Raises InstallationError if there is none."""
        path = directory / FILE_NAME
        try:
            file = os.open(path, os.O_RDWR)
            try:
                if os.fstat(file).st_size != _BYTES:
                    raise InstallationError(f"{path} is not an emergency stop: it has the wrong size")
                latch = cls(path, mmap.mmap(file, _BYTES))
            finally:
                os.close(file)
        except OSError as error:
            raise InstallationError(
                f"there is no emergency stop at {path}: {error}; is the installation running?"
            ) from error
        if latch._words[_MAGIC_WORD] != _MAGIC:
            latch.close()
            raise InstallationError(f"{path} is not an emergency stop of this version")
        return latch

    @property
    def is_latched(self) -> bool:
        """Whether everything has to stand still."""
        return self._words[_STOPPED] != self._words[_RESET]

    @property
    def token(self) -> int:
        """Names the stop that is latched, for its reset; 0 if none is."""
        token = self._words[_STOPPED]
        return token if token != self._words[_RESET] else 0

    @property
    def latest(self) -> int:
        """Names the latest stop, reset or not; 0 before the first: who looks at times only misses none."""
        return self._words[_STOPPED]

    @property
    def reason(self) -> str:
        """Why the latest stop was made."""
        length = min(self._words[_REASON_LENGTH], _MOST_REASON_BYTES)
        return bytes(self._bytes[_REASON_AT : _REASON_AT + length]).decode(errors="replace")

    def latch(self, reason: str) -> None:
        """Stop everything, now and until a reset. May be called by anybody, at any time, again and again."""
        try:  # the reason first, for whoever reads it with the token; but no reason must cost the stop
            text = reason.encode(errors="replace")[:_MOST_REASON_BYTES]
            self._bytes[_REASON_AT : _REASON_AT + len(text)] = text
            self._words[_REASON_LENGTH] = len(text)
        finally:
            self._words[_STOPPED] = secrets.randbits(63) | 1

    def latch_once(self, press: str, reason: str) -> bool:
        """Stop everything, if this press has not done so before; whether the latch is set now.

        press: a page's random key, 12 hexadecimal digits, and the press's number, counted from 1: "1f…-3".
            What is not of this form has no duplicates: it sets the latch each time.
        """
        if not self.has_had(press):
            self.latch(reason)
            self.remember(press)  # after: who dies in between has it sent, and latched, once more
        return self.is_latched

    def has_had(self, press: str) -> bool:
        """Whether this press, or a later one of the same page, has set the latch, reset since or not."""
        number = _number_of(press)
        if not number:
            return False
        return any(each >> 16 == number >> 16 and each >= number for each in self._presses)

    def remember(self, press: str) -> None:
        """This press has set the latch."""
        number = _number_of(press)
        if not number:
            return
        pages = [each >> 16 for each in self._presses]
        if number >> 16 in pages:
            place = pages.index(number >> 16)
        else:
            place = self._words[_PAGES] % _MOST_PAGES
            self._words[_PAGES] += 1
        self._words[_PRESSES_AT + place] = number  # whole: two who write at once lose one, and mix none

    def reset(self, token: int) -> bool:
        """Take back the stop of this token, after an operator has confirmed. Moves nothing.

        False if another stop has been made since: that one stays.
        """
        if token != self._words[_STOPPED]:
            return False
        self._words[_RESET] = token
        return not self.is_latched

    def beat(self, now_s: float) -> None:
        """The supervisor is alive."""
        self._words[_BEAT_NS] = max(1, int(now_s * 1e9))

    def heartbeat_age_s(self, now_s: float) -> float:
        """How long ago the supervisor last said that it is alive [s]; infinite if it never did."""
        beat_ns = self._words[_BEAT_NS]
        return now_s - beat_ns / 1e9 if beat_ns else float("inf")

    def lend(self, since_s: float, now_s: float) -> None:
        """A plugin has held the supervisor's loop since then, and others may go on (`loop_watchdog`)."""
        self._words[_LENT_FROM_NS] = max(1, int(since_s * 1e9))
        self._words[_LENT_UNTIL_NS] = max(1, int(now_s * 1e9))

    @property
    def lent(self) -> tuple[float, float]:
        """From when to when the heartbeat was lent last [s]: what is said again and again could not be then.

        Nothing longer than `MOST_LENT_S` counts, whoever wrote it.
        """
        from_s, until_s = self._words[_LENT_FROM_NS] / 1e9, self._words[_LENT_UNTIL_NS] / 1e9
        return (from_s, until_s) if 0.0 < until_s - from_s <= MOST_LENT_S else (0.0, 0.0)

    def motion_age_s(self, now_s: float) -> float:
        """The heartbeat's age for whoever moves: one that was lent counts, soon after the last real one."""
        age_s, until_s = self.heartbeat_age_s(now_s), self.lent[1]
        is_soon = 0.0 < until_s - (now_s - age_s) <= MOST_LENT_S
        return now_s - until_s if is_soon else age_s

    @property
    def _presses(self) -> list[int]:
        return self._words[_PRESSES_AT : _PRESSES_AT + _MOST_PAGES].tolist()

    def close(self) -> None:
        """Unmap it. The latch stays as it is for everybody else. Idempotent."""
        self._words.release()
        self._bytes.release()
        self._memory.close()

    def remove(self) -> None:
        """The installation has ended in order."""
        self.close()
        self.path.unlink(missing_ok=True)


def is_press(press: str) -> bool:
    """Whether this is the id of a page's press: what is none has no duplicates."""
    return _number_of(press) > 0


def _number_of(press: str) -> int:
    """A page's key and its press's number as one word; 0 if it is no such id."""
    found = _PRESS.fullmatch(press)
    if found is None or int(found[2]) > _MOST_PRESSES:
        return 0
    return int(found[1], 16) << 16 | int(found[2])
