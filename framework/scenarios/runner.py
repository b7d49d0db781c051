"""Carrying out a scenario on a stage: deeds, expectations, clean-up, and a report of it all.

It never hangs: each wait has its bound, the whole has `timeout_s`, the clean-up a bound of its own.
The first thing that is not as expected ends the steps; the clean-up follows in any case, and what is
left after it is a failure too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import DescriptionError, PilothouseError
from framework.scenarios import scenario as s
from framework.scenarios.invariants import (
    Breach,
    Broken,
    MotionWatch,
    left_at_the_end,
    raw_errors,
    told_twice,
)
from framework.scenarios.judging import Judge
from framework.scenarios.report import Entry, Kind, Line, Report
from framework.scenarios.stage import Stage, StageMotion
from framework.scenarios.striking import Strikes
from framework.scenarios.watching import LOOK_S, Watcher, ended
from framework.testing.faults import Fault, random_faults

CLEANUP_S: Final = 15.0
"""All is to be gone this long after the last step."""

REPAIRED_S: Final = 6.0
"""What was struck may take so long until it works again, before everything is stopped."""

KNOWN_WITHIN_S: Final = 2.5
"""What sends nothing new is known by then, also if it was mended meanwhile, and is tried again."""

WELL_WITHIN_S: Final = 60.0
"""When all is mended, everything works again after so long: waits between tries may have grown."""

WELL_LOOK_S: Final = 0.25

ROUNDS: Final = 3
"""So many rounds follow in one run; if there were no faults, every other one, those that the seed says."""

Watch = Callable[[Entry], None]
"""Called with each line of the timeline when it is there."""


class _Unmet(Exception):
    """Something is not as expected; the steps end here. Never leaves this module."""


async def run_scenario(
    scenario: s.Scenario,
    stage: Stage,
    *,
    seed: int = 0,
    clock: Clock | None = None,
    look_s: float = LOOK_S,
    cleanup_s: float = CLEANUP_S,
    watch: Watch = lambda entry: None,
    is_drawn: bool = True,
) -> Report:
    """Carry it out and report; what goes wrong is in the report.

    is_drawn: the report has what a picture needs; otherwise it takes half the time.
    Raises DescriptionError, before anything is done, if it names devices that the stage has not.
    """
    check_devices(scenario, stage)
    return await _Run(scenario, stage, seed, clock or LoopClock(), look_s, cleanup_s, watch, is_drawn).run()


def check_devices(scenario: s.Scenario, stage: Stage) -> None:
    """Raise DescriptionError for each device that the scenario names and the stage has not."""
    known = {device.name for device in stage.devices()}
    wrong = [(line, name) for name, line in scenario.devices.items() if name not in known]
    if wrong:
        have = ", ".join(sorted(known)) or "none"
        texts = [f"there is no device {name!r}; devices are {have}" for _, name in wrong]
        rest = "".join(
            f"\n{scenario.file}:{line}: {text}" for (line, _), text in zip(wrong[1:], texts[1:], strict=True)
        )
        raise DescriptionError(texts[0] + rest, file=scenario.file, line=wrong[0][0])


class _Run:
    def __init__(
        self,
        scenario: s.Scenario,
        stage: Stage,
        seed: int,
        clock: Clock,
        look_s: float,
        cleanup_s: float,
        watch: Watch,
        is_drawn: bool,
    ) -> None:
        self._scenario = scenario
        self._stage = stage
        self._seed = seed
        self._clock = clock
        self._look_s = look_s
        self._cleanup_s = cleanup_s
        self._watch = watch
        self._begun_s = stage.now_s()
        self._first_event = stage.events.last_sequence
        self._watcher = Watcher(stage, clock, look_s=look_s, is_drawn=is_drawn)
        self._judge = Judge(stage, self._watcher)
        self._motion = MotionWatch()
        self._broken: list[Broken] = []
        self._has_strikes = bool(scenario.faults)
        watched = scenario.faults or scenario.invariants
        self._strikes = Strikes(scenario.faults, stage, self._watcher, clock) if watched else None
        self._entries: list[Entry] = []
        self._numbers: dict[str, float] = {}
        self._failures: list[str] = []
        self._expected_since_deed = True
        self._failed_devices: set[str] = set()
        self._taken: set[str] = set()
        self._stopped_processes: set[str] = set()
        self._is_mended = False

    async def run(self) -> Report:
        self._watcher.on_look = self._look
        watching = asyncio.create_task(self._watcher.run(), name="watching the stage")
        done = 0
        try:
            try:
                async with asyncio.timeout(self._scenario.timeout_s):
                    for step in self._scenario.steps:
                        await self._step(step)
                        done += 1
                    await self._until_repaired()
            except _Unmet:
                done += 1
            except TimeoutError:
                text = f"the steps took longer than the {self._scenario.timeout_s:g} s allowed (timeout_s)"
                self._note(Kind.EXPECTED, "an end in time", self._now_s(), False, detail=(text,))
                self._failures.append(text)
            for step in self._scenario.steps[done:]:
                self._note(Kind.SKIPPED, str(step.do), self._now_s(), None, line=step.line)
            if self._scenario.rounds and not self._failures:
                await self._go_through_rounds()
            leaked = await self._clean_up()
        finally:
            await ended(watching)
            if self._strikes is not None:
                await self._strikes.close()
                self._strikes.end()
        self._watcher.look(at_all=True)
        if self._scenario.invariants:
            self._judge_invariants()
        return self._report(leaked)

    def _look(self, motions: tuple[StageMotion, ...], now_s: float) -> None:
        if self._strikes is not None:
            if not self._is_mended:
                self._strikes.look()
            self._motion.see(motions, now_s)

    async def _until_repaired(self) -> None:
        """Faults that are still open have so long to be repaired before everything is stopped."""
        deadline_s = self._stage.now_s() + REPAIRED_S
        while self._strikes is not None and not self._strikes.is_quiet and self._stage.now_s() < deadline_s:
            await self._clock.sleep(self._look_s)

    def _judge_invariants(self) -> None:
        assert self._strikes is not None
        events = tuple(self._stage.events.history(self._first_event))
        broken = [*self._motion.broken, *told_twice(events), *raw_errors(events)]
        broken += left_at_the_end(self._stage)
        self._broken += [
            msgspec.structs.replace(each, at_s=each.at_s - self._begun_s) for each in broken
        ] + self._strikes.broken
        self._broken.sort(key=lambda each: each.at_s)
        for each in self._broken:
            if each.breach not in (Breach.LEAKED, Breach.AFTERWARDS):  # which are failures in any case
                self._failures.append(str(each))

    # -- afterwards

    async def _go_through_rounds(self) -> None:
        """All is mended, and then everything works again: some rounds, as many as the seed draws."""
        if self._strikes is not None:
            await self._strikes.close()
            self._strikes.end()  # what comes now is no moment of the story
            await self._clock.sleep(KNOWN_WITHIN_S)
        self._is_mended = True
        rounds = [each for each in self._scenario.rounds if each.clock in (None, self._scenario.clock)]
        for each in drawn_rounds(rounds, self._seed) if self._has_strikes else rounds[self._seed % 2 :: 2]:
            self._note(Kind.WAITED, f"round: {each.name}", self._now_s(), None)
            try:
                async with asyncio.timeout(self._scenario.timeout_s):
                    await self._until_well()
                    self._expected_since_deed = True  # what was said before does not count
                    for step in each.steps:
                        await self._step(step)
            except TimeoutError:
                self._failures.append(f"it took longer than {self._scenario.timeout_s:g} s")
            except _Unmet:
                pass
            if self._failures:
                now_s = self._stage.now_s()
                self._broken.append(
                    Broken(Breach.AFTERWARDS, f"{each.name}: {self._failures[-1]}", now_s - self._begun_s)
                )
                return

    async def _until_well(self) -> None:
        """All is stopped and mended, nothing is left, and all works. Raises _Unmet."""
        await self._stop_and_mend()
        deadline_s = self._stage.now_s() + WELL_WITHIN_S
        while ailing := (*self._stage.ailing(), *self._stage.leaked()):
            if self._stage.now_s() > deadline_s:
                self._fail(f"not well again {WELL_WITHIN_S:g} s after all was mended: {'; '.join(ailing)}", 0)
            await self._clock.sleep(WELL_LOOK_S)

    # -- steps

    async def _step(self, step: s.Step) -> None:
        late_s = await self._wait_until(step.at_s)
        match step.do:
            case s.WaitStep(seconds=seconds):
                began_s = self._now_s()
                await self._clock.sleep(seconds)
                self._note(Kind.WAITED, str(step.do), began_s, None, late_s=late_s, line=step.line)
            case s.Expect():
                await self._expect(step.do, step.line, late_s)
            case s.Await():
                await self._await(step.do, step.line, late_s)
            case s.RandomFaults():
                await self._random_faults(step.do, step.line)
            case _:
                await self._deed(
                    step.do, step.line, late_s, strictly=self._is_mended or not self._has_strikes
                )

    async def _wait_until(self, at_s: float | None) -> float:
        """Wait for the planned time; returns how late it is [s]."""
        if at_s is None:
            return 0.0
        wait_s = at_s - self._now_s()
        if wait_s > 0.0:
            await self._clock.sleep(wait_s)
        return max(0.0, self._now_s() - at_s)

    async def _deed(self, do: s.Deed, line: int, late_s: float = 0.0, *, strictly: bool = True) -> None:
        """Do it. Not `strictly`: that there was nothing to do it to is no failure."""
        self._mark()
        self._motion.deed(do, self._stage.now_s())
        began_s = self._now_s()
        if isinstance(do, s.Say):
            await self._say(do, line, late_s)
            return
        mends = isinstance(do, s.Restore | s.ContinueProcess | s.Reset | s.GiveBack)
        kind = (
            Kind.MENDED
            if mends
            else Kind.ACTED
            if isinstance(do, s.Play | s.Listen | s.Speak)
            else Kind.FAULT
        )
        try:
            words = self._do(do)
        except PilothouseError as error:
            self._note(
                kind,
                str(do),
                began_s,
                False if strictly else None,
                late_s=late_s,
                line=line,
                detail=(str(error),),
            )
            if strictly:
                self._fail(f"{do} could not be done: {error}", line)
            return
        self._note(kind, str(do), began_s, None, late_s=late_s, line=line, detail=(words,) if words else ())

    def _do(self, do: s.Deed) -> str:
        stage = self._stage
        match do:
            case s.Fail(device=device, how=how):
                if "/" not in device:  # a resource comes back by itself
                    self._failed_devices.add(device)
                return stage.fail(device, how)
            case s.Restore(device=device):
                self._failed_devices.discard(device)
                return stage.restore(device)
            case s.Kill(process=process):
                return stage.kill(process)
            case s.StopProcess(process=process):
                self._stopped_processes.add(process)
                return stage.stop_process(process)
            case s.ContinueProcess(process=process):
                self._stopped_processes.discard(process)
                return stage.continue_process(process)
            case s.EmergencyStop(reason=reason):
                return stage.emergency_stop(reason)
            case s.Reset():
                return stage.reset()
            case s.Take(device=device):
                self._taken.add(device)
                return stage.take(device)
            case s.GiveBack(device=device):
                self._taken.discard(device)
                return stage.give_back(device)
            case s.Play(sentence=sentence):
                return stage.play(sentence)
            case s.Listen(is_on=is_on):
                return stage.listen(is_on=is_on)
            case s.Speak(words=words):
                return stage.speak(words)
            case s.Say(text=text, who=who):
                stage.say(text, who)
                return ""

    async def _say(self, do: s.Say, line: int, late_s: float) -> None:
        began_s = self._now_s()
        reply = self._stage.say(do.text, do.who, heard=do.heard)
        if do.settles is s.Settles.LATER:
            self._note(Kind.SAID, str(do), began_s, None, late_s=late_s, line=line)
            return
        try:
            async with asyncio.timeout(do.within_s):
                became = s.Settles.DONE if await reply.done() else s.Settles.NOT_DONE
        except TimeoutError:
            became = s.Settles.LATER
        ok = became is do.settles or do.settles is s.Settles.EITHER
        self._note(Kind.SAID, str(do), began_s, ok, within_s=do.within_s, late_s=late_s, line=line)
        if not ok:
            is_ = (
                f"was not settled within {do.within_s:g} s"
                if became is s.Settles.LATER
                else f"was {became.value}"
            )
            last = reply.events[-1].text if reply.events else "nothing was said"
            self._fail(f"{do} was expected to be {do.settles.value}, but {is_}: {last}", line)

    async def _await(self, wait: s.Await, line: int, late_s: float) -> None:
        """What comes in time is not judged."""
        began_s = self._now_s()
        deadline_s = self._stage.now_s() + wait.within_s
        while self._judge.missing(wait.conditions) and self._stage.now_s() < deadline_s:
            await self._clock.sleep(self._look_s)
            self._watcher.look()
        self._note(Kind.WAITED, str(wait), began_s, None, late_s=late_s, line=line)

    async def _expect(self, expect: s.Expect, line: int, late_s: float = 0.0, *, so: str = "") -> None:
        began_s = self._now_s()
        judge = self._judge
        self._expected_since_deed = True
        deadline_s = self._stage.now_s() + expect.within_s
        while missing := judge.missing(expect.conditions):
            if self._stage.now_s() >= deadline_s:
                break
            await self._clock.sleep(self._look_s)
            self._watcher.look()
        came_s = judge.came_s(expect.conditions)
        detail: tuple[str, ...] = ()
        if not missing and expect.record:
            took_s = came_s - judge.mark_s
            value = round(1000 * took_s, 3) if expect.record.endswith("_ms") else round(took_s, 6)
            self._numbers[expect.record] = value
            detail = (f"{expect.record} = {value:g}",)
        if missing:
            detail = (*missing, "said since the last deed:", *judge.last_events())
        text = f"{expect}{so}"
        self._note(
            Kind.EXPECTED,
            text,
            began_s,
            not missing,
            within_s=expect.within_s,
            late_s=late_s,
            line=line,
            detail=detail,
            ended_s=None if missing else max(began_s, came_s - self._begun_s),
        )
        if missing:
            self._fail(f"expected within {expect.within_s:g} s{so}: {'; '.join(missing)}", line)

    async def _random_faults(self, do: s.RandomFaults, line: int) -> None:
        start_s = self._now_s()
        drawn = random_faults(self._seed, do.n, [str(i) for i in range(len(do.choices))], do.mean_interval_s)
        for number, fault in enumerate(drawn, 1):
            deed = do.choices[_index(fault)]
            late_s = await self._wait_until(start_s + fault.at_s)
            await self._deed(deed, line, late_s, strictly=False)
            if do.invariants:
                expect = s.Expect(do.invariants, do.within_s)
                await self._expect(expect, line, so=f" (after fault {number} of {do.n})")

    # -- the end

    async def _clean_up(self) -> tuple[str, ...]:
        """Mend what the scenario broke, stop everything, wait until all is gone; returns what is not."""
        began_s = self._now_s()
        if self._strikes is not None:
            await self._strikes.close()
        deadline_s = self._stage.now_s() + self._cleanup_s
        said = await self._stop_and_mend()
        while (left := self._stage.leaked()) and self._stage.now_s() < deadline_s:
            await self._clock.sleep(self._look_s)
        self._note(
            Kind.CLEANUP, "stop, mend, and wait until all is gone", began_s, not left, detail=(*said, *left)
        )
        if left:
            self._failures.append(f"{len(left)} left after {self._cleanup_s:g} s: {', '.join(left)}")
        return left

    async def _stop_and_mend(self) -> list[str]:
        """What was said of it."""
        said: list[str] = []
        deeds: list[s.Deed] = [s.ContinueProcess(name) for name in sorted(self._stopped_processes)]
        deeds += [s.GiveBack(name) for name in sorted(self._taken)]
        deeds += [s.Restore(name) for name in sorted(self._failed_devices)]
        if self._stage.is_stopped:
            deeds.append(s.Reset())
        if self._stage.listens:
            deeds.append(s.Listen(False))
        for deed in deeds:
            try:
                said.append(self._do(deed))
            except PilothouseError as error:
                said.append(f"{deed}: {error}")  # a stopped process that is gone meanwhile, for one
        stop = s.Say("stop")
        self._motion.deed(stop, self._stage.now_s())
        reply = self._stage.say(stop.text)
        try:
            async with asyncio.timeout(self._cleanup_s):
                await reply.done()
        except TimeoutError:
            said.append(f"stopping was not over within {self._cleanup_s:g} s")
        return said

    def _report(self, leaked: tuple[str, ...]) -> Report:
        scenario = self._scenario
        lines = tuple(
            Line(
                event.t_s - self._begun_s,
                event.kind.value,
                event.text,
                " ".join(filter(None, (event.plan, event.action))),
            )
            for event in self._stage.events.history(self._first_event)
        )
        return Report(
            scenario.name,
            scenario.file,
            self._seed,
            scenario.clock,
            self._now_s(),
            "\n".join(self._failures),
            tuple(self._entries),
            self._watcher.spans(),
            lines,
            {**self._numbers, "leaked": float(len(leaked))},
            leaked,
            scenario.description,
            self._strikes.struck() if self._strikes is not None else (),
            dict(self._strikes.tracker.seen) if self._strikes is not None else {},
            self._strikes.first_s() if self._strikes is not None else {},
            tuple(self._broken),
            self._stage.places(),
        )

    # -- bookkeeping

    def _mark(self) -> None:
        """Before a deed: samples and gaps count from here, events from the first deed of a group."""
        self._watcher.look(at_all=True)
        self._watcher.mark()
        self._judge.mark_s = self._stage.now_s()
        if self._expected_since_deed:
            self._expected_since_deed = False
            self._judge.since = self._stage.events.last_sequence

    def _fail(self, text: str, line: int) -> None:
        where = f"{self._scenario.file}:{line}: " if self._scenario.file and line else ""
        self._failures.append(where + text)
        raise _Unmet

    def _note(
        self,
        kind: Kind,
        text: str,
        began_s: float,
        ok: bool | None,
        *,
        within_s: float | None = None,
        late_s: float = 0.0,
        line: int = 0,
        detail: Sequence[str] = (),
        ended_s: float | None = None,
    ) -> None:
        ended_s = self._now_s() if ended_s is None else ended_s
        entry = Entry(began_s, ended_s, kind, text, ok, within_s, late_s, line, tuple(detail))
        self._entries.append(entry)
        self._watch(entry)

    def _now_s(self) -> float:
        return self._stage.now_s() - self._begun_s


def drawn_rounds(rounds: Sequence[s.Round], seed: int) -> tuple[s.Round, ...]:
    """Those of a seed: the next one begins where this one ends, so that few runs go through all."""
    if len(rounds) <= ROUNDS:
        return tuple(rounds)
    return tuple(rounds[(ROUNDS * seed + number) % len(rounds)] for number in range(ROUNDS))


def _index(fault: Fault) -> int:
    return int(str(fault.what))
