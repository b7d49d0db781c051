"""The column "recogniser": what is said at a microphone, with its end-of-speech detector, in words."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from framework.processes.spec import ProcessSpec
from framework.testing.children import Dies, Script
from managers.speech_manager import SpeechManager, SpeechPrograms
from resources.types.sensors import AudioFeed
from resources.types.speech import (
    SpokenModel,
    SpokenName,
    TranscriptFeed,
    Transcripts,
    UtteranceFeed,
)
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage
from tests.faults.sub_resource import RaisesOnStop
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill

BACK_S = 0.2 * 1.2 + START_S
"""The first back-off with its jitter, and the start [s]."""

_DETECTOR, _RECOGNISER, _MODEL = "detector mast", "recogniser mast", "language"


class Recognising(Subject):
    """The recogniser of one microphone; it is started again, and what was said meanwhile is in the ring.

    In use the fault is the recogniser's own; where it starts, also its detector's. Nobody takes its place.
    """

    name = "recogniser"
    stops_within_s = 2.0  # a second for SIGINT, one for SIGTERM
    starts_s = 3 * START_S  # the detector, the language, the recogniser
    is_abandoned = False
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), 2 * START_S + 0.2 + NOTICE_S, words="no such model"),
        "start hangs": Outcome((), 2 * START_S + 2.0 + NOTICE_S, words="not ready within 2 s"),
        "dies in use": Outcome(("WARNING", "OK"), words="was restarted"),
        "no heartbeat": Outcome(("WARNING", "OK"), 0.25 + NOTICE_S, words="was restarted"),
        "stale stream": Outcome(("WARNING", "OK"), 1.1 + NOTICE_S, words="was restarted"),
        "dependency fails while its parent starts": Outcome((), 2.0, words="SIGKILL"),
        "flapping": Outcome(
            (*(("WARNING", "OK") * 2), *(("WARNING", "WARNING") * 3), "WARNING"), words="say retry now"
        ),
        "manager killed": Outcome(("FATAL",), words="speech_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        audio = AudioFeed("mast", StreamHandle("mast", "/nowhere/mast.ring", StreamFormat.AUDIO))
        self.request = Transcripts(audio)
        self._utterances = UtteranceFeed(audio, _report("utterances"))
        self._restarts = True

    async def open(self) -> None:
        await self._enter_manager()
        await self.mend()

    async def _enter_manager(self) -> None:
        async def names() -> tuple[SpokenName, ...]:
            return ()

        def no_page(request: object) -> AudioFeed:
            raise NotImplementedError

        stage = self.stage
        self._speech: SpeechManager = await stage.enter(
            SpeechManager(
                stage.transport,
                stage.folder,
                SpeechPrograms(
                    ear=lambda feed: ProcessSpec(("ear",), "ear"),
                    recording=lambda path, name: ProcessSpec(("recording",), "recording"),
                    endpoint=lambda feed, since_s: self._spec(_DETECTOR),
                    recogniser=lambda feed, model, is_addressed: self._spec(_RECOGNISER),
                    model=lambda: ProcessSpec((_MODEL,), _MODEL, restart=None),
                ),
                names,
                no_page,
                clock=stage.clock,
                monotonic_s=stage.clock.now_s,
            )
        )

    def _spec(self, name: str) -> ProcessSpec:
        spec = ProcessSpec((name,), name, start_timeout_s=2.0, stale_after_s=1.0)
        return spec if self._restarts else msgspec.structs.replace(spec, restart=None)

    async def begin(self, fault: str) -> None:
        launcher = self.stage.launcher
        match fault:
            case "start raises":
                last_words = ("no such model",)
                launcher.set_script(_RECOGNISER, Script(0.2, dies_before_ready=True, last_words=last_words))
            case "start hangs":
                launcher.set_script(_RECOGNISER, Script(None))
            case "dies in use":
                self._if_alive(lambda: launcher.life(_RECOGNISER).die())
            case "no heartbeat":
                self._if_alive(lambda: launcher.life(_RECOGNISER).hang())
            case "stale stream":
                self._if_alive(lambda: launcher.life(_RECOGNISER).go_stale())
            case "stop raises":
                self.stage.patch.setattr(self.stage.processes, "_launcher", RaisesOnStop(launcher))
            case "stop hangs":
                launcher.set_script(_RECOGNISER, self._script(_RECOGNISER, leaves_on=signal.SIGKILL))
            case "dependency fails while its parent starts":
                self._restarts = False
                launcher.set_script(_DETECTOR, self._script(_DETECTOR, acts=(Dies(0.3),)))
            case "flapping":
                launcher.set_script(_RECOGNISER, self._script(_RECOGNISER, 0.1, acts=(Dies(0.1),)))
                self._if_alive(lambda: launcher.life(_RECOGNISER).die())
            case _:
                raise NotImplementedError(fault)

    def _script(self, name: str, starts_s: float = START_S, **more: Any) -> Script:
        handles = {
            _DETECTOR: self._utterances,
            _RECOGNISER: TranscriptFeed(self._utterances, _report("transcripts")),
            _MODEL: SpokenModel("/nowhere/it.arpa", ""),
        }
        return Script(starts_s, msgspec.json.encode(handles[name]), **more)

    async def mend(self) -> None:
        self._restarts = True
        for name in (_DETECTOR, _RECOGNISER, _MODEL):
            self.stage.launcher.set_script(name, self._script(name))
        if self._speech.registrar not in self.stage.registrars:
            await self._enter_manager()
        for resource in self.stage.processes.registrar.snapshot().resources:
            if resource.state == "needs a human":
                self.stage.processes.registrar.retry_now(resource.id)

    async def kill_manager(self) -> str:
        kill(self.stage, self._speech.registrar)
        return "speech_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return bool(after == before)  # it is started again, and goes on in the same place

    def check(self, fault: str) -> None:
        if fault in ("dies in use", "no heartbeat", "stale stream"):
            assert len(self.stage.launcher.lives[_RECOGNISER]) == 2
            assert len(self.stage.launcher.lives[_DETECTOR]) == 1

    def _if_alive(self, hurt: Callable[[], None]) -> None:
        if _RECOGNISER in self.stage.launcher.running:
            hurt()


def _report(name: str) -> StreamHandle:
    return StreamHandle(name, f"/nowhere/{name}.ring", StreamFormat.REPORT)
