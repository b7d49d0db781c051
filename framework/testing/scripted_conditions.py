"""Conditions that a test decides: `conditions.put("open", True, thing="door")`."""

from __future__ import annotations

import operator
from collections.abc import Callable

import msgspec

from framework.plan.ast import Compare, Comparison, State, Value

_HOLDS: dict[Comparison, Callable[[float, float], bool]] = {
    Comparison.LESS: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.EQUAL: operator.eq,
    Comparison.AT_LEAST: operator.ge,
    Comparison.MORE: operator.gt,
}


class ScriptedConditions:
    """`framework.tree.Conditions`: what was put is so, about everything else nobody can tell."""

    def __init__(self) -> None:
        self._answers: dict[bytes, bool | float] = {}
        self._watchers: dict[object, Callable[[], None]] = {}

    def put(self, name: str, answer: bool | float | None, **arguments: Value) -> None:
        """A state is so or not, a quantity is so much, or (None) nobody can tell any more."""
        key = _key(name, arguments)
        if answer is None:
            self._answers.pop(key, None)
        else:
            self._answers[key] = answer
        for changed in tuple(self._watchers.values()):
            changed()

    def read(self, condition: State | Compare) -> bool | None:
        """As it was put."""
        if isinstance(condition, State):
            answer = self._answers.get(_key(condition.name, condition.arguments))
            return None if answer is None else bool(answer) is condition.is_so
        measured = self._answers.get(_key(condition.quantity, condition.arguments))
        return None if measured is None else _HOLDS[condition.comparison](measured, condition.value)

    def is_finding_out(self, condition: State | Compare) -> bool:
        """Never: what has not been put is not known."""
        return False

    def why_undecidable(self, condition: State | Compare) -> str:
        """Anything may be put yet."""
        return ""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` at each `put`."""
        watcher = object()
        self._watchers[watcher] = changed

        def end() -> None:
            self._watchers.pop(watcher, None)

        return end


def _key(name: str, arguments: dict[str, Value]) -> bytes:
    return msgspec.json.encode((name, arguments), order="deterministic")
