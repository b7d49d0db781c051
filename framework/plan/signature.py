"""What a plan needs to know about actions: their signatures, as the catalogue of plugins has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from framework.plan.ast import Alongside, Do, Graph, If, Parallel, Plan, Sequence, While
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from framework.status import Priority


class Signature(Protocol):
    """One action. `unavailable` is the reason why it cannot be used, or empty."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> tuple[ParameterSpec, ...]: ...

    @property
    def continuous(self) -> bool: ...

    @property
    def retains(self) -> bool: ...

    @property
    def priority(self) -> Priority: ...

    @property
    def risk(self) -> Risk: ...

    @property
    def while_stopped(self) -> bool: ...

    @property
    def only_answers(self) -> bool: ...

    @property
    def repeats(self) -> bool: ...

    @property
    def unavailable(self) -> str: ...


class Signatures(Protocol):
    """All actions of an installation."""

    def find(self, name: str) -> Signature | None:
        """The action of this name, also if it is unavailable; None if there is none."""
        ...

    def names(self) -> tuple[str, ...]:
        """The names of all that are available."""
        ...


def is_continuous(plan: Plan, stays: Callable[[Do], bool]) -> bool:
    """Whether a plan stays after it is established, given which actions do.

    "a and b" is parallel if a is continuous; an Alongside is ended by its finite side.
    """
    match plan:
        case Do():
            return stays(plan)
        case Sequence():
            return any(is_continuous(step, stays) for step in plan.steps)
        case Parallel():
            return any(is_continuous(branch, stays) for branch in plan.branches)
        case Alongside():
            return is_continuous(plan.body, stays) and is_continuous(plan.companion, stays)
        case While():
            return is_continuous(plan.body, stays)
        case If():
            branches = [plan.then] + ([plan.otherwise] if plan.otherwise is not None else [])
            return any(is_continuous(branch, stays) for branch in branches)
        case Graph():
            # Without an exit it goes on until it is stopped.
            return not plan.exits or any(is_continuous(node.plan, stays) for node in plan.nodes)
    return False
