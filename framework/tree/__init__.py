"""Trees: plans being carried out. One py_trees behaviour an action, one composite a join.

Read `run.py` first, then `composites.py` (its table says when each join begins, goes on and ends) and
`action.py`. Runners and conditions come in as protocols (`runner.py`); `actions.py` makes real ones.
"""

from framework.tree.context import Happened, Result, TreeEvent
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.runner import Conditions, NoConditions, Runner, RunnerFactory, Say
from framework.tree.view import NodeState, TreeView, picture

__all__ = [
    "Conditions",
    "Happened",
    "NoConditions",
    "NodeState",
    "PlanOutcome",
    "PlanState",
    "Result",
    "Runner",
    "RunnerFactory",
    "Say",
    "TreeEvent",
    "TreeRun",
    "TreeView",
    "picture",
]
