"""Real children that do what children do: not start, hang, lie, flood, and die."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import msgspec
import pytest

from framework.errors import ProcessDied, ProcessError, ProcessStartFailed
from framework.processes import wire
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
    Updated,
)
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from framework.status import Severity
from tests.framework.processes.family import (
    PATIENCE_S,
    Diary,
    OwnLag,
    descriptors,
    foreign,
    is_running,
    kill,
    launcher,
    spec,
    until,
)
from tests.framework.processes.scripts import Wish

STANDARD = {"0", "1", "2"}  # the only descriptors a stranger should have

# ---------------------------------------------------------------- not starting


@pytest.mark.parametrize("protocol", [True, False])
@pytest.mark.parametrize(
    ("argv", "cwd", "words"),
    [
        (("no-such-program", "-v"), "", "'no-such-program' was found in none of the folders of PATH"),
        (("/no/such/program",), "", "/no/such/program does not exist"),
        ((__file__,), "", "is not executable"),
        (("true",), "/no/such/folder", "cwd is '/no/such/folder'"),
        (("x" * 200_000,), "", "PATH"),
    ],
)
def test_an_unusable_command_line_says_what_was_tried(
    argv: tuple[str, ...], cwd: str, words: str, protocol: bool
) -> None:
    async def main() -> None:
        before = descriptors()
        diary = Diary()
        with pytest.raises(ProcessStartFailed, match=words):
            async with launcher().launch(ProcessSpec(argv, "x", cwd=cwd, protocol=protocol), on_event=diary):
                pass
        assert [type(told) for told in diary.told] == [Failed]
        assert descriptors() == before

    asyncio.run(main())


def test_arguments_longer_than_the_kernel_takes_are_an_error_that_leaks_nothing() -> None:
    async def main() -> None:
        before = descriptors()
        for protocol in (True, False):
            with pytest.raises(ProcessStartFailed, match="Argument list too long"):
                async with launcher().launch(ProcessSpec(("true", "x" * 3_000_000), "x", protocol=protocol)):
                    pass
        assert descriptors() == before

    asyncio.run(main())


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("raises", r"exit code 1[\s\S]*opening the camera[\s\S]*RuntimeError: no such camera"),
        ("crashes", "killed by SIGSEGV"),
        ("no_such_function", "has no function 'no_such_function'"),
    ],
)
def test_death_before_ready_fails_the_start_at_once_with_its_last_words(script: str, words: str) -> None:
    async def main() -> None:
        diary = Diary()
        with pytest.raises(ProcessStartFailed, match=words):
            async with launcher().launch(spec(script), on_event=diary):
                pass
        assert [type(told) for told in diary.told] == [Failed]  # and no restart

    asyncio.run(main())


def test_a_child_that_refuses_to_start_is_told_in_its_own_words_once() -> None:
    async def main() -> None:
        with pytest.raises(ProcessStartFailed) as caught:
            async with launcher().launch(spec("refuses")):
                pass
        words = str(caught.value)
        assert words.startswith("process 'refuses': no camera of that name; it has to be"), words
        assert words.count("no camera") == 1
        assert "Traceback" not in words and "ResourceUnavailable" not in words and "made safe" not in words
        assert words.endswith((" in …", " plugged …", " be …", " to …", " has …", " it …")), words
        assert 500 < len(words) < 650

    asyncio.run(main())


def test_a_start_that_hangs_fails_at_its_deadline_and_leaves_nothing() -> None:
    async def main() -> None:
        diary = Diary()
        async with OwnLag() as lag:
            begin = time.monotonic()
            with pytest.raises(
                ProcessStartFailed, match=r"not ready within 1\.2 s[\s\S]*waiting for a camera"
            ):
                async with launcher().launch(spec("never_ready", start_timeout_s=1.2), on_event=diary):
                    pass
            assert diary.when(diary.told[0]) - begin - lag.s < 1.4
            assert time.monotonic() - begin < PATIENCE_S

    asyncio.run(main())


def test_leaving_while_it_starts_leaves_nothing() -> None:
    async def main() -> None:
        diary = Diary()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), launcher().launch(spec("never_ready"), on_event=diary):
                pass
        assert [type(told) for told in diary.told] == [Stopped]
        assert diary.all(Stopped)[0].how is StopHow.INTERRUPTED  # before it is ready, SIGINT is enough

    asyncio.run(main())


# ---------------------------------------------------------------- ready, and in use


def test_ready_means_that_it_said_so_however_slowly() -> None:
    async def main() -> None:
        async with launcher().launch(spec("slow_start")) as child:
            assert child.state is ChildState.READY
            assert child.handle == b"handle"
            assert is_running(child.pid)
        assert child.state.value == "stopped"
        assert not is_running(child.pid)

    asyncio.run(main())


def test_commands_go_down_and_statuses_come_up() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child:
            for command in (b"one", b"two", b"error"):
                assert child.send(command)
            assert [said.message for said in [await diary.first(Said, n) for n in (1, 2, 3)]] == [
                "one",
                "two",
                "blurred",
            ]
            assert child.state is ChildState.DEGRADED
            child.send(b"ok")
            await diary.first(Said, 4)
            assert child.state.value == "ready"
            child.send(b"handle")
            assert (await diary.first(Updated)).handle == b"another handle"
            assert child.handle == b"another handle"
            with pytest.raises(ProcessError, match="at most 61440 are allowed"):
                child.send(bytes(wire.MAX_PAYLOAD_BYTES + 1))
        assert not child.send(b"too late")
        assert diary.told[-1] == Stopped(StopHow.INTERRUPTED, diary.all(Stopped)[0].after_s)

    asyncio.run(main())


def test_a_child_on_an_event_loop_beats_by_itself_until_its_loop_hangs() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("on_a_loop"), on_event=diary) as child:
            child.send(b"hello")
            assert (await diary.first(Said)).message == "hello"
            await asyncio.sleep(0.4)
            assert not diary.all(Lost)
            child.send(b"hang")
            assert (await child.lost()).reason is LossReason.HUNG
            await child.ready()
        assert diary.all(Stopped)[0].how is StopHow.INTERRUPTED

    asyncio.run(main())


def test_a_child_that_says_it_will_be_busy_is_believed() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child:
            child.send(b"busy")
            child.send(b"back")
            await diary.first(Said)
            assert not diary.all(Lost)

    asyncio.run(main())


# ---------------------------------------------------------------- lost


def test_a_killed_child_is_known_dead_at_once_and_started_again() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child, OwnLag() as lag:
            first_pid = child.pid
            kill(first_pid)
            killed_at = time.monotonic()
            lost = await child.lost()
            assert lost == Lost(LossReason.DIED, "died: killed by SIGKILL")
            assert diary.when(diary.all(Lost)[0]) - killed_at - lag.s < 0.05
            assert child.state is ChildState.RETRYING
            assert await child.ready() == b"handle"
            assert child.pid != first_pid
            assert child.restarts == 1
        assert [type(told) for told in diary.told] == [Ready, Lost, Retrying, Ready, Stopped]

    asyncio.run(main())


def test_an_exit_is_told_with_its_code() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient", restart=None), on_event=diary) as child:
            child.send(b"exit")
            assert (await child.lost()).message == "died: exit code 3"
            assert child.state is ChildState.FAILED
            with pytest.raises(ProcessDied, match="exit code 3"):
                await child.ready()
        assert [type(told) for told in diary.told] == [Ready, Lost, Failed]

    asyncio.run(main())


def test_what_a_child_dies_of_is_told_in_words_without_files_and_classes() -> None:
    async def main() -> None:
        async with launcher().launch(spec("loses_its_stream", restart=None)) as child:
            lost = await child.lost()
            assert "the stream 'front' cannot be opened" in lost.message
            assert "/dev/shm" not in lost.message and "StreamError" not in lost.message

    asyncio.run(main())


def test_a_stopped_child_hangs_is_noticed_killed_and_started_again() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child, OwnLag() as lag:
            pid = child.pid
            kill(pid, signal.SIGSTOP)
            stopped_at = time.monotonic()
            assert (await child.lost()).reason is LossReason.HUNG
            assert diary.when(diary.all(Lost)[0]) - stopped_at - lag.s < 0.25 + 0.05  # 2.5 beats
            await child.ready()
            assert not is_running(pid)

    asyncio.run(main())


def test_a_main_loop_that_stands_still_is_noticed_although_its_process_beats() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child, OwnLag() as lag:
            child.send(b"hang")
            sent_at = time.monotonic()
            assert (await child.lost()).reason is LossReason.HUNG
            assert diary.when(diary.all(Lost)[0]) - sent_at - lag.s < 0.25 + 0.1
            assert "main loop" in diary.all(Lost)[0].message

    asyncio.run(main())


def test_slow_work_is_no_hang() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("works_slowly"), on_event=diary):
            await diary.first(Said, 2)
            assert not diary.all(Lost)

    asyncio.run(main())


def test_work_without_an_end_is_a_hang() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("works_slowly", slow_after_s=0.4), on_event=diary) as child:
            assert (await child.lost()).reason is LossReason.HUNG
            assert "400 ms are allowed" in diary.all(Lost)[0].message

    asyncio.run(main())


def test_a_hanging_main_loop_is_made_safe_before_it_is_killed(tmp_path: Path) -> None:
    async def main() -> None:
        diary, file = Diary(), tmp_path / "safe"
        child_spec = spec("hangs_in_main", Wish(file=str(file)), restart=None)
        async with launcher().launch(child_spec, on_event=diary) as child:
            assert (await child.lost()).reason is LossReason.HUNG
            await until(lambda: not is_running(child.pid))
        assert file.read_text() == "safe\n"
        assert any("time.sleep(60)" in line for line in child.last_words)  # it says where it hung

    asyncio.run(main())


def test_a_child_frozen_in_a_foreign_call_is_killed() -> None:
    async def main() -> None:
        async with launcher().launch(spec("frozen_interpreter", restart=None)) as child:
            assert (await child.lost()).reason is LossReason.HUNG
            async with OwnLag() as lag:
                assert await until(lambda: not is_running(child.pid)) - lag.s < 1.0

    asyncio.run(main())


def test_a_stale_stream_is_lost_and_named() -> None:
    async def main() -> None:
        async with launcher().launch(spec("stale", stale_after_s=0.2, restart=None)) as child:
            lost = await child.lost()
            assert lost.reason is LossReason.STALE
            assert "stream 'color' is 0." in lost.message

    asyncio.run(main())


def test_a_child_that_gives_up_is_ended() -> None:
    async def main() -> None:
        async with launcher().launch(spec("obedient", restart=None)) as child:
            child.send(b"fatal")
            assert await child.lost() == Lost(LossReason.GAVE_UP, "gave up: the lens fell off")
            await until(lambda: not is_running(child.pid))

    asyncio.run(main())


def test_a_child_that_closes_its_channel_and_lives_on_is_ended() -> None:
    async def main() -> None:
        async with launcher().launch(spec("obedient", restart=None)) as child:
            child.send(b"close")
            lost = await child.lost()
            assert lost.reason is LossReason.CLOSED
            await until(lambda: not is_running(child.pid))

    asyncio.run(main())


NOT_MSGPACK = b"\x05\x00\x00\x00\xc1\xff\xff\xff\xff"
UNKNOWN_TAG = b"\x0c\x00\x00\x00\x81\xa4type\xa5hello"[:16]


@pytest.mark.parametrize(
    ("raw", "forever", "reason"),
    [
        pytest.param(b"\xff\xff\xff\xff", False, LossReason.GARBAGE, id="oversize"),
        pytest.param(b"\x00\x00\x00\x00", False, LossReason.GARBAGE, id="empty-frame"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", False, LossReason.GARBAGE, id="foreign-protocol"),
        pytest.param(NOT_MSGPACK, True, LossReason.GARBAGE, id="garbage-for-ever"),
        pytest.param(b"\xe8\x03\x00\x00abc", True, LossReason.GARBAGE, id="truncated-frames-for-ever"),
        pytest.param(
            b"\x0b\x00\x00\x00" + b"\x81\xa4type\xa4beat", True, LossReason.FLOOD, id="flood-of-beats"
        ),
    ],
)
def test_a_channel_out_of_its_mind_is_a_lost_child(raw: bytes, forever: bool, reason: LossReason) -> None:
    async def main() -> None:
        wish = Wish(text=raw.hex(), number=int(forever))
        async with launcher().launch(spec("writes_raw", wish, restart=None)) as child:
            child.send(b"go")
            lost = await child.lost()
            assert lost.reason is reason, lost
            await until(lambda: not is_running(child.pid))

    asyncio.run(main())


@pytest.mark.parametrize("raw", [NOT_MSGPACK, UNKNOWN_TAG], ids=["not-msgpack", "unknown-tag"])
def test_a_single_unreadable_message_is_a_warning(raw: bytes) -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("writes_raw", Wish(text=raw.hex())), on_event=diary) as child:
            child.send(b"go")
            said = await diary.first(Said)
            assert said.severity is Severity.WARNING
            assert "unreadable message no. 1" in said.message
            await asyncio.sleep(0.3)
            assert child.state is ChildState.READY

    asyncio.run(main())


def test_half_a_message_and_then_death_is_told_as_such() -> None:
    async def main() -> None:
        wish = Wish(text=b"\xe8\x03\x00\x00abc".hex())
        async with launcher().launch(spec("writes_raw", wish, restart=None)) as child:
            child.send(b"go")
            await asyncio.sleep(0.1)
            kill(child.pid)
            assert "in the middle of a message" in (await child.lost()).message

    asyncio.run(main())


# ---------------------------------------------------------------- too much of everything


def test_a_flood_of_output_harms_neither_child_nor_owner() -> None:
    async def main() -> None:
        diary = Diary()
        printed = 0

        def count(_name: str, _line: str) -> None:
            nonlocal printed
            printed += 1

        worst_s = 0.0
        async with ProcessLauncher(on_output=count).launch(spec("prints"), on_event=diary) as child:
            for _ in range(50):
                begin = time.thread_time()  # what a busy machine takes from us is no work of ours
                await asyncio.sleep(0.01)
                worst_s = max(worst_s, time.thread_time() - begin)
            assert child.state is ChildState.READY
            assert len(child.last_words) <= 51
        assert not diary.all(Lost)
        assert 0 < printed < 5000
        assert worst_s < 0.1

    asyncio.run(main())


def test_commands_that_nobody_reads_never_block_and_are_reported() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("never_reads"), on_event=diary) as child:
            begin = time.monotonic()
            while child.send(bytes(50_000)):
                assert time.monotonic() - begin < PATIENCE_S
            assert "does not read its commands" in (await diary.first(Said)).message
            assert not child.send(bytes(50_000))
            assert len(diary.all(Said)) == 1  # once, not for every command

    asyncio.run(main())


def test_a_listener_that_raises_harms_nobody() -> None:
    async def main() -> None:
        caught: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: caught.append(context["exception"])
        )

        def listener(_told: ChildEvent) -> None:
            raise KeyError("mine")

        async with launcher().launch(spec("obedient"), on_event=listener) as child:
            kill(child.pid)
            await child.lost()
            await child.ready()
        assert len(caught) == 5

    asyncio.run(main())


# ---------------------------------------------------------------- restarts


def test_a_flapping_child_is_restarted_ever_slower_and_then_a_human_is_needed() -> None:
    async def main() -> None:
        diary = Diary()
        policy = RestartPolicy(first_s=0.02, jitter=0.0, most=5, within_s=PATIENCE_S)
        async with launcher().launch(spec("flaps", restart=policy), on_event=diary) as child:
            needs = await diary.first(NeedsHuman)
            assert "restarted 5 times within 40 s" in needs.what
            assert "exit code 7" in needs.what
            tries = diary.all(Retrying)
            assert [retrying.tries for retrying in tries] == [1, 2, 3, 4, 5]
            waits = [each.next_attempt_s - diary.when(each) for each in tries]
            assert waits == pytest.approx([0.02, 0.04, 0.08, 0.16, 0.32], abs=0.01)
            assert child.state is ChildState.NEEDS_HUMAN
            with pytest.raises(ProcessDied, match="retry now"):
                await child.ready()
            child.retry_now()
            await diary.first(Ready, 7)
        assert len(diary.all(Lost)) >= 6

    asyncio.run(main())


def test_what_was_once_ready_is_tried_again_even_if_a_restart_never_gets_ready(tmp_path: Path) -> None:
    async def main() -> None:
        diary = Diary()
        policy = RestartPolicy(first_s=0.02, jitter=0.0, most=2, within_s=PATIENCE_S)
        child_spec = spec("ready_once", Wish(file=str(tmp_path / "lived")), restart=policy)
        async with launcher().launch(child_spec, on_event=diary):
            assert "exit code 9" in (await diary.first(NeedsHuman)).what
        kinds = [type(told) for told in diary.told]
        assert kinds == [Ready, Lost, Retrying, Retrying, NeedsHuman, Stopped]

    asyncio.run(main())


def test_retry_now_does_not_wait_for_the_back_off() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(
            spec("obedient", restart=RestartPolicy(first_s=2 * PATIENCE_S, longest_s=2 * PATIENCE_S)),
            on_event=diary,
        ) as child:
            kill(child.pid)
            await child.lost()
            child.retry_now()
            async with asyncio.timeout(PATIENCE_S):
                await child.ready()
            child.retry_now()  # ready: nothing to do
            assert child.state is ChildState.READY

    asyncio.run(main())


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize(
    ("script", "timeouts_s", "how"),
    [
        ("obedient", (PATIENCE_S, PATIENCE_S), StopHow.INTERRUPTED),
        ("ignores_interrupt", (0.15, PATIENCE_S), StopHow.TERMINATED),
        ("ignores_signals", (0.15, 0.15), StopHow.KILLED),
    ],
)
def test_a_child_is_asked_politely_then_firmly_then_killed(
    script: str, timeouts_s: tuple[float, float], how: StopHow
) -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec(script, stop_timeouts_s=timeouts_s), on_event=diary) as child:
            pass
        assert diary.all(Stopped)[0].how is how
        assert not is_running(child.pid)

    asyncio.run(main())


def test_a_stopped_process_can_be_stopped() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(spec("obedient"), on_event=diary) as child:
            kill(child.pid, signal.SIGSTOP)
        assert diary.all(Stopped)[0].how is StopHow.INTERRUPTED

    asyncio.run(main())


@pytest.mark.parametrize("script", ["safe_stop_hangs", "safe_stop_raises"])
def test_a_safe_stop_that_fails_does_not_hold_up_the_end(script: str) -> None:
    async def main() -> None:
        diary = Diary()
        async with OwnLag() as lag, launcher().launch(spec(script), on_event=diary) as child:
            pass
        assert diary.all(Stopped)[0].how is StopHow.INTERRUPTED
        assert diary.all(Stopped)[0].after_s - lag.s < 0.9
        assert any("safe_stop" in line or "no such motor" in line for line in child.last_words)

    asyncio.run(main())


def test_a_cancelled_stop_is_still_carried_out() -> None:
    async def main() -> None:
        async def hold() -> None:
            async with launcher().launch(spec("ignores_signals", stop_timeouts_s=(0.2, 0.2))) as child:
                pids.append(child.pid)
                entered.set()
                await asyncio.Event().wait()

        pids: list[int] = []
        entered = asyncio.Event()
        task = asyncio.create_task(hold())
        await entered.wait()
        task.cancel()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_running(pids[0])

    asyncio.run(main())


@pytest.mark.parametrize("by", ["stop", "kill"])
def test_grandchildren_go_with_their_parent(by: str) -> None:
    async def main() -> None:
        async with launcher().launch(spec("has_grandchildren", restart=None)) as child:
            grandchildren = [int(pid) for pid in child.handle.split()]
            assert all(map(is_running, grandchildren))
            # Started as carelessly as a library may, they hold nothing of ours (once they are loaded).
            await until(lambda: all(set(os.listdir(f"/proc/{pid}/fd")) <= STANDARD for pid in grandchildren))
            if by == "kill":
                kill(child.pid)
                await child.lost()
        await until(lambda: not any(map(is_running, grandchildren)))

    asyncio.run(main())


# ---------------------------------------------------------------- foreign programs


def test_a_foreign_program_is_ready_when_it_lives_and_lost_when_it_ends() -> None:
    async def main() -> None:
        diary = Diary()
        async with launcher().launch(
            foreign("sh", "-c", "echo hello; sleep 1; exit 5", restart=None), on_event=diary
        ) as child:
            assert diary.all(Ready)[0].after_s >= 0.2
            assert (await child.lost()).message == "died: exit code 5, last words: 'hello'"

    asyncio.run(main())


def test_a_foreign_program_that_ends_at_once_was_never_ready() -> None:
    async def main() -> None:
        with pytest.raises(ProcessStartFailed, match="killed by SIGTERM"):
            async with launcher().launch(foreign("sh", "-c", "kill -TERM $$")):
                pass

    asyncio.run(main())


def test_a_foreign_program_that_ignores_everything_goes_with_its_daemons(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "pids"
        script = f"trap '' INT TERM; (setsid sleep 60 & echo $! $$ > {file}); while :; do sleep 0.01; done"
        diary = Diary()
        async with launcher().launch(foreign("sh", "-c", script, stop_timeouts_s=(0.1, 0.1)), on_event=diary):
            await until(lambda: file.exists() and len(file.read_text().split()) == 2)
            pids = [int(pid) for pid in file.read_text().split()]
            assert all(map(is_running, pids))
        assert diary.all(Stopped)[0].how is StopHow.KILLED
        assert not any(map(is_running, pids))

    asyncio.run(main())


def test_a_killed_guardian_takes_its_program_along(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "pid"
        async with launcher().launch(
            foreign("sh", "-c", f"echo $$ > {file}; exec sleep 60", restart=None)
        ) as child:
            await until(lambda: file.exists() and file.read_text() != "")
            pid = int(file.read_text())
            kill(child.pid)
            await child.lost()
            await until(lambda: not is_running(pid))

    asyncio.run(main())


# ---------------------------------------------------------------- descriptors


def test_a_child_inherits_nothing_of_its_siblings() -> None:
    async def main() -> None:
        start = launcher()
        async with start.launch(spec("descriptors")) as one, start.launch(spec("descriptors")) as two:
            found = [msgspec.json.decode(child.handle, type=list[int]) for child in (one, two)]
            assert found[0] == found[1] or len(found[0]) == len(found[1])
            assert all(len(each) == 3 + 2 + 1 for each in found)  # std, channel, lifeline; the listing itself

    asyncio.run(main())


def test_fifty_starts_leave_no_descriptor_no_process_and_no_task() -> None:
    async def main() -> None:
        start = launcher()
        async with start.launch(spec("obedient")):
            pass
        before = descriptors()
        pids: list[int] = []

        async def one(number: int) -> None:
            for _ in range(10):
                async with start.launch(spec("obedient", start_timeout_s=PATIENCE_S)) as child:
                    pids.append(child.pid)
                    if number % 2:
                        kill(child.pid)
                        await child.lost()

        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(one(number))
        assert len(pids) == 50
        assert descriptors() == before
        assert not any(map(is_running, pids))
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no zombie either


def test_a_target_can_be_a_file(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "driver.py"
        file.write_text("def main(child):\n    child.ready(b'mine')\n    child.wait(60)\n")
        async with launcher().launch(ProcessSpec(python_child(f"{file}:main"), "x")) as child:
            assert child.handle == b"mine"

    asyncio.run(main())
