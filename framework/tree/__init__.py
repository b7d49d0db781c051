"""Trees: plans being carried out. One py_trees behaviour an action, one composite a join.

Read `run.py` first, then `composites.py` (it says when each join begins, goes on and ends), `graph.py` (the
same for graphs) and `action.py`. `references.py` says what "it" means, `change.py` how a paused plan is
changed, `picture.py` how a tree is drawn. Runners and conditions come in as protocols (`runner.py`);
`actions.py` makes real ones.
"""

from framework.tree.change import Change, Insert, Remove, Replace
from framework.tree.context import Result
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.runner import Conditions, NoConditions, Runner, RunnerFactory, Say
from framework.tree.view import NodeState, TreeView

__all__ = [
    "Change",
    "Conditions",
    "Insert",
    "NoConditions",
    "NodeState",
    "PlanOutcome",
    "PlanState",
    "Remove",
    "Replace",
    "Result",
    "Runner",
    "RunnerFactory",
    "Say",
    "TreeRun",
    "TreeView",
]
