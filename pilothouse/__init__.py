"""Pilothouse, a supervisory, resource-managed telerobotics framework: the front door for plugin authors.

`import pilothouse as ph` gives what actions and drivers are written with: the framework's public names and
the requests, handles and clients of `resources.types`. `__init__.pyi` lists them; each is loaded when it is
first used, so the import itself costs little. What puts an installation together is in `installation.py`.
"""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

import lazy_loader

__version__ = "0.1.0.dev0"


def _name_intruders() -> None:
    """Our sibling packages have common names: make sure that what is found under them is ours.

    Raises ImportError; an error class of our own would come from one of these very packages.
    """
    ours = Path(__file__).resolve().parents[1]
    for name in ("framework", "managers", "actions", "resources", "grammars"):
        loaded = sys.modules.get(name)
        spec = getattr(loaded, "__spec__", None) if loaded is not None else find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        found = Path(places[0]).resolve() if places else Path((spec and spec.origin) or "nowhere")
        if found == ours / name:
            continue
        if spec is None and loaded is None:
            raise ImportError(
                f"pilothouse does not find its own package {name!r} at {ours / name}; install it again"
            )
        raise ImportError(
            f"{found} is imported as {name!r} and hides the package of pilothouse at {ours / name}. "
            "Rename the intruder, start Python elsewhere, or take its folder out of sys.path (PYTHONPATH; "
            "`python -P` leaves out the script's own)"
        )


_name_intruders()


def _listed() -> dict[str, dict[str, list[str]]]:
    """The names of the stub by package and by module in it; modules themselves stand under ""."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom) and line.module is not None:
            package, _, module = line.module.partition(".")
            found.setdefault(package, {}).setdefault(module, []).extend(each.name for each in line.names)
    return found


_LOADERS = {}
# lazy_loader's own reader of stubs takes names below one package only, and ours come from two.
for _package, _modules in _listed().items():
    _load, _, _names = lazy_loader.attach(_package, _modules.pop("", ()), _modules)
    _LOADERS.update(dict.fromkeys(_names, _load))
__all__ = sorted({*_LOADERS, "__version__"})


def __getattr__(name: str) -> object:
    if name not in _LOADERS:
        raise AttributeError(
            f"pilothouse has no {name!r}; `dir(pilothouse)` lists what it has, managers and drivers are not "
            "part of it"
        )
    found = globals()[name] = _LOADERS[name](name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
