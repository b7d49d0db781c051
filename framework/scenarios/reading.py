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
      - play: phone 1 presses the clutch  # people with phones, on the virtual clock, if `phones: true`
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

Conditions of `expect` (all must hold together): `event` with `text` (a regular expression), `told`,
`not_told`, `shown` (a device, any, nothing), `gap_below_s`, `devices`, `resources`, `plans`, `processes`
(each a mapping of names to states), `nothing_running`, `empty`, `emergency` (set or clear), `either`.
What was said counts from the first deed after the last expectation; samples and gaps from the last deed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import yaml

from framework.errors import DescriptionError
from framework.events import EventKind
from framework.scenarios import scenario as s
from framework.scenarios.nodes import Fields, Mistakes, compose, line_of, shown
from framework.tree.run import PlanState

_FIELDS = ("name", "description", "world", "robot", "phones", "actions", "clock", "timeout_s", "steps")
_DEEDS = (
    "say",
    "fail",
    "restore",
    "kill",
    "stop_process",
    "continue_process",
    "emergency_stop",
    "reset",
    "take",
    "give_back",
    "play",
)
_ALL_STEPS = (*_DEEDS, "wait_s", "expect", "random_faults")
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "say": ("settles", "within_s", "who"),
    "fail": ("how",),
    "expect": ("within_s", "record"),
}
_CONDITIONS = (
    "event",
    "text",
    "told",
    "not_told",
    "shown",
    "gap_below_s",
    "devices",
    "resources",
    "plans",
    "processes",
    "nothing_running",
    "empty",
    "emergency",
    "either",
)
_RANDOM = ("n", "mean_interval_s", "choices", "invariants", "within_s")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def read_scenario(path: Path) -> s.Scenario:
    """Read a scenario file. Raises DescriptionError that lists every mistake with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(f"this scenario cannot be read: {error}", file=str(path)) from error
    return parse_scenario(text, str(path))


def parse_scenario(text: str, file: str) -> s.Scenario:
    """The scenario in `text`; `file` names it in errors. Raises DescriptionError."""
    root = compose(text, file)
    if not isinstance(root, yaml.MappingNode):
        line = line_of(root) if root is not None else 1
        raise DescriptionError(f"a scenario is a mapping of {', '.join(_FIELDS)}", file=file, line=line)
    mistakes = Mistakes(file)
    found = _Reader(mistakes).scenario(root)
    mistakes.raise_all()
    return found


class _Reader:
    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes

    def scenario(self, root: yaml.MappingNode) -> s.Scenario:
        wrong = self._mistakes
        fields = wrong.fields(root, _FIELDS, "a scenario")
        for needed in ("name", "steps"):
            if needed not in fields:
                wrong.add(root, f"{needed} is missing")
        clock = s.WhichClock.REAL
        if "clock" in fields:
            clock = wrong.choice(fields["clock"], "clock", s.WhichClock, clock)
        if phones := "phones" in fields:
            wrong.just_true(fields["phones"], "phones")
        timeout_s = s.TIMEOUT_S
        if "timeout_s" in fields:
            timeout_s = wrong.number(fields["timeout_s"], "timeout_s", above=0.0)
        steps: list[s.Step] = []
        if "steps" in fields:
            steps = [self._step(node) for node in wrong.items(fields["steps"], "steps")]
            self._check_times(steps)
        return s.Scenario(
            self._optional_text(fields, "name", ""),
            tuple(steps),
            self._optional_text(fields, "description", ""),
            self._optional_text(fields, "world", "inspection"),
            self._optional_text(fields, "robot", ""),
            clock,
            timeout_s,
            wrong.file,
            phones,
            self._optional_text(fields, "actions", ""),
        )

    def _check_times(self, steps: list[s.Step]) -> None:
        last_s = 0.0
        for step in steps:
            if step.at_s is not None:
                if step.at_s < last_s:
                    self._mistakes.add(
                        step.line, f"at_s is {step.at_s:g}, but an earlier step waits until {last_s:g} s"
                    )
                last_s = max(last_s, step.at_s)

    # -- steps

    def _step(self, node: yaml.Node) -> s.Step:
        wrong = self._mistakes
        at_s: float | None = None
        kind = self._kind(node, _ALL_STEPS, "a step")
        if kind is None:
            return s.Step(s.Wait(0.0), None, line_of(node))
        fields = wrong.fields(node, (kind, "at_s", *_BESIDE.get(kind, ())), f"a step `{kind}`")
        if "at_s" in fields:
            before = len(wrong)
            given_s = wrong.number(fields["at_s"], "at_s")
            at_s = given_s if len(wrong) == before else None
        do: s.Deed | s.Wait | s.Expect | s.RandomFaults
        if kind == "wait_s":
            do = s.Wait(wrong.number(fields[kind], "wait_s"))
        elif kind == "expect":
            do = self._expect(fields)
        elif kind == "random_faults":
            do = self._random_faults(fields[kind])
        else:
            do = self._deed(kind, fields)
        return s.Step(do, at_s, line_of(node))

    def _kind(self, node: yaml.Node, allowed: tuple[str, ...], what: str) -> str | None:
        wrong = self._mistakes
        if not isinstance(node, yaml.MappingNode):
            wrong.add(node, f"{what} is a mapping with one of {', '.join(allowed)}, not {shown(node)}")
            return None
        kinds = [str(key.value) for key, _ in node.value if str(key.value) in allowed]
        if len(kinds) != 1:
            given = f"both {' and '.join(kinds)}" if kinds else "none"
            names = ", ".join(str(key.value) for key, _ in node.value)
            wrong.add(node, f"{what} has just one of {', '.join(allowed)}; {given} stand here ({names})")
            return None
        return kinds[0]

    def _deed(self, kind: str, fields: Fields) -> s.Deed:
        wrong = self._mistakes
        node = fields[kind]
        if kind == "reset":
            wrong.just_true(node, "reset")
            return s.Reset()
        text = wrong.text(node, kind)
        if kind == "say":
            settles, within_s = s.Settles.DONE, 30.0
            if "settles" in fields:
                settles = wrong.choice(fields["settles"], "settles", s.Settles, settles)
            if "within_s" in fields:
                within_s = wrong.number(fields["within_s"], "within_s", above=0.0)
            who = wrong.text(fields["who"], "who") if "who" in fields else ""
            return s.Say(text, settles, within_s, who)
        if kind == "fail":
            how = s.How.DIE
            if "how" in fields:
                how = wrong.choice(fields["how"], "how", s.How, how)
            if "/" in text:
                if how is not s.How.DIE:
                    wrong.add(fields["how"], "a resource can only die; how is for devices")
                return s.Fail(text)
            return s.Fail(self._name(node, text, "a device"), how)
        if kind == "restore":
            return s.Restore(self._name(node, text, "a device"))
        if kind == "take":
            return s.Take(self._name(node, text, "a device"))
        if kind == "give_back":
            return s.GiveBack(self._name(node, text, "a device"))
        make: dict[str, Callable[[str], s.Deed]] = {
            "kill": s.Kill,
            "stop_process": s.StopProcess,
            "continue_process": s.ContinueProcess,
            "emergency_stop": s.EmergencyStop,
            "play": s.Play,
        }
        return make[kind](text)

    def _expect(self, fields: Fields) -> s.Expect:
        wrong = self._mistakes
        within_s, record = s.WITHIN_S, ""
        if "within_s" in fields:
            within_s = wrong.number(fields["within_s"], "within_s", above=0.0)
        if "record" in fields:
            record = wrong.text(fields["record"], "record")
            self._name(fields["record"], record, "a recorded number")
        return s.Expect(self._conditions(fields["expect"], "expect"), within_s, record)

    def _random_faults(self, node: yaml.Node) -> s.RandomFaults:
        wrong = self._mistakes
        fields = wrong.fields(node, _RANDOM, "random_faults")
        for needed in ("n", "mean_interval_s", "choices"):
            if fields and needed not in fields:
                wrong.add(node, f"random_faults needs {needed}")
        n = wrong.whole(fields["n"], "n", least=1, most=100_000) if "n" in fields else 1
        mean_s = 1.0
        if "mean_interval_s" in fields:
            mean_s = wrong.number(fields["mean_interval_s"], "mean_interval_s", above=0.0)
        within_s = s.WITHIN_S
        if "within_s" in fields:
            within_s = wrong.number(fields["within_s"], "within_s", above=0.0)
        choices: list[s.Deed] = []
        if "choices" in fields:
            for item in wrong.items(fields["choices"], "choices"):
                kind = self._kind(item, _DEEDS, "a choice")
                if kind is not None:
                    beside = _BESIDE.get(kind, ())
                    choices.append(
                        self._deed(kind, wrong.fields(item, (kind, *beside), f"a choice `{kind}`"))
                    )
        invariants: tuple[s.Condition, ...] = ()
        if "invariants" in fields:
            invariants = self._conditions(fields["invariants"], "invariants")
        return s.RandomFaults(n, mean_s, tuple(choices), invariants, within_s)

    # -- conditions

    def _conditions(self, node: yaml.Node, what: str) -> tuple[s.Condition, ...]:
        wrong = self._mistakes
        before = len(wrong)
        fields = wrong.fields(node, _CONDITIONS, what)
        found: list[s.Condition] = []
        if "event" in fields or "text" in fields:
            found.append(self._event(fields))
        for key, wanted in (("told", True), ("not_told", False)):
            if key in fields:
                found += [s.Told(words, wanted) for words in wrong.one_or_more(fields[key], key)]
        found += self._shown(fields)
        found += self._states(fields)
        if "nothing_running" in fields:
            wrong.just_true(fields["nothing_running"], "nothing_running")
            found.append(s.NothingRunning())
        if "empty" in fields:
            wrong.just_true(fields["empty"], "empty")
            found.append(s.Empty())
        if "emergency" in fields:
            found.append(s.Stopped(self._one_of(fields["emergency"], "emergency", ("set", "clear")) == "set"))
        if "either" in fields:
            groups = wrong.items(fields["either"], "either")
            found.append(s.Either(tuple(self._conditions(group, "a group of `either`") for group in groups)))
        if not found and len(wrong) == before:
            wrong.add(node, f"{what} is empty; say what must hold: {', '.join(_CONDITIONS)}")
        return tuple(found)

    def _event(self, fields: Fields) -> s.EventSeen:
        wrong = self._mistakes
        kind = None
        if "event" in fields:
            kind = wrong.choice(fields["event"], "event", EventKind, EventKind.ERROR)
        pattern = ""
        if "text" in fields:
            pattern = wrong.text(fields["text"], "text")
            try:
                re.compile(pattern)
            except (re.error, RecursionError, OverflowError) as error:
                wrong.add(fields["text"], f"text is {pattern!r}, which is no regular expression: {error}")
        return s.EventSeen(kind, pattern)

    def _shown(self, fields: Fields) -> list[s.Shown]:
        wrong = self._mistakes
        gap_s: float | None = None
        if "gap_below_s" in fields:
            gap_s = wrong.number(fields["gap_below_s"], "gap_below_s", above=0.0)
            if "shown" not in fields:
                wrong.add(
                    fields["gap_below_s"], "gap_below_s belongs to `shown`: name what is shown after it"
                )
        if "shown" not in fields:
            return []
        names = wrong.one_or_more(fields["shown"], "shown")
        for name in names:
            self._name(fields["shown"], name, "a device")
        if s.NOTHING in names and (len(names) > 1 or gap_s is not None):
            wrong.add(fields["shown"], f"{s.NOTHING!r} stands alone")
        return [s.Shown(name, gap_s) for name in names]

    def _states(self, fields: Fields) -> list[s.Condition]:
        wrong = self._mistakes
        found: list[s.Condition] = []
        if "devices" in fields:
            for name, node in wrong.pairs(fields["devices"], "devices"):
                self._name(node, name, "a device")
                found.append(s.DeviceIs(name, wrong.text(node, f"the state of {name}")))
        if "resources" in fields:
            for name, node in wrong.pairs(fields["resources"], "resources"):
                if "/" not in name:
                    wrong.add(node, f"{name!r} is no resource: write registrar/request, `*` for anything")
                found.append(s.ResourceIs(name, wrong.text(node, f"the state of {name}")))
        if "plans" in fields:
            for name, node in wrong.pairs(fields["plans"], "plans"):
                state = wrong.choice(node, f"the state of {name!r}", PlanState, PlanState.FAILED)
                found.append(s.PlanIs(name, state))
        if "processes" in fields:
            for name, node in wrong.pairs(fields["processes"], "processes"):
                state_ = self._one_of(node, f"the state of {name!r}", ("running", "gone"))
                found.append(s.ProcessIs(name, state_ == "running"))
        return found

    # -- small parts

    def _optional_text(self, fields: Fields, name: str, default: str) -> str:
        return self._mistakes.text(fields[name], name) if name in fields else default

    def _one_of(self, node: yaml.Node, field: str, allowed: tuple[str, ...]) -> str:
        text = node.value if isinstance(node, yaml.ScalarNode) else None
        if text in allowed:
            return str(text)
        self._mistakes.add(node, f"{field} is {shown(node)}; allowed are {', '.join(allowed)}")
        return allowed[0]

    def _name(self, node: yaml.Node, name: str, what: str) -> str:
        if name and not _NAME.fullmatch(name):
            self._mistakes.add(
                node, f"{name!r} cannot name {what}: small letters, digits and _ only, a letter first"
            )
        return name
