"""What an action needs, and which of several alternatives are asked for. Asking is `claim.py`'s business."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import PilothouseError, PlanError, PluginUnavailable, RequestTypeError
from framework.registrar.keys import checked_type, key_of

if TYPE_CHECKING:
    from framework.plugins.action import Action


class NeedSpec(msgspec.Struct, frozen=True):
    """One need of a signature.

    alternatives: requests, best first, or functions of the parameters that give one or several.
    exclusive: ask for the write token. optional: do without if there is none.
    returns: go back to a better alternative once that works again.
    """

    name: str
    alternatives: tuple[Any, ...]
    exclusive: bool = False
    optional: bool = False
    returns: bool = False

    def requests(self, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """The requests for these parameter values, best first; none if it is not needed with these.

        Raises PlanError in words.
        """
        found: list[Any] = []
        for alternative in self.alternatives:
            if not callable(alternative):
                found.append(alternative)
                continue
            try:
                made = alternative(SimpleNamespace(**parameters))
            except Exception as error:  # a plugin's function: whatever it raises, the words are what matters
                raise PlanError(f"what {self.name} needs cannot be said: {error}") from error
            found.extend(made if isinstance(made, tuple | list) else (made,))
        for request in found:
            try:
                key_of(request)
            except RequestTypeError as error:
                raise PlanError(f"{self.name} cannot be requested: {error}") from error
        return tuple(found)


class Need:
    """What `needs(...)` leaves on the class: on an instance that runs, it is the client."""

    def __init__(
        self, alternatives: tuple[Any, ...], exclusive: bool, optional: bool, returns: bool | None
    ) -> None:
        self.alternatives = alternatives
        self.exclusive = exclusive
        self.optional = optional
        self.returns = returns
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Action | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        client = instance.__dict__.get("_clients", {}).get(self.name)
        if client is None:
            raise PilothouseError(
                f"{type(instance).__name__}.{self.name} is there in `run` only, when a runner has acquired it"
            )
        return client


def needs(
    *alternatives: Any, exclusive: bool = False, optional: bool = False, returns: bool | None = None
) -> Any:
    """State a need: `camera = ph.needs(ph.Camera(kind="rgbd"), ph.Camera(kind="rgb"))`.

    The first alternative that works is taken; `self.camera` is its client while `run` runs.

    Args:
        alternatives: requests; request types whose fields all have defaults; or functions of the
            parameters (`lambda given: ph.Tracked(given.thing)`) that return a request or several; or none,
            `()`, if it is not needed with these: `self.camera` is false then.
        exclusive: it is to be commanded, by this action alone.
        optional: its absence is no failure; `self.camera` is false then.
        returns: go back to a better alternative once that works; by default if the action is continuous.
    """
    return Need(alternatives, exclusive, optional, returns)


def read_needs(cls: type) -> tuple[NeedSpec, ...]:
    """The needs that a class and its bases state. Raises PluginUnavailable with a reason in words."""
    found: dict[str, NeedSpec] = {}
    for level in reversed(cls.__mro__):
        for name, value in vars(level).items():
            if isinstance(value, Need):
                found[name] = _spec(cls, name, value)
    return tuple(found.values())


_fields = lru_cache(maxsize=500)(msgspec.structs.fields)


def in_words(request: Any) -> str:
    """A request as people read it: as it says itself, or its fields that differ from their defaults."""
    if not isinstance(request, msgspec.Struct):
        return repr(request)
    if any("__str__" in vars(level) for level in type(request).__mro__[:-1]):
        return str(request)
    said = []
    for field in _fields(type(request)):
        value = getattr(request, field.name)
        if field.default is msgspec.NODEFAULT or value != field.default:
            said.append(f"{field.name}={in_words(value)}")
    return f"{type(request).__name__}({', '.join(said)})"


def _spec(cls: type, name: str, need: Need) -> NeedSpec:
    if not need.alternatives:
        raise PluginUnavailable(cls.__name__, f"{name} = needs() names nothing that could be requested")
    alternatives = tuple(_alternative(cls, name, value) for value in need.alternatives)
    continuous = bool(getattr(cls, "continuous", False))
    returns = continuous if need.returns is None else need.returns
    return NeedSpec(name, alternatives, need.exclusive, need.optional, returns)


def _alternative(cls: type, name: str, value: Any) -> Any:
    try:
        if isinstance(value, type):
            request: Any = checked_type(value)()
        elif callable(value):
            return value
        else:
            request = value
        key_of(request)
    except (RequestTypeError, TypeError) as error:
        raise PluginUnavailable(
            cls.__name__, f"{name} = needs({value!r}) cannot be requested: {error}"
        ) from error
    return request
