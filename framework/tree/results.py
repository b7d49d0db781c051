"""What actions gave back, kept for whoever comes later. What "it" means among these is in `references.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.plan.passing import outputs_of


class Result(msgspec.Struct, frozen=True):
    """What an action gave back. node: its place in the tree; its plan is what stands before the last dot."""

    action: str
    value: Any
    node: str = ""

    @property
    def plan(self) -> str:
        """The id of the plan that the action belonged to; empty where that is not known."""
        return self.node.rpartition(".")[0]

    @property
    def outputs(self) -> Mapping[str, Any]:
        """Its parts by name, nested ones as "pose::x"; the whole is "result"."""
        return outputs_of(self.value)
