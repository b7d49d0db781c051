"""A scenario as the text of a file, which `framework.scenarios.reading` reads as the same scenario."""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from framework.scenarios import scenario as s


def written(scenario: s.Scenario, comment: str = "") -> str:
    """The text. comment: on top of it."""
    head: dict[str, Any] = {"name": scenario.name}
    for key in ("description", "robot", "actions"):
        if value := getattr(scenario, key):
            head[key] = value
    head |= {"world": scenario.world, "clock": scenario.clock.value, "timeout_s": scenario.timeout_s}
    head |= {key: True for key in ("phones", "invariants") if getattr(scenario, key)}
    if scenario.faults:
        head["faults"] = [_strike(each) for each in scenario.faults]
    head["steps"] = [_step(each) for each in scenario.steps]
    if scenario.rounds:
        head["rounds"] = [_round(each) for each in scenario.rounds]
    text = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=108, default_flow_style=None)
    top = "".join(f"# {line}\n" for line in comment.splitlines())
    return f"{top}{text}"


def _strike(strike: s.Strike) -> dict[str, Any]:
    found = {**_plain(strike.fail), "when": _plain(strike.when)}
    return {**found, "lasts_s": strike.lasts_s} if strike.lasts_s else found


def _round(each: s.Round) -> dict[str, Any]:
    on = {} if each.clock is None else {"clock": each.clock.value}
    return {"name": each.name, **on, "steps": [_step(step) for step in each.steps]}


def _step(step: s.Step) -> dict[str, Any]:
    beside = {} if step.at_s is None else {"at_s": step.at_s}
    match step.do:
        case s.Expect(conditions=conditions, within_s=within_s, record=record):
            named = {"record": record} if record else {}
            return {"expect": _conditions(conditions), "within_s": within_s, **named, **beside}
        case s.Await(conditions=conditions, within_s=within_s):
            return {"await": _conditions(conditions), "within_s": within_s, **beside}
        case s.RandomFaults() as drawn:
            given: dict[str, Any] = {"n": drawn.n, "mean_interval_s": drawn.mean_interval_s}
            given |= {"choices": [_plain(each) for each in drawn.choices], "within_s": drawn.within_s}
            if drawn.invariants:
                given["invariants"] = _conditions(drawn.invariants)
            return {"random_faults": given, **beside}
        case do:
            return {**_plain(do), **beside}


def _plain(struct: msgspec.Struct) -> dict[str, Any]:
    """Its fields under the names that files have, but those that are as they are anyway."""
    fields = {each.encode_name: each for each in msgspec.structs.fields(type(struct))}
    values: dict[str, Any] = msgspec.to_builtins(struct)
    return {
        name: value
        for name, value in values.items()
        if fields[name].required or value != fields[name].default or len(values) == 1
    }


def _conditions(conditions: tuple[s.Condition, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def add(key: str, name: str, value: Any) -> None:
        found.setdefault(key, {})[name] = value

    for each in conditions:
        match each:
            case s.EventSeen(kind=kind, pattern=pattern):
                found |= {"event": kind.value} if kind is not None else {}
                found |= {"text": pattern} if pattern else {}
            case s.Told(words=words, wanted=wanted):
                found.setdefault("told" if wanted else "not_told", []).append(words)
            case s.Heard():
                found.setdefault("heard", []).append(_plain(each))
            case s.Motion(device=device, bound=bound, limit=limit):
                add(bound.value, device, limit)
            case s.Shown(device=device, gap_below_s=gap_s):
                found.setdefault("shown", []).append(device)
                found |= {"gap_below_s": gap_s} if gap_s is not None else {}
            case s.DeviceIs(device=device, state=state):
                add("devices", device, state)
            case s.ResourceIs(resource=resource, state=state):
                add("resources", resource, state)
            case s.PlanIs(words=words, state=plan_state):
                add("plans", words, plan_state.value)
            case s.ProcessIs(process=process, runs=runs):
                add("processes", process, "running" if runs else "gone")
            case s.NothingRunning():
                found["nothing_running"] = True
            case s.Empty():
                found["empty"] = True
            case s.Stopped(is_set=is_set):
                found["emergency"] = "set" if is_set else "clear"
            case s.Either(groups=groups):
                found["either"] = [_conditions(group) for group in groups]
    return found
