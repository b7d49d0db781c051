"""The speech manager: what people say to the robot, from a microphone to words.

It provides `Speech` (what is said, whichever microphone hears it), `Transcripts` (the recogniser of a
microphone), `Utterances` (its end-of-speech detector), `Recording` (a file that stands in for a microphone),
`PageMicrophone` (a page's, with its ear; its sound comes through the main process) and `LanguageModel` (what
can be said here). Each but the last two is a process of its own; the language model is made by one that ends
when it is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import PilothouseError
from framework.processes.spec import ProcessSpec
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.status import Severity, Status
from framework.transport.interface import Transport
from managers.ears import EarFor, must_listen, with_ear
from resources.children.starting import handed_over, started
from resources.types.processes import Process
from resources.types.sensors import AudioFeed, Microphone
from resources.types.speech import (
    LanguageModel,
    PageMicrophone,
    Recording,
    Speech,
    SpokenModel,
    SpokenName,
    TranscriptFeed,
    Transcripts,
    UtteranceFeed,
    Utterances,
)

NAMES_FILE: Final = "spoken_names.json"

NAMES_LOOK_S: Final = 0.1
"""So often it is looked whether the known names have changed, while somebody listens [s]."""

MODEL_WITHIN_S: Final = 200.0
"""So long it may take to make a language model, on a slow machine that has none yet [s]."""

TRANSCRIPTS_WITHIN_S: Final = 240.0
SPEECH_WITHIN_S: Final = 300.0


class SpeechPrograms(msgspec.Struct, frozen=True):
    """The process of each part of it. recording: of a path and a name; endpoint: of sound that counts from a
    moment on, CLOCK_MONOTONIC [s]."""

    ear: EarFor
    recording: Callable[[str, str], ProcessSpec]
    endpoint: Callable[[AudioFeed, float], ProcessSpec]
    recogniser: Callable[[UtteranceFeed, SpokenModel], ProcessSpec]
    model: Callable[[], ProcessSpec]


class SpeechManager:
    """Provides what is said.

    Args:
        directory: the run directory, where streams and the known names are written.
        names: the names that are known now; the very same tuple as long as they have not changed.
        page_sound: the sound of a page's microphone; raises ResourceUnavailable if it is not open.
        monotonic_s: reads CLOCK_MONOTONIC, with which sound is stamped.
    """

    def __init__(
        self,
        transport: Transport,
        directory: Path,
        programs: SpeechPrograms,
        names: Callable[[], Awaitable[tuple[SpokenName, ...]]],
        page_sound: Callable[[PageMicrophone], AudioFeed],
        *,
        clock: Clock | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._programs = programs
        self._names = names
        self._page_sound = page_sound
        self._clock = clock or LoopClock()
        self._monotonic_s = monotonic_s
        self._recordings = 0
        self.registrar = ResourceRegistrar("speech_manager", transport, clock=clock)
        self.registrar.provides(Recording, start_timeout_s=30.0, stop_timeout_s=10.0)(self._recording)
        self.registrar.provides(PageMicrophone, start_timeout_s=30.0, stop_timeout_s=10.0)(
            self._page_microphone
        )
        self.registrar.provides(Utterances, start_timeout_s=30.0, stop_timeout_s=10.0)(self._utterances)
        self.registrar.provides(LanguageModel, start_timeout_s=MODEL_WITHIN_S, stop_timeout_s=10.0)(
            self._model
        )
        self.registrar.provides(Transcripts, start_timeout_s=TRANSCRIPTS_WITHIN_S, stop_timeout_s=15.0)(
            self._transcripts
        )
        self.registrar.provides(Speech, start_timeout_s=SPEECH_WITHIN_S, stop_timeout_s=20.0)(self._speech)

    async def __aenter__(self) -> SpeechManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    @asynccontextmanager
    async def _recording(self, request: Recording, supply: Supply) -> AsyncIterator[AudioFeed]:
        ear_for = must_listen(str(request), self._programs.ear)
        self._recordings += 1
        spec = self._programs.recording(request.path, f"recording_{self._recordings}")
        async with (
            started(self.registrar, spec, AudioFeed) as feed,
            with_ear(str(request), feed, ear_for, supply),
        ):
            yield feed

    @asynccontextmanager
    async def _page_microphone(self, request: PageMicrophone, supply: Supply) -> AsyncIterator[AudioFeed]:
        ear_for = must_listen(str(request), self._programs.ear)
        feed = self._page_sound(request)
        async with with_ear(str(request), feed, ear_for, supply):
            yield feed

    @asynccontextmanager
    async def _utterances(self, request: Utterances) -> AsyncIterator[UtteranceFeed]:
        since_s = request.audio.since_s
        spec = self._programs.endpoint(request.audio, self._monotonic_s() if since_s is None else since_s)
        async with started(self.registrar, spec, UtteranceFeed) as feed:
            yield feed

    @asynccontextmanager
    async def _transcripts(self, request: Transcripts) -> AsyncIterator[TranscriptFeed]:
        async with (
            self.registrar.request(Utterances(request.audio)) as utterances,
            self.registrar.request(LanguageModel(), timeout_s=MODEL_WITHIN_S) as model,
        ):
            spec = self._programs.recogniser(utterances.value, model.value)
            async with started(self.registrar, spec, TranscriptFeed) as feed:
                yield feed

    @asynccontextmanager
    async def _model(self, request: LanguageModel, supply: Supply) -> AsyncIterator[SpokenModel]:
        async with self.registrar.request(Process(self._programs.model())) as making:
            news = making.statuses()
            while not making.value.payload:  # it makes it; when it has, it says so by an update
                await anext(news)
            model = handed_over(making, SpokenModel)
        file = self._directory / NAMES_FILE
        written = await self._names()
        _write(file, written)

        async def keep_up() -> None:
            nonlocal written
            while True:
                await self._clock.sleep(NAMES_LOOK_S)
                now = await self._names()
                if now is not written:
                    written = now
                    try:
                        _write(file, now)
                    except OSError as error:
                        words = f"what has become known cannot be said yet: {file}: {error.strerror}"
                        supply.report(Severity.WARNING, words)

        keeping = asyncio.create_task(keep_up(), name="the names that can be said")
        try:
            yield msgspec.structs.replace(model, names=str(file))
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            file.unlink(missing_ok=True)

    @asynccontextmanager
    async def _speech(self, request: Speech, supply: Supply) -> AsyncIterator[TranscriptFeed]:
        recording = Recording(request.recording) if request.recording else None
        source = request.page or recording or Microphone(request.audience)
        async with AsyncExitStack() as stack:
            if request.page is not None:  # is spoken into already, and must have its ear
                await stack.enter_async_context(self.registrar.request(request.page))
            # First what can be said: nobody is heard whom nobody would understand in time.
            await stack.enter_async_context(self.registrar.request(LanguageModel(), timeout_s=MODEL_WITHIN_S))
            following = _Following(source, supply)
            yield await stack.enter_async_context(following.running())


class _Following:
    """A recogniser at whichever microphone is heard now; whoever listens is told of another by an update."""

    def __init__(self, source: Recording | PageMicrophone | Microphone, supply: Supply) -> None:
        self._source = source
        self._supply = supply
        self._first: asyncio.Future[TranscriptFeed] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[TranscriptFeed]:
        """The first feed. Raises what refuses it."""
        keeper = asyncio.create_task(self._keep(), name=f"listening by {self._source}")
        try:
            yield await self._first
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)

    async def _keep(self) -> None:
        try:
            async with self._supply.request(self._source, on_failure="tell") as heard:
                because: Status | None = None
                while True:
                    because = await self._at(heard, because)
                    if because is None:
                        return
        except PilothouseError as error:
            self._gives_up(error)

    async def _at(self, heard: Lease, because: Status | None) -> Status | None:
        """Listen at the present microphone. Why another one is heard now; None if none is."""
        audio = heard.value
        changes = heard.statuses()
        async with self._supply.request(
            Transcripts(audio), on_failure="tell", timeout_s=TRANSCRIPTS_WITHIN_S
        ) as written:
            if not self._first.done():
                self._first.set_result(written.value)
            else:
                words = f"what is said is heard by {audio.where or audio.device} now"
                self._supply.update(written.value, words, because=because)
            failed = asyncio.ensure_future(written.failed())
            changed = asyncio.ensure_future(_until(changes, lambda: heard.value != audio))
            gone = asyncio.ensure_future(heard.failed())
            try:
                await asyncio.wait({failed, changed, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    self._supply.fail(gone.result().message)
                    return None
                if changed.done() and changed.result() is not None:
                    return changed.result()
                self._supply.fail(failed.result().message)
                return None
            finally:
                for each in (failed, changed, gone):
                    each.cancel()
                await asyncio.gather(failed, changed, gone, return_exceptions=True)

    def _gives_up(self, error: PilothouseError) -> None:
        if not self._first.done():
            self._first.set_exception(error)
        else:
            self._supply.fail(error.why)


async def _until(statuses: AsyncIterator[Status], holds: Callable[[], bool]) -> Status | None:
    """The status with which it begins to hold; None if they end before."""
    async for status in statuses:
        if holds():
            return status
    return None


def _write(file: Path, names: tuple[SpokenName, ...]) -> None:
    """Whole or not at all, for whoever reads it meanwhile."""
    new = file.with_suffix(".new")
    new.write_bytes(msgspec.json.encode(names))
    new.replace(file)
