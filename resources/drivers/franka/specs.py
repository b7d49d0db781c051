"""The `ProcessSpec` of an arm's process and of its gripper's. Imports nothing heavy."""

from __future__ import annotations

from typing import Final

from framework.processes.spec import ProcessSpec, python_child
from resources.children.specs import ENV_WITHOUT_GL, STALE_AFTER_S
from resources.drivers.franka.arguments import FciArmArguments, FciGripperArguments

BLOCKS_S: Final = 2.0
"""libfranka keeps the interpreter lock while it waits, up to a second, for an arm that has fallen silent."""


def fci_arm_spec(arguments: FciArmArguments) -> ProcessSpec:
    """A real arm. Its handle is the `StreamHandle` of its reports as JSON.

    A call that the arm does not answer freezes the process for good: then it is ended from outside.
    """
    return _control("fci_arm", "arm_child", arguments.device, arguments)


def fci_gripper_spec(arguments: FciGripperArguments) -> ProcessSpec:
    """A real arm's gripper. Its handle is a `FciGripperFeed` as JSON."""
    return _control("fci_gripper", "gripper_child", arguments.device, arguments)


def _control(kind: str, module: str, name: str, arguments: object) -> ProcessSpec:
    return ProcessSpec(
        python_child(f"resources.drivers.franka.{module}:main", arguments),
        f"{kind} {name}",
        env=ENV_WITHOUT_GL,
        blocks_s=BLOCKS_S,
        start_timeout_s=8.0,  # an arm that was reached but does not answer: see reaching.py
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(2.0, 0.5),
        restart=None,
        collect_garbage=False,
        device=name,
    )
