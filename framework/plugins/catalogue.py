"""All actions, and all drivers, that there are: found in folders and installed distributions.

What is wrong with a plugin becomes its `unavailable`; it harms no other one, and `discover` never raises
because of it. Of two with one name the first that was found counts: folders in the order given, then
entry points.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from framework.errors import PluginUnavailable
from framework.plugins import loading
from framework.plugins.action import Action
from framework.plugins.driver import Driver, DriverSpec, driver_spec
from framework.plugins.phrases import FILE_NAME
from framework.plugins.scaffold import name_problem
from framework.plugins.signature import ActionSpec, action_spec, phrases_beside

ACTIONS_GROUP = "pilothouse.actions"
DRIVERS_GROUP = "pilothouse.resources"

_Spec = TypeVar("_Spec", ActionSpec, DriverSpec)


class Catalogue(Generic[_Spec]):
    """Plugins of one kind, by name."""

    kind: ClassVar[str]

    def __init__(self, specs: Iterable[_Spec] = ()) -> None:
        self._specs: dict[str, _Spec] = {}
        self._rejected: list[_Spec] = []
        for spec in specs:
            self._add(spec)

    @property
    def available(self) -> tuple[_Spec, ...]:
        """What can be used, by name."""
        usable = [spec for spec in self._specs.values() if not spec.unavailable]
        return tuple(sorted(usable, key=lambda spec: spec.name))

    @property
    def unavailable(self) -> tuple[_Spec, ...]:
        """What was found and cannot be used, by name; each says why."""
        broken = [spec for spec in self._specs.values() if spec.unavailable]
        return tuple(sorted(broken + self._rejected, key=lambda spec: spec.name))

    def __getitem__(self, name: str) -> _Spec:
        """The one of that name. Raises PluginUnavailable: there is none, or it cannot be used."""
        spec = self._specs.get(name)
        if spec is None:
            known = ", ".join(self.names()) or "none"
            raise PluginUnavailable(name, f"there is no {self.kind} of that name; there are {known}")
        if spec.unavailable:
            raise PluginUnavailable(name, spec.unavailable)
        return spec

    def __contains__(self, name: object) -> bool:
        """Whether there is one of that name that can be used."""
        spec = self._specs.get(name) if isinstance(name, str) else None
        return spec is not None and not spec.unavailable

    def find(self, name: str) -> _Spec | None:
        """The one of that name, also if it is unavailable; None if there is none."""
        return self._specs.get(name)

    def names(self) -> tuple[str, ...]:
        """The names of all that are available."""
        return tuple(spec.name for spec in self.available)

    def _add(self, spec: _Spec) -> None:
        first = self._specs.get(spec.name)
        if first is None:
            self._specs[spec.name] = spec
            return
        why = (
            spec.unavailable or f"another {self.kind} of this name comes from {first.source}; rename this one"
        )
        self._rejected.append(msgspec.structs.replace(spec, type=None, unavailable=why))


class ActionCatalogue(Catalogue[ActionSpec]):
    """The actions of an installation."""

    kind = "action"

    @classmethod
    def discover(cls, folders: Sequence[Path] = (), *, entry_points: bool = True) -> ActionCatalogue:
        """Find actions: one folder an action in each of `folders`, and the group `pilothouse.actions`."""
        catalogue = cls()
        for folder in folders:
            for path in loading.plugin_folders(folder):
                catalogue._add(_action_in(path))
        if entry_points:
            for entry in loading.entry_points_of(ACTIONS_GROUP):
                catalogue._add(_action_of(entry))
        return catalogue


class DriverCatalogue(Catalogue[DriverSpec]):
    """The drivers of an installation."""

    kind = "driver"

    @classmethod
    def discover(
        cls,
        folders: Sequence[Path] = (),
        *,
        entry_points: bool = True,
        built_in: Sequence[type[Driver]] = (),
    ) -> DriverCatalogue:
        """Find drivers: in `driver.py` of each folder in `folders`, and the group `pilothouse.resources`.

        A `driver.py` may hold several; other modules of such a folder are not imported.
        `built_in` are classes that the caller has already; they come first.
        """
        catalogue = cls(_driver(kind, kind.__module__) for kind in built_in)
        for folder in folders:
            for path in loading.plugin_folders(folder):
                if (path / "driver.py").is_file():
                    for spec in _drivers_in(path):
                        catalogue._add(spec)
        if entry_points:
            for entry in loading.entry_points_of(DRIVERS_GROUP):
                for spec in _drivers_of(entry):
                    catalogue._add(spec)
        return catalogue


def _action_in(path: Path) -> ActionSpec:
    try:
        _check_name(path.name)
        modules = loading.load_folder(path, "action")
        found = [kind for module in modules for kind in _subclasses_in(module, Action)]
        classes = list(dict.fromkeys(found))
        if len(classes) != 1:
            names = ", ".join(kind.__name__ for kind in classes) or "none"
            raise PluginUnavailable(
                path.name, f"its folder has to hold one class derived from Action; it holds {names}"
            )
        phrases = _phrases_of(path.name, classes[0], path / FILE_NAME)
        return action_spec(classes[0], name=path.name, source=str(path), phrases=phrases)
    except PluginUnavailable as error:
        return ActionSpec(path.name, source=str(path), unavailable=error.reason)


def _action_of(entry: EntryPoint) -> ActionSpec:
    source = loading.distribution_of(entry)
    try:
        _check_name(entry.name)
        kind = loading.load_entry_point(entry)
        if not (isinstance(kind, type) and issubclass(kind, Action)):
            raise PluginUnavailable(
                entry.name,
                f"{entry.value} is {kind!r}; the entry point has to name a class derived from Action",
            )
        phrases = _phrases_of(entry.name, kind, phrases_beside(inspect.getfile(kind)))
        return action_spec(kind, name=entry.name, source=source, phrases=phrases)
    except PluginUnavailable as error:
        return ActionSpec(entry.name, source=source, unavailable=error.reason)


def _drivers_in(path: Path) -> list[DriverSpec]:
    try:
        modules = loading.load_folder(path, "driver")
    except PluginUnavailable as error:
        return [DriverSpec(path.name, source=str(path), unavailable=error.reason)]
    found = list(dict.fromkeys(kind for module in modules for kind in _subclasses_in(module, Driver)))
    if not found:
        why = "its driver.py holds no class derived from Driver"
        return [DriverSpec(path.name, source=str(path), unavailable=why)]
    return [_driver(kind, str(path)) for kind in found]


def _drivers_of(entry: EntryPoint) -> list[DriverSpec]:
    source = loading.distribution_of(entry)
    try:
        kind = loading.load_entry_point(entry)
    except PluginUnavailable as error:
        return [DriverSpec(entry.name, source=source, unavailable=error.reason)]
    if not (isinstance(kind, type) and issubclass(kind, Driver)):
        why = f"{entry.value} is {kind!r}; the entry point has to name a class derived from Driver"
        return [DriverSpec(entry.name, source=source, unavailable=why)]
    return [_driver(kind, source)]


def _driver(kind: type[Driver], source: str) -> DriverSpec:
    try:
        return driver_spec(kind, source=source)
    except PluginUnavailable as error:
        return DriverSpec(kind.name or kind.__name__, source=source, unavailable=error.reason)


def _subclasses_in(module: Any, base: type[Any]) -> list[type[Any]]:
    """Classes derived from `base` that were defined in this plugin's own code."""
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, base)
        and kind is not base
        and kind.__module__.startswith(module.__name__)
        and not kind.__name__.startswith("_")
    ]


def _check_name(name: str) -> None:
    problem = name_problem(name)
    if problem:
        raise PluginUnavailable(name, problem)


def _phrases_of(name: str, kind: type[Action], file: Path) -> Path | None:
    """The file with an action's phrases; None for one that nobody asks for in words."""
    if file.is_file():
        return file
    if kind.is_said:
        raise PluginUnavailable(
            name,
            f'{file} is missing: write  say: ["..."]  into it, the ways to ask for it (or `is_said = False` '
            "into the class, if only plan files are to use it)",
        )
    return None
