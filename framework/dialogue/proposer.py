"""The seam to whatever proposes a plan for a text that the grammar refuses. Off unless one is handed in.

A proposal is only a proposal: it is checked, put into words, parsed back and
confirmed before anything of it begins. A proposer never sees a meta command.
"""

from __future__ import annotations

from typing import Protocol

from framework.plan.ast import Plan
from framework.plan.parser import World


class Proposer(Protocol):
    """Somebody who may know what is meant."""

    async def propose(self, text: str, world: World) -> Plan:
        """A plan that fits the actions, the known world and the grammar.

        Raises ProposalError in words: no answer in time, an answer that is none, a plan that does not fit.
        """
        ...
