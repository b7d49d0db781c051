"""Scripted children on the virtual clock: the launcher's interface, without a process."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import (
    ChildEvent,
    ChildState,
    Failed,
    LossReason,
    Lost,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    StopHow,
    Stopped,
)
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.processes.supervise import Launcher
from framework.status import Severity
from framework.testing import run
from framework.testing.children import (
    Act,
    Dies,
    GoesStale,
    Hangs,
    Says,
    Script,
    ScriptedLauncher,
    ScriptedLife,
    TalksNonsense,
)

CAMERA = ProcessSpec(("camera",), "camera", stale_after_s=0.5)


def test_real_and_scripted_launchers_are_interchangeable() -> None:
    launchers: list[Launcher] = [ProcessLauncher(), ScriptedLauncher()]
    assert len(launchers) == 2


def test_a_healthy_child_costs_nothing_for_a_day_and_leaves_when_asked() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": Script(handle=b"h")})
        told: list[ChildEvent] = []
        async with launcher.launch(CAMERA, on_event=told.append) as child:
            assert child.handle == b"h"
            assert child.send(b"go")
            assert launcher.life("camera").commands == [b"go"]
            await asyncio.sleep(24 * 3600)
            assert child.state is ChildState.READY
        assert [type(each) for each in told] == [Ready, Stopped]
        assert not launcher.running

    run(main)


@pytest.mark.parametrize(
    ("act", "reason", "noticed_after_s"),
    [
        (Dies(at_s=1.0), LossReason.DIED, 0.0),
        (Dies(at_s=1.0, code=3), LossReason.DIED, 0.0),
        (Hangs(at_s=1.0), LossReason.HUNG, 0.25),
        (GoesStale(at_s=1.0), LossReason.STALE, 0.6),
        (TalksNonsense(at_s=1.0), LossReason.GARBAGE, 0.0),
        (TalksNonsense(at_s=1.0, times=17), LossReason.GARBAGE, 0.0),
        (Says(1.0, Severity.FATAL, "lens"), LossReason.GAVE_UP, 0.0),
    ],
)
def test_what_goes_wrong_is_noticed_in_time_and_mended(
    act: Act, reason: LossReason, noticed_after_s: float
) -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": [Script(acts=(act,)), Script()]})
        loop = asyncio.get_running_loop()
        async with launcher.launch(CAMERA) as child:
            ready_at = loop.time()
            lost = await child.lost()
            assert lost.reason is reason
            assert loop.time() - ready_at == pytest.approx(1.0 + noticed_after_s, abs=1e-6)
            await child.ready()
            assert loop.time() - ready_at < 1.0 + noticed_after_s + 0.24 + 0.05 + 0.01
            assert launcher.running == ("camera",)
        assert len(launcher.lives["camera"]) == 2
        assert not launcher.running

    run(main)


@pytest.mark.parametrize(
    ("hangs", "words"),
    [
        (ScriptedLife.hang, "no beat for 250 ms"),
        (ScriptedLife.block, "its main loop has not turned for"),
        (ScriptedLife.stand_still, "its process is stopped"),
    ],
)
def test_it_is_told_in_which_way_it_hangs(hangs: Callable[[ScriptedLife], None], words: str) -> None:
    async def main() -> None:
        launcher = ScriptedLauncher()
        async with launcher.launch(CAMERA) as child:
            hangs(launcher.life("camera"))
            lost = await child.lost()
            assert lost.reason is LossReason.HUNG
            assert words in lost.message
            await child.ready()

    run(main)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Script(dies_before_ready=True, last_words=("no device",)), r"exit code 1[\s\S]*no device"),
        (Script(ready_after_s=None), "not ready within 10 s"),
        (Script(cannot_start="its program is missing"), "its program is missing"),
    ],
)
def test_a_failed_start_raises_and_leaves_nothing(script: Script, words: str) -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": script})
        told: list[ChildEvent] = []
        with pytest.raises(ProcessStartFailed, match=words):
            async with launcher.launch(CAMERA, on_event=told.append):
                pass
        assert [type(each) for each in told] == [Failed]
        assert not launcher.running

    run(main)


def test_a_flapping_child_needs_a_human_and_retries_on_request() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": Script(acts=(Dies(at_s=0.01),))})
        told: list[ChildEvent] = []
        async with launcher.launch(CAMERA, on_event=told.append) as child:
            await asyncio.sleep(60)
            assert isinstance(told[-1], NeedsHuman)
            assert len(launcher.lives["camera"]) == 6
            launcher.set_script("camera", Script())
            child.retry_now()
            await child.ready()
            await asyncio.sleep(60)
            assert child.state is ChildState.READY

    run(main)


def test_retry_now_begins_counting_anew() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": Script(acts=(Dies(at_s=0.01),))})
        cried = asyncio.Event()

        def listen(told: ChildEvent) -> None:
            if isinstance(told, NeedsHuman):
                cried.set()

        async with launcher.launch(CAMERA, on_event=listen) as child:
            await cried.wait()
            cried.clear()
            child.retry_now()
            await cried.wait()
            assert len(launcher.lives["camera"]) == 6 + 5

    run(main)


def test_back_off_doubles_to_thirty_seconds_and_a_stable_time_sets_it_back() -> None:
    async def main() -> None:
        flapping = Script(ready_after_s=3.0, acts=(Dies(at_s=0.01),))
        launcher = ScriptedLauncher({"camera": [flapping] * 11 + [Script(acts=(Dies(at_s=11.0),)), Script()]})
        told: list[ChildEvent] = []
        async with launcher.launch(
            ProcessSpec(("camera",), "camera", restart=RestartPolicy(jitter=0.0)), on_event=told.append
        ) as child:
            await asyncio.sleep(500)
            assert child.state is ChildState.READY
        tries = [each.tries for each in told if isinstance(each, Retrying)]
        assert tries == [*range(1, 12), 1]

    run(main)


@pytest.mark.parametrize(
    ("leaves_on", "how", "after_s"),
    [
        (signal.SIGINT, StopHow.INTERRUPTED, 0.01),
        (signal.SIGTERM, StopHow.TERMINATED, 1.01),
        (signal.SIGKILL, StopHow.KILLED, 2.001),
        (None, StopHow.ABANDONED, 7.2),
    ],
)
def test_stopping_takes_as_long_as_the_child_is_stubborn(
    leaves_on: signal.Signals | None, how: StopHow, after_s: float
) -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": Script(leaves_on=leaves_on)})
        told: list[ChildEvent] = []
        async with launcher.launch(CAMERA, on_event=told.append):
            pass
        (stopped,) = [each for each in told if isinstance(each, Stopped)]
        assert stopped.how is how
        assert stopped.after_s == pytest.approx(after_s, abs=1e-3)

    run(main)


def test_one_that_survives_sigkill_needs_a_human_and_is_not_started_a_second_time() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"camera": Script(leaves_on=None, acts=(Hangs(at_s=1.0),))})
        told: list[ChildEvent] = []
        async with launcher.launch(CAMERA, on_event=told.append) as child:
            await asyncio.sleep(10)
            assert isinstance(told[-1], NeedsHuman)
            assert "device driver" in told[-1].what
            child.retry_now()
            assert len(launcher.lives["camera"]) == 1
            launcher.life("camera").die()  # somebody unplugged the device
            launcher.set_script("camera", Script())
            child.retry_now()
            await child.ready()

    run(main)


def test_statuses_pass_and_a_warning_of_nonsense_ends_nothing() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher()
        told: list[ChildEvent] = []
        async with launcher.launch(CAMERA, on_event=told.append) as child:
            launcher.life("camera").say(Severity.ERROR, "blurred")
            assert child.state is ChildState.DEGRADED
            launcher.life("camera").talk_nonsense(3)
            await asyncio.sleep(5)
            assert [each.severity for each in told if isinstance(each, Said)] == [3, 2, 2]
            assert not [each for each in told if isinstance(each, Lost)]

    run(main)


def test_a_foreign_program_is_ready_after_a_while() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher({"viewer": Script(acts=(Dies(at_s=5.0, code=0),))})
        spec = ProcessSpec(("viewer",), "viewer", protocol=False, restart=None)
        async with launcher.launch(spec) as child:
            assert asyncio.get_running_loop().time() >= 0.25
            assert (await child.lost()).message == "died: exit code 0"

    run(main)


def test_children_of_a_killed_owner_are_adopted_or_end() -> None:
    async def main() -> None:
        launcher = ScriptedLauncher()
        kept = ProcessSpec(("camera",), "camera", adopt_grace_s=5.0)

        async def own(spec: ProcessSpec) -> None:
            async with launcher.launch(spec):
                await asyncio.Event().wait()

        owners = [asyncio.create_task(own(spec)) for spec in (kept, ProcessSpec(("arm",), "arm"))]
        await asyncio.sleep(1.0)
        record = launcher.life("camera").record
        assert record is not None
        launcher.kill_owner()
        for owner in owners:
            owner.cancel()
        await asyncio.sleep(1.0)
        assert launcher.running == ("camera",)
        async with launcher.adopt(kept, record) as child:
            await asyncio.sleep(60)
            assert child.pid == record.pid
            launcher.life("camera").die()
            await child.lost()
            await child.ready()
            assert child.pid != record.pid
        with pytest.raises(ProcessStartFailed, match="nothing to adopt"):
            async with launcher.adopt(kept, record):
                pass
        assert not launcher.running
        await asyncio.gather(*owners, return_exceptions=True)

    run(main)
