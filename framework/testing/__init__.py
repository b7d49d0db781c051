"""The testing kit: virtual time, scripted faults and devices, a pytest plugin. Public, for plugin authors.

`run` is what most tests need. What is here never imports a manager, an action
or a driver; the scenario fixtures get theirs handed in.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framework.testing.children import Script as Script
    from framework.testing.children import ScriptedLauncher as ScriptedLauncher
    from framework.testing.faults import Fault as Fault
    from framework.testing.faults import FaultPlan as FaultPlan
    from framework.testing.faults import random_faults as random_faults
    from framework.testing.runner import run as run
    from framework.testing.runner import run_on as run_on
    from framework.testing.scripted_conditions import ScriptedConditions as ScriptedConditions
    from framework.testing.scripted_installation import ScriptedInstallation as ScriptedInstallation
    from framework.testing.scripted_resources import ScriptedResources as ScriptedResources
    from framework.testing.scripted_sensors import ScriptedDevice as ScriptedDevice
    from framework.testing.virtual_loop import VirtualLoop as VirtualLoop

__all__ = [
    "Fault",
    "FaultPlan",
    "Script",
    "ScriptedConditions",
    "ScriptedDevice",
    "ScriptedInstallation",
    "ScriptedLauncher",
    "ScriptedResources",
    "VirtualLoop",
    "random_faults",
    "run",
    "run_on",
]

_HOME = {
    "Fault": "framework.testing.faults",
    "FaultPlan": "framework.testing.faults",
    "Script": "framework.testing.children",
    "ScriptedConditions": "framework.testing.scripted_conditions",
    "ScriptedDevice": "framework.testing.scripted_sensors",
    "ScriptedInstallation": "framework.testing.scripted_installation",
    "ScriptedLauncher": "framework.testing.children",
    "ScriptedResources": "framework.testing.scripted_resources",
    "random_faults": "framework.testing.faults",
    "VirtualLoop": "framework.testing.virtual_loop",
    "run": "framework.testing.runner",
    "run_on": "framework.testing.runner",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
