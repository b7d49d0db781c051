"""Getting at plugins' code: folders under private names, entry points of installed distributions.

Whatever a plugin does at import, its import fails at worst and leaves nothing behind in `sys.modules`.
What the code means (actions, drivers) is the catalogue's business.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from framework.errors import PluginUnavailable

_PRIVATE = "_pilothouse_plugins"


def plugin_folders(folder: Path) -> Iterator[Path]:
    """The folders in `folder` that could be plugins, by name; none if there is no such folder."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "_")) and any(path.glob("*.py")):
            yield path


def load_folder(path: Path, *modules: str) -> tuple[ModuleType, ...]:
    """Import a plugin's folder: its `__init__` if it has one, then those of `modules` that it has.

    A folder of an import package (the project's own) is imported under its real name, any other one
    under a private name, so that a user's folder called `numpy` hides nobody's.
    Raises PluginUnavailable with what the plugin's code raised.
    """
    name = _public_name(path) or _private_name(path)
    before = set(sys.modules)
    try:
        loaded = [_package(name, path)] if (path / "__init__.py").is_file() else []
        if not loaded:
            _bare_package(name, path)
        for module in modules:
            if (path / f"{module}.py").is_file():
                loaded.append(importlib.import_module(f"{name}.{module}"))
    except (Exception, SystemExit) as error:  # also a plugin that calls sys.exit() at import
        for module in set(sys.modules) - before:
            if module == name or module.startswith(f"{name}."):
                del sys.modules[module]
        raise PluginUnavailable(path.name, _import_failed(error)) from error
    return tuple(loaded)


def load_entry_point(entry: EntryPoint) -> Any:
    """What an entry point names. Raises PluginUnavailable with what its code raised."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise PluginUnavailable(entry.name, f"{entry.value}: {_import_failed(error)}") from error


def entry_points_of(group: str) -> list[EntryPoint]:
    """All entry points of a group, of any installed distribution, by name."""
    return list(_entry_points(group, _installed()))


def distribution_of(entry: EntryPoint) -> str:
    """Which installed distribution an entry point comes from, in words."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def _installed() -> tuple[tuple[str, int], ...]:
    """The folders in which distributions are looked for; one that gets another, or loses one, has changed."""
    found = []
    for folder in sys.path:
        with suppress(OSError):
            found.append((folder, os.stat(folder or ".").st_mtime_ns))
    return tuple(found)


@lru_cache(maxsize=4)
def _entry_points(group: str, installed: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Reading those of all distributions takes as long as finding all of our actions."""
    return tuple(sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)))


def _public_name(path: Path) -> str:
    """The import name of a folder that lies in an import package which is on the path; else empty."""
    parent = path.parent
    if not (parent / "__init__.py").is_file() or not parent.name.isidentifier():
        return ""
    try:
        found = importlib.util.find_spec(parent.name)
    except (ImportError, ValueError):
        return ""
    if found is None or not found.submodule_search_locations:
        return ""
    here = any(Path(place).resolve() == parent.resolve() for place in found.submodule_search_locations)
    return f"{parent.name}.{path.name}" if here else ""


def _private_name(path: Path) -> str:
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    return f"{_PRIVATE}_{digest}_{path.name}"


def _package(name: str, path: Path) -> ModuleType:
    if not name.startswith(_PRIVATE):
        return importlib.import_module(name)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, path / "__init__.py", submodule_search_locations=[str(path)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{path / '__init__.py'} is nothing that Python can import")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations are resolved through it, relative imports too
    spec.loader.exec_module(module)
    return module


def _bare_package(name: str, path: Path) -> None:
    """A package without an `__init__`, so that its modules have a name."""
    if name.startswith(_PRIVATE) and name not in sys.modules:
        module = ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules[name] = module


def _import_failed(error: BaseException) -> str:
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if (
            not file.startswith("<")
            and Path(file).parent != Path(__file__).parent
            and "importlib" not in file
        ):
            place = f" ({Path(file).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    said = f": {error}" if str(error) else ""
    return f"importing it raised {type(error).__name__}{said}{place}"
