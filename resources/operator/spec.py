"""How the operator process is started. Imports nothing of what it needs: the main process reads this."""

from __future__ import annotations

from typing import Final

from framework.processes.spec import ProcessSpec, python_child
from resources.operator.arguments import OperatorArguments

NAME: Final = "operator links"


def operator_spec(arguments: OperatorArguments) -> ProcessSpec:
    """The child to start; it is told `OperatorOrder`s.

    What it says when it is ready, and with each change, is its `OperatorLinksHandle` as JSON.
    """
    return ProcessSpec(
        python_child("resources.operator.main:main", arguments),
        NAME,
        start_timeout_s=20.0,
        stop_timeouts_s=(3.0, 1.0),
    )
