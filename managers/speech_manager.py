"""The speech manager: what people say to the robot, from a microphone to words.

It provides `Speech` (what is said, whichever microphone hears it), `Transcripts` (the recogniser of a
microphone), `Utterances` (its end-of-speech detector), `Recording` (a file that stands in for a microphone),
`PageMicrophone` (a page's, with its ear; its sound comes through the main process) and `LanguageModel` (what
can be said here). Each but the last two is a process of its own; the language model is made by one that ends
when it is made.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import PilothouseError, ResourceFailed, ResourceUnavailable
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

log = logging.getLogger("pilothouse.speech")

NAMES_FILE: Final = "spoken_names.json"

NAMES_LOOK_S: Final = 0.1
"""So often it is looked whether the known names have changed, while somebody listens [s]."""

MODEL_WITHIN_S: Final = 200.0
"""So long it may take to make a language model, on a slow machine that has none yet [s]."""

LOOK_S: Final = 0.2
"""Where no microphone of the robot is heard, it is looked so often whether somebody talks at a page [s]."""

TRIED_EVERY_S: Final = 2.0
"""And so often whether one of the robot works again [s]."""

HOLD_TO_TALK: Final = (
    "no microphone of the robot is heard any more: hold to talk at a page until one is; "
    "nothing said elsewhere is heard, no stop either"
)

TRANSCRIPTS_WITHIN_S: Final = 240.0
SPEECH_WITHIN_S: Final = 300.0


class SpeechPrograms(msgspec.Struct, frozen=True):
    """The process of each part of it. recording: of a path and a name; endpoint: of sound that counts from a
    moment on, CLOCK_MONOTONIC [s]; recogniser: of whether it needs no wake phrase, too."""

    ear: EarFor
    recording: Callable[[str, str], ProcessSpec]
    endpoint: Callable[[AudioFeed, float], ProcessSpec]
    recogniser: Callable[[UtteranceFeed, SpokenModel, bool], ProcessSpec]
    model: Callable[[], ProcessSpec]


class SpeechManager:
    """Provides what is said.

    Args:
        directory: the run directory, where streams and the known names are written.
        names: the names that are known now; the very same tuple as long as they have not changed.
        page_sound: the sound of a page's microphone; raises ResourceUnavailable if it is not open.
        talked_into: the page's microphone that somebody has opened last, if any is open.
        monotonic_s: reads CLOCK_MONOTONIC, with which sound is stamped.
    """

    def __init__(
        self,
        transport: Transport,
        directory: Path,
        programs: SpeechPrograms,
        names: Callable[[], Awaitable[tuple[SpokenName, ...]]],
        page_sound: Callable[[PageMicrophone], AudioFeed],
        talked_into: Callable[[], PageMicrophone | None] = lambda: None,
        *,
        clock: Clock | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._programs = programs
        self._names = names
        self._page_sound = page_sound
        self._talked_into = talked_into
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
        since_s = self._monotonic_s()  # all of it counts, however long the ear takes
        spec = self._programs.recording(request.path, f"recording_{self._recordings}")
        async with (
            started(self.registrar, spec, AudioFeed) as feed,
            with_ear(str(request), feed, ear_for, supply),
        ):
            yield msgspec.structs.replace(feed, since_s=since_s)

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
            spec = self._programs.recogniser(utterances.value, model.value, request.is_addressed)
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
            stands_in = self._talked_into if isinstance(source, Microphone) and not source.mount else None
            following = _Following(source, supply, self._clock, not request.needs_wake, stands_in)
            yield await stack.enter_async_context(following.running())


class _Following:
    """A recogniser at whichever microphone is heard now; whoever listens is told of another by an update.

    stands_in: the page's microphone that is heard when the last one of the robot has failed, until one works
    again; None: nobody's is, and that is the end.
    """

    def __init__(
        self,
        source: Recording | PageMicrophone | Microphone,
        supply: Supply,
        clock: Clock,
        is_addressed: bool,
        stands_in: Callable[[], PageMicrophone | None] | None,
    ) -> None:
        self._source = source
        self._supply = supply
        self._clock = clock
        self._is_addressed = is_addressed
        self._stands_in = stands_in
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
                gone = await self._while_heard(heard, None)
            while self._stands_in is not None:
                self._supply.report(Severity.WARNING, f"{gone.message}; {HOLD_TO_TALK}")
                gone = await self._without(self._stands_in, gone)
            self._supply.fail(gone.message)
        except PilothouseError as error:
            self._gives_up(error)

    async def _without(self, stands_in: Callable[[], PageMicrophone | None], because: Status) -> Status:
        """No microphone of the robot is heard: pages' are, as long as that is so. Why it is so once more."""
        page: asyncio.Task[bool] | None = None
        page_s, next_s = self._clock.now_s(), self._clock.now_s() + TRIED_EVERY_S
        try:
            while True:
                await self._clock.sleep(LOOK_S)
                if page is not None and page.done():
                    page_s = self._clock.now_s() + (0.0 if page.result() else TRIED_EVERY_S)
                    page = None
                if page is None and self._clock.now_s() >= page_s and (held := stands_in()) is not None:
                    page = asyncio.create_task(self._at_page(held, because))
                if self._clock.now_s() < next_s:
                    continue
                next_s = self._clock.now_s() + TRIED_EVERY_S
                async with AsyncExitStack() as stack:
                    try:
                        request = self._supply.request(self._source, on_failure="tell")
                        heard = await stack.enter_async_context(request)
                    except ResourceUnavailable:
                        continue
                    await _cancelled(page)
                    page = None
                    try:
                        return await self._while_heard(heard, None)
                    except (
                        PilothouseError
                    ) as error:  # its recogniser could not start: there will be another try
                        self._supply.report(Severity.WARNING, f"{error.why}; {HOLD_TO_TALK}")
        finally:
            await _cancelled(page)

    async def _at_page(self, page: PageMicrophone, because: Status) -> bool:
        """As long as it is open; whether it was heard."""
        try:
            async with self._supply.request(page, on_failure="tell") as heard:
                await self._while_heard(heard, because, is_addressed=True)
        except PilothouseError as error:  # whoever talks there is told by their page
            log.info("%s does not stand in: %s", page, error.why)
            return False
        return True

    async def _while_heard(
        self, heard: Lease, because: Status | None, *, is_addressed: bool | None = None
    ) -> Status:
        """Listen at whatever that gives. Why it gives nothing any more. Raises PilothouseError."""
        while True:
            audio = heard.value
            changes = heard.statuses()
            wanted = Transcripts(audio, self._is_addressed if is_addressed is None else is_addressed)
            async with self._supply.request(
                wanted, on_failure="tell", timeout_s=TRANSCRIPTS_WITHIN_S
            ) as written:
                if not self._first.done():
                    self._first.set_result(written.value)
                else:
                    words = f"what is said is heard by {audio.where or audio.device} now"
                    self._supply.update(written.value, words, because=because)
                failed = asyncio.ensure_future(written.failed())
                changed = asyncio.ensure_future(_until(changes, lambda: heard.value != audio))  # noqa: B023
                gone = asyncio.ensure_future(heard.failed())
                try:
                    await asyncio.wait({failed, changed, gone}, return_when=asyncio.FIRST_COMPLETED)
                    if gone.done():
                        return gone.result()
                    if not changed.done() or changed.result() is None:
                        raise ResourceFailed(failed.result())
                    because = changed.result()
                finally:
                    for each in (failed, changed, gone):
                        each.cancel()
                    await asyncio.gather(failed, changed, gone, return_exceptions=True)

    def _gives_up(self, error: PilothouseError) -> None:
        if not self._first.done():
            self._first.set_exception(error)
        else:
            self._supply.fail(error.why)


async def _cancelled(task: asyncio.Task[bool] | None) -> None:
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


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
