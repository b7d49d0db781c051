"""Which layer a file belongs to, as the import contracts in `pyproject.toml` have it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PAGES = "resources/web/page/"
"""All TypeScript: its pages reach the rest by messages only."""

_HOUSE = "The house: imports go downward only"
_BESIDE = {"actions": "managers"}
"""Actions have a contract of their own, about what they see; nothing below knows them."""

Layer = tuple[int, int]
"""Of the house, and of the package within; higher is further up."""


class Layers:
    """The layers of all packages."""

    def __init__(self) -> None:
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
        layered = [each for each in contracts if each["type"] == "layers"]
        house = next(each for each in layered if each["name"] == _HOUSE)
        self._house = _ranks(house["layers"])
        self._inside = {
            package: _ranks(each["layers"]) for each in layered for package in each.get("containers", ())
        }

    def of(self, path: str) -> Layer:
        """Raises KeyError for what is in no layer."""
        package, _, rest = path.partition("/")
        inside = self._inside.get(package)
        name = rest.split("/")[0].removesuffix(".py")
        return self._house[_BESIDE.get(package, package)], inside[name] if inside is not None else 0


def _ranks(layers: list[str]) -> dict[str, int]:
    """The lowest is 0; those that stand beside each other have the same."""
    return {name: rank for rank, names in enumerate(reversed(layers)) for name in re.findall(r"\w+", names)}
