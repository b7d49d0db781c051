"""The column "hands": what the hands of a source show, read by a process of its own."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar

import msgspec

from framework.processes.spec import ProcessSpec
from framework.testing.children import Dies, Script
from managers.gesture_manager import GestureManager
from resources.gestures.specs import RESTARTS
from resources.types.gestures import Gestures, GesturesFeed, HandsFeed
from resources.types.sensors import CameraFeed
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage
from tests.faults.sub_resource import RaisesOnStop
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill

PAGE = "console page 1"
_READER = "reader"


def _no_tracker(source: str, stream: str, camera: CameraFeed) -> ProcessSpec:
    raise AssertionError(f"{source} is a page's, and was looked for before {camera.device}")


class HandsShown(Subject):
    """The gestures of a page's hands. In use the fault is the reader's; at the start also its source's.

    A reader is started again; when it cannot be, or its source is off, whoever shows their hands is told.
    """

    name = "hands"
    stops_within_s = 2.0
    is_abandoned = False
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), 0.2 + NOTICE_S, words="no such reader"),
        "start hangs": Outcome((), 2.0 + NOTICE_S, words="not ready within 2 s"),
        "dies in use": Outcome(("WARNING", "OK"), words="was restarted"),
        "no heartbeat": Outcome(("WARNING", "OK"), 0.25 + NOTICE_S, words="was restarted"),
        "stale stream": Outcome(("WARNING", "OK"), 1.1 + NOTICE_S, words="was restarted"),
        "dependency fails while its parent starts": Outcome((), 0.2 + NOTICE_S, words="has gone"),
        "flapping": Outcome(
            (*(("WARNING", "OK") * 2), *(("WARNING", "WARNING") * 3), "WARNING", "FATAL"),
            words="nobody reads the hands",
        ),
        "manager killed": Outcome(("FATAL",), words="gesture_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.request = Gestures(PAGE)
        self._page = ExitStack()

    async def open(self) -> None:
        await self._enter_manager()
        await self.mend()

    async def _enter_manager(self) -> None:
        stage = self.stage
        self._gestures: GestureManager = await stage.enter(
            GestureManager(stage.transport, stage.folder, self._reader, _no_tracker, {}, clock=stage.clock)
        )
        self._is_on = False

    def _reader(self, feed: HandsFeed) -> ProcessSpec:
        return ProcessSpec((_READER,), _READER, start_timeout_s=2.0, stale_after_s=1.0, restart=RESTARTS)

    async def begin(self, fault: str) -> None:
        launcher = self.stage.launcher
        match fault:
            case "start raises":
                last_words = ("no such reader",)
                launcher.set_script(_READER, Script(0.2, dies_before_ready=True, last_words=last_words))
            case "start hangs":
                launcher.set_script(_READER, Script(None))
            case "dies in use":
                self._if_alive(lambda: launcher.life(_READER).die())
            case "no heartbeat":
                self._if_alive(lambda: launcher.life(_READER).hang())
            case "stale stream":
                self._if_alive(lambda: launcher.life(_READER).go_stale())
            case "stop raises":
                self.stage.patch.setattr(self.stage.processes, "_launcher", RaisesOnStop(launcher))
            case "stop hangs":
                launcher.set_script(_READER, self._script(leaves_on=signal.SIGKILL))
            case "dependency fails while its parent starts":
                asyncio.get_running_loop().call_later(0.2, self._switch_off)
            case "flapping":
                launcher.set_script(_READER, self._script(0.1, acts=(Dies(0.1),)))
                self._if_alive(lambda: launcher.life(_READER).die())
            case _:
                raise NotImplementedError(fault)

    def _script(self, starts_s: float = START_S, **more: Any) -> Script:
        stream = StreamHandle("hands_1", "/nowhere/hands_1.ring", StreamFormat.REPORT)
        feed = GesturesFeed(HandsFeed(PAGE, stream, None), msgspec.structs.replace(stream, name="gestures"))
        return Script(starts_s, msgspec.json.encode(feed), **more)

    def _switch_off(self) -> None:
        self._page.close()
        self._is_on = False

    async def mend(self) -> None:
        self.stage.launcher.set_script(_READER, self._script())
        if self._gestures.registrar not in self.stage.registrars:
            self._switch_off()
            await self._enter_manager()
        if not self._is_on:
            self._page.enter_context(self._gestures.source(PAGE, None))
            self._is_on = True

    async def kill_manager(self) -> str:
        kill(self.stage, self._gestures.registrar)
        return "gesture_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return bool(after == before)  # it is started again, and goes on in the same place

    def check(self, fault: str) -> None:
        if fault in ("dies in use", "no heartbeat", "stale stream"):
            assert len(self.stage.launcher.lives[_READER]) == 2

    async def close(self) -> None:
        """Its page goes."""
        self._switch_off()

    def _if_alive(self, hurt: Callable[[], None]) -> None:
        if _READER in self.stage.launcher.running:
            hurt()
