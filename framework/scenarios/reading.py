"""A scenario file: YAML that is read strictly, with all its mistakes at once, each with file and line.

    name: the environment stays visible
    description: The best sensor dies, then the next one.
    world: inspection                     # or robot: FILE, a robot description beside this file
    phones: true                          # people with phones are served; actions: FOLDER, further actions
    clock: real                           # or virtual: scripted processes, a day in seconds
    timeout_s: 60
    steps:
      - say: show the environment         # and wait until it is done
        settles: done                     # or: not done, later (not waited for)
        within_s: 20
        who: phone 1                      # another operator than the scenario itself
        heard: 0.6                        # spoken, and so sure is who recognises it
      - play: phone 1 presses the clutch  # people with phones, on the virtual clock, if `phones: true`
      - listen: true                      # as `pilothouse listen` does; until listen: false
      - speak: hey pilot house, go home   # aloud, for every microphone that is open (driver: room_microphone)
      - fail: front_camera
        how: die                          # hang, garbage, stale
      - fail: output_manager/Page         # or a resource, registrar/request as `pilothouse status` has it
      - expect: {shown: wrist_cloud, gap_below_s: 3}
        within_s: 5
        record: gap_1_ms                  # keeps the time from the deed
      - restore: front_camera
        at_s: 30                          # any step: not before this, from the beginning
      - take: left_arm                    # an operator does, whoever has it; until give_back: left_arm
      - kill: camera front_camera         # also stop_process, continue_process; * stands for anything
      - emergency_stop: somebody stepped in
      - reset: true
      - wait_s: 2
      - random_faults:
          n: 20
          mean_interval_s: 1.5
          choices: [{fail: front_camera}, {restore: front_camera}]
          invariants: {either: [{shown: any}, {plans: {show the environment: failed}}]}
          within_s: 10
      - await: {event: doing, text: moving}   # at most `within_s`; goes on in any case
    faults:                               # beside the steps, each at a moment of an action (campaigns)
      - {fail: left_arm, how: hang, when: {phase: moving, action: move, nth: 1, after_s: 0.2}, lasts_s: 2}
    invariants: true                      # what holds in every run is judged, too
    rounds:                               # the seed draws some: they go well afterwards, when all is mended
      - name: the arm moves
        clock: virtual                    # if it can be gone through on that one only
        steps: [{say: move the arm up 5 cm}]

What fails is a device, `registrar/request`, `process NAME`, a person (phone 1), clock, disk, main process,
network.
Phases are starting, ready, moving, handing over, stopping, resuming.

Conditions of `expect` (all must hold together): `event` with `text` (a regular expression), `told`,
`not_told`, `shown` (a device, any, nothing), `gap_below_s`, `devices`, `resources`, `plans`, `processes`
(each a mapping of names to states), `nothing_running`, `empty`, `emergency` (set or clear), `either`;
`heard` ({words, by: phone 1, once: true, within_s: 0.5}); and of motion since the last deed, each a mapping
of devices to limits: `at_rest_within` and `never_moves_after` [s], `moved_at_most`, `moved_at_least` and
`jump_at_most` [m], `force_at_most` [N]. What must not happen has not happened yet at once: let time pass
before (`wait_s`).
What was said counts from the first deed after the last expectation; samples and gaps from the last deed.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta

from framework.events import EventKind
from framework.scenarios import scenario as s
from framework.tree.run import PlanState
from framework.yaml_reader import Misplaced, Mistakes, Place, Text, compose, convert, text_of

JustTrue = Literal[True] | None
"""A key that says all by itself."""

Resource = Annotated[
    Text, Meta(pattern="/", description="resources, as registrar/request with `*` for anything")
]

Limits = dict[s.Name, s.Time]
"""Of devices' motion, by device."""


class _Conditions(msgspec.Struct, frozen=True):
    """Those that stand in one mapping; all hold together."""

    event: EventKind | None = None
    text: Text = ""
    told: Text | tuple[Text, ...] = ()
    not_told: Text | tuple[Text, ...] = ()
    heard: s.Heard | tuple[s.Heard, ...] = ()
    at_rest_within: Limits = {}
    moved_at_most: Limits = {}
    moved_at_least: Limits = {}
    never_moves_after: Limits = {}
    jump_at_most: Limits = {}
    force_at_most: Limits = {}
    shown: s.Name | tuple[s.Name, ...] = ()
    gap_below_s: s.Duration | None = None
    devices: Annotated[dict[s.Name, Text], Meta(min_length=1)] = {}
    resources: Annotated[dict[Resource, Text], Meta(min_length=1)] = {}
    plans: Annotated[dict[str, PlanState], Meta(min_length=1)] = {}
    processes: Annotated[dict[str, Literal["running", "gone"]], Meta(min_length=1)] = {}
    nothing_running: JustTrue = None
    empty: JustTrue = None
    emergency: Literal["set", "clear"] | None = None
    either: Annotated[tuple[_Conditions, ...], Meta(min_length=1)] = ()

    def __post_init__(self) -> None:
        try:
            re.compile(self.text)
        except (re.error, RecursionError, OverflowError) as error:
            raise Misplaced("text", f"{self.text!r} is no regular expression: {error}") from None
        if self.gap_below_s is not None and not self.shown:
            raise Misplaced("gap_below_s", "gap_below_s belongs to `shown`: name what is shown after it")
        shown = _each(self.shown)
        if s.NOTHING in shown and (len(shown) > 1 or self.gap_below_s is not None):
            raise Misplaced("shown", f"{s.NOTHING!r} stands alone")
        if not self.made():
            raise ValueError(f"say what must hold: {', '.join(self.__struct_fields__)}")

    def made(self) -> tuple[s.Condition, ...]:
        """As data of their own."""
        seen = (s.EventSeen(self.event, self.text),) if self.event is not None or self.text else ()
        return (
            *seen,
            *(s.Told(words) for words in _each(self.told)),
            *(s.Told(words, wanted=False) for words in _each(self.not_told)),
            *((self.heard,) if isinstance(self.heard, s.Heard) else self.heard),
            *(
                s.Motion(device, bound, limit)
                for bound in s.MotionBound
                for device, limit in getattr(self, bound.value).items()
            ),
            *(s.Shown(name, self.gap_below_s) for name in _each(self.shown)),
            *(s.DeviceIs(name, state) for name, state in self.devices.items()),
            *(s.ResourceIs(name, state) for name, state in self.resources.items()),
            *(s.PlanIs(name, state) for name, state in self.plans.items()),
            *(s.ProcessIs(name, state == "running") for name, state in self.processes.items()),
            *((s.NothingRunning(),) if self.nothing_running else ()),
            *((s.Empty(),) if self.empty else ()),
            *((s.Stopped(self.emergency == "set"),) if self.emergency else ()),
            *((s.Either(tuple(group.made() for group in self.either)),) if self.either else ()),
        )


class _Expect(msgspec.Struct, frozen=True):
    expect: _Conditions
    within_s: s.Duration = s.WITHIN_S
    record: s.Name = ""

    def made(self) -> s.Expect:
        return s.Expect(self.expect.made(), self.within_s, self.record)


class _Await(msgspec.Struct, frozen=True):
    conditions: _Conditions = msgspec.field(name="await")
    within_s: s.Duration = s.WITHIN_S

    def made(self) -> s.Await:
        return s.Await(self.conditions.made(), self.within_s)


class _Strike(msgspec.Struct, frozen=True):
    fail: s.Failing
    when: s.When
    how: s.How = s.How.DIE
    lasts_s: s.Time = 0.0

    def __post_init__(self) -> None:
        s.Fail(self.fail, self.how)

    def made(self) -> s.Strike:
        return s.Strike(s.Fail(self.fail, self.how), self.when, self.lasts_s)


class _Random(msgspec.Struct, frozen=True):
    n: Annotated[int, Meta(ge=1, le=100_000)]
    mean_interval_s: s.Duration
    choices: Annotated[tuple[s.Deed, ...], Meta(min_length=1)]
    invariants: _Conditions | None = None
    within_s: s.Duration = s.WITHIN_S


class _RandomFaults(msgspec.Struct, frozen=True):
    random_faults: _Random

    def made(self) -> s.RandomFaults:
        given = self.random_faults
        invariants = () if given.invariants is None else given.invariants.made()
        return s.RandomFaults(given.n, given.mean_interval_s, given.choices, invariants, given.within_s)


_KINDS: Final = (*get_args(s.Deed), s.WaitStep, _Expect, _Await, _RandomFaults)


def _timed(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """What is done, as a step: with the key `at_s` beside its own."""
    beside: list[tuple[str, Any, Any]] = [("at_s", s.Time | None, None), ("place", Place, Place())]
    return msgspec.defstruct(kind.__name__, beside, bases=(kind,), frozen=True)


_STEPS: Final = {_timed(kind): kind for kind in _KINDS}

_Round = msgspec.defstruct(
    "_Round",
    [
        ("name", Text),
        ("steps", Annotated[tuple[reduce(or_, _STEPS), ...], Meta(min_length=1)]),  # type: ignore[misc]
        ("clock", s.WhichClock | None, None),
    ],
    frozen=True,
)

_File = msgspec.defstruct(
    "_File",
    [
        ("name", Text),
        ("steps", Annotated[tuple[reduce(or_, _STEPS), ...], Meta(min_length=1)]),  # type: ignore[misc]
        ("description", Text, ""),
        ("world", Text, "inspection"),
        ("robot", Text, ""),
        ("phones", JustTrue, None),
        ("actions", Text, ""),
        ("clock", s.WhichClock, s.WhichClock.REAL),
        ("timeout_s", s.Duration, s.TIMEOUT_S),
        ("faults", tuple[_Strike, ...], ()),
        ("invariants", JustTrue, None),
        ("rounds", tuple[_Round, ...], ()),  # type: ignore[valid-type]
    ],
    frozen=True,
)


def read_scenario(path: Path) -> s.Scenario:
    """Read a scenario file. Raises DescriptionError that lists every mistake with its line."""
    return parse_scenario(text_of(path, "this scenario"), str(path))


def parse_scenario(text: str, file: str) -> s.Scenario:
    """The scenario in `text`; `file` names it in errors. Raises DescriptionError."""
    mistakes = Mistakes(file)
    found: Any = convert(compose(text, file), _File, mistakes, what="a scenario")
    last_s = 0.0
    for step in () if found is None else found.steps:
        if step.at_s is not None and step.at_s < last_s:
            words = f"at_s is {step.at_s:g}, but an earlier step waits until {last_s:g} s"
            mistakes.add(step.place.line, words)
        last_s = max(last_s, step.at_s or 0.0)
    mistakes.raise_all()
    return s.Scenario(
        found.name,
        tuple(_step(each) for each in found.steps),
        found.description,
        found.world,
        found.robot,
        found.clock,
        found.timeout_s,
        file,
        bool(found.phones),
        found.actions,
        tuple(each.made() for each in found.faults),
        bool(found.invariants),
        tuple(s.Round(each.name, tuple(map(_step, each.steps)), each.clock) for each in found.rounds),
    )


def _step(timed: Any) -> s.Step:
    kind = _STEPS[type(timed)]
    do: Any = kind(**{name: getattr(timed, name) for name in kind.__struct_fields__})
    if isinstance(do, _Expect | _Await | _RandomFaults):
        do = do.made()
    return s.Step(do, timed.at_s, timed.place.line)


def _each(texts: str | tuple[str, ...]) -> tuple[str, ...]:
    """One or several."""
    return (texts,) if isinstance(texts, str) else texts
