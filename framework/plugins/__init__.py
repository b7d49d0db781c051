"""Actions and drivers as plugins: their base classes, how they are found, and how an action is run.

Read `action.py` and `driver.py` first (what authors write), then `runner.py` (what happens to an
action) and `catalogue.py` (how plugins are found). Names are loaded when they are first used, because
drivers' child processes and the front door come through here and need little of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framework.plugins.action import Action as Action
    from framework.plugins.action import OnPreempt as OnPreempt
    from framework.plugins.action import Risk as Risk
    from framework.plugins.alternatives import RunnerPolicy as RunnerPolicy
    from framework.plugins.catalogue import ActionCatalogue as ActionCatalogue
    from framework.plugins.catalogue import DriverCatalogue as DriverCatalogue
    from framework.plugins.client import Client as Client
    from framework.plugins.driver import DeviceContext as DeviceContext
    from framework.plugins.driver import Driver as Driver
    from framework.plugins.driver import DriverSpec as DriverSpec
    from framework.plugins.events import Outcome as Outcome
    from framework.plugins.events import RunState as RunState
    from framework.plugins.need import NeedSpec as NeedSpec
    from framework.plugins.need import needs as needs
    from framework.plugins.parameters import ParameterSpec as ParameterSpec
    from framework.plugins.parameters import param as param
    from framework.plugins.phrases import Phrases as Phrases
    from framework.plugins.phrases import read_phrases as read_phrases
    from framework.plugins.runner import ActionRunner as ActionRunner
    from framework.plugins.scaffold import new_action as new_action
    from framework.plugins.scaffold import new_driver as new_driver
    from framework.plugins.scaffold import new_grammar as new_grammar
    from framework.plugins.service import SupervisorService as SupervisorService
    from framework.plugins.signature import ActionSpec as ActionSpec
    from framework.plugins.signature import action_spec as action_spec

_HOME = {
    "Action": "action",
    "ActionCatalogue": "catalogue",
    "ActionRunner": "runner",
    "ActionSpec": "signature",
    "Client": "client",
    "DeviceContext": "driver",
    "Driver": "driver",
    "DriverCatalogue": "catalogue",
    "DriverSpec": "driver",
    "NeedSpec": "need",
    "OnPreempt": "action",
    "Outcome": "events",
    "ParameterSpec": "parameters",
    "Phrases": "phrases",
    "Risk": "action",
    "RunState": "events",
    "RunnerPolicy": "alternatives",
    "SupervisorService": "service",
    "action_spec": "signature",
    "needs": "need",
    "new_action": "scaffold",
    "new_driver": "scaffold",
    "new_grammar": "scaffold",
    "param": "parameters",
    "read_phrases": "phrases",
}

__all__ = [
    "Action",
    "ActionCatalogue",
    "ActionRunner",
    "ActionSpec",
    "Client",
    "DeviceContext",
    "Driver",
    "DriverCatalogue",
    "DriverSpec",
    "NeedSpec",
    "OnPreempt",
    "Outcome",
    "ParameterSpec",
    "Phrases",
    "Risk",
    "RunState",
    "RunnerPolicy",
    "SupervisorService",
    "action_spec",
    "needs",
    "new_action",
    "new_driver",
    "new_grammar",
    "param",
    "read_phrases",
]


def __getattr__(name: str) -> object:
    # A submodule's name comes here first while it is being imported: that is no name of the table.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
