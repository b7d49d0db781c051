"""The grammar's recogniser in a process of its own, beside whoever asks it.

pocketsphinx keeps the interpreter's lock for as long as it searches, four tenths of a second an instruction,
in which nothing else of its process computes. Apart, the free recogniser uses that time. The process belongs
to the one that started it, ends with its pipe, and whatever goes wrong in it ends both: the recogniser's
process is started anew as a whole.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from struct import Struct
from typing import IO, Final, assert_never

import msgspec
import numpy as np

from framework.errors import SoundError
from resources.audio.blocks import Samples
from resources.speech.dictionary import Words
from resources.speech.recognising import Recognised
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage

_LENGTH: Final = Struct("<I")
_MOST_BYTES: Final = 8 << 20  # no utterance, nor a language of names, is as long
_ENDS_WITHIN_S: Final = 2.0


class _Opens(msgspec.Struct, frozen=True, tag=True):
    language: SpokenLanguage


class _Knows(msgspec.Struct, frozen=True, tag=True):
    names: Mapping[str, tuple[Words, ...]]


class _Whole(msgspec.Struct, frozen=True, tag=True):
    sound: bytes


class _Begins(msgspec.Struct, frozen=True, tag=True):
    pass


class _GoesOn(msgspec.Struct, frozen=True, tag=True):
    sound: bytes


class _Forgets(msgspec.Struct, frozen=True, tag=True):
    pass


_Asked = _Opens | _Knows | _Whole | _Begins | _GoesOn | _Forgets


class _Told(msgspec.Struct, frozen=True):
    """An answer. cpu_s: of the processor, for it [s]."""

    recognised: Recognised | None = None
    so_far: str = ""
    trouble: str = ""
    cpu_s: float = 0.0


_encode: Final = msgspec.msgpack.Encoder().encode
_asked: Final = msgspec.msgpack.Decoder[_Asked](_Asked).decode
_told: Final = msgspec.msgpack.Decoder(_Told).decode


class ApartRecogniser:
    """As `SphinxRecogniser`, in another process. One thread at a time may ask it. Close it.

    cpu_s: of the processor, for all that it was asked so far [s].

    Raises SoundError if the model cannot be read.
    """

    def __init__(self, language: SpokenLanguage) -> None:
        self.cpu_s = 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asks, self._answers = self._process.stdin, self._process.stdout
        try:
            self._ask(_Opens(language))
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def look(self) -> None:
        """Whether its process is there, also while nobody speaks. Raises SoundError if it has ended."""
        if self._process.poll() is not None:
            raise self._ended()

    def knows(self, names: Mapping[str, tuple[Words, ...]]) -> None:
        """See `SphinxRecogniser`."""
        self._ask(_Knows(names))

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`."""
        return self._ask(_Whole(sound.tobytes())).recognised

    def begins(self) -> None:
        """See `Recogniser`."""
        self._ask(_Begins())

    def goes_on(self, sound: Samples) -> str:
        """See `Recogniser`."""
        return self._ask(_GoesOn(sound.tobytes())).so_far

    def forgets(self) -> None:
        """See `Recogniser`."""
        self._ask(_Forgets())

    def close(self) -> None:
        """End it; idempotent."""
        with suppress(OSError):  # what was not read any more
            self._asks.close()
        try:
            self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def _ask(self, what: _Asked) -> _Told:
        try:
            _write(self._asks, _encode(what))
            told = _told(_read(self._answers))
        except (OSError, EOFError) as error:
            raise self._ended() from error
        self.cpu_s += told.cpu_s
        if told.trouble:
            raise SoundError(told.trouble)
        return told

    def _ended(self) -> SoundError:
        return SoundError(
            f"the process of pocketsphinx ended (exit code {self._process.poll()}); it is started again with "
            "the recogniser"
        )


def _main() -> None:
    """Answer until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, for everybody: the pipe ends then
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else may write among the answers
    recogniser: SphinxRecogniser | None = None
    while True:
        try:
            asked = _asked(_read(sys.stdin.buffer))
        except EOFError:
            return
        began_s = time.process_time()
        try:
            if isinstance(asked, _Opens):
                recogniser, told = SphinxRecogniser(asked.language), _Told()
            else:
                assert recogniser is not None, "it is told first what can be said"
                told = _answered(asked, recogniser)
        except SoundError as error:
            told = _Told(trouble=str(error))
        _write(answers, _encode(msgspec.structs.replace(told, cpu_s=time.process_time() - began_s)))


def _answered(asked: _Knows | _Whole | _Begins | _GoesOn | _Forgets, recogniser: SphinxRecogniser) -> _Told:
    match asked:
        case _Whole(sound):
            return _Told(recognised=recogniser.recognised(np.frombuffer(sound, np.int16)))
        case _GoesOn(sound):
            return _Told(so_far=recogniser.goes_on(np.frombuffer(sound, np.int16)))
        case _Knows(names):
            recogniser.knows(names)
        case _Begins():
            recogniser.begins()
        case _Forgets():
            recogniser.forgets()
        case _:
            assert_never(asked)
    return _Told()


def _write(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    """Raises EOFError at its end, and for what nobody wrote here."""
    head = pipe.read(_LENGTH.size)
    count = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else _MOST_BYTES + 1
    content = pipe.read(count) if count <= _MOST_BYTES else b""
    if len(content) != count:
        raise EOFError
    return content


if __name__ == "__main__":
    _main()
