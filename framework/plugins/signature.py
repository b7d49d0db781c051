"""An action as everyone else knows it: name, parameters, needs, phrases. Read from its class, once."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from framework.errors import DescriptionError, PluginUnavailable
from framework.plugins.action import Action, OnPreempt, Risk
from framework.plugins.need import NeedSpec, read_needs
from framework.plugins.parameters import ParameterSpec, convert, read_parameters
from framework.plugins.phrases import FILE_NAME, Phrases, read_phrases
from framework.status import Priority

log = logging.getLogger("pilothouse.actions")


class ActionSpec(msgspec.Struct, frozen=True):
    """An action's signature. `unavailable` is the reason why it cannot be used, or empty.

    type: the class, None if it could not be loaded. source: where it was found.
    phrases: the ways to ask for it; empty where none were read.
    """

    name: str
    type: Any = None
    parameters: tuple[ParameterSpec, ...] = ()
    needs: tuple[NeedSpec, ...] = ()
    phrases: Phrases = Phrases()
    continuous: bool = False
    risk: Risk = Risk.NONE
    on_preempt: OnPreempt = OnPreempt.RESUME
    doc: str = ""
    source: str = ""
    unavailable: str = ""
    memory_type: Any = None
    retains: bool = False
    priority: Priority = Priority.AUTONOMY
    if_held: str = ""
    while_stopped: bool = False
    only_answers: bool = False
    repeats: bool = False

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values of all parameters, from plain data; raises PlanError with everything that is wrong."""
        return convert(self.name, self.parameters, given)

    def asked_by(self, values: Mapping[str, Any]) -> str:
        """Who has asked for it, if one of its parameters says so; else ""."""
        return next((values[each.name] for each in self.parameters if each.asked_by), "")

    def kept(self, handles: Mapping[str, Any]) -> tuple[Any, ...]:
        """What would wait for it besides what needs the same (`Action.keeps`). handles: by needs."""
        has = {need.name: handles.get(need.name) for need in self.needs}
        try:
            return tuple(self.type.keeps(SimpleNamespace(**has)))
        except Exception:  # a plugin's function: what it cannot say is not refused, but waits
            log.exception("what %s keeps cannot be said", self.name)
            return ()

    def requests(self, values: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
        """What each need would ask for, best first. Raises PlanError."""
        return {need.name: need.requests(values) for need in self.needs}


def action_spec(
    cls: type[Action], *, name: str = "", source: str = "", phrases: Phrases | Path | None = None
) -> ActionSpec:
    """Read an action's class. Without `phrases` it can be run, but nobody can say it.

    Raises PluginUnavailable with what is wrong with the class or its phrases.
    """
    name = name or snake_case(cls.__name__)
    parameters = read_parameters(cls, Action)
    needs = read_needs(cls)
    if cls.run is Action.run or not inspect.iscoroutinefunction(cls.run):
        raise PluginUnavailable(name, f"{cls.__name__} needs a method `async def run(self)`")
    for parameter in parameters:
        if hasattr(Action, parameter.name):
            raise PluginUnavailable(
                name, f"parameter {parameter.name} has the name of something every action has"
            )
    try:
        risk, on_preempt = Risk(cls.risk), OnPreempt(cls.on_preempt)
    except ValueError as error:
        risks, ways = ", ".join(Risk), ", ".join(OnPreempt)
        raise PluginUnavailable(name, f"{error}; risk is one of {risks}, on_preempt one of {ways}") from error
    if not isinstance(cls.priority, Priority):
        ways = ", ".join(f"ph.Priority.{each.name}" for each in Priority)
        raise PluginUnavailable(name, f"priority is {cls.priority!r}; it is one of {ways}")
    if cls.while_stopped and (risk is not Risk.NONE or cls.continuous):
        raise PluginUnavailable(name, "while_stopped is for what moves nothing and does not go on")
    takes = any(need.exclusive for need in needs)
    if cls.only_answers and (risk is not Risk.NONE or cls.continuous or takes):
        raise PluginUnavailable(name, "only_answers is for what moves and takes nothing and does not go on")
    if isinstance(phrases, Path):
        try:
            phrases = read_phrases(phrases, parameters)
        except DescriptionError as error:
            raise PluginUnavailable(name, str(error)) from error
    return ActionSpec(
        name,
        cls,
        parameters,
        needs,
        phrases or Phrases(),
        bool(cls.continuous),
        risk,
        on_preempt,
        (cls.__doc__ or "").strip().partition("\n")[0],
        source or cls.__module__,
        "",
        _memory_type(cls, name),
        bool(cls.retains),
        cls.priority,
        cls.if_held,
        bool(cls.while_stopped),
        bool(cls.only_answers),
        bool(cls.repeats),
    )


def phrases_beside(module_file: str) -> Path:
    """The phrases file that belongs to the module of a class."""
    return Path(module_file).parent / FILE_NAME


def snake_case(class_name: str) -> str:
    """`ShowEnvironment` → `show_environment`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()


def _memory_type(cls: type[Action], name: str) -> Any:
    for level in cls.__mro__:
        if level is Action:
            return None
        if not issubclass(level, Action):
            continue
        kind = inspect.get_annotations(level, eval_str=True).get("memory")
        if kind is None:
            continue
        try:
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
                kind()
                return kind
        except TypeError as error:
            raise PluginUnavailable(name, f"memory: {kind.__name__} cannot be made empty: {error}") from error
        raise PluginUnavailable(
            name,
            f"memory is annotated {kind!r}; it has to be a msgspec.Struct whose fields all have defaults",
        )
    return None
