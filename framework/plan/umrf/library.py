"""Where the graphs come from that a UMRF file means by their names: given ones, and those in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from framework.errors import PlanError
from framework.plan.umrf.decoding import Problems, decode, read_bytes

Source = bytes | str | Path
_MOST_FILES = 200


class Library:
    """Graphs by name. The folder is read when it is first needed; what is no graph in it is passed over."""

    def __init__(self, given: Mapping[str, Source], file: Path | None) -> None:
        self._given = given
        self._file = file
        self._beside: dict[str, tuple[object, str]] | None = None

    def find(self, name: str) -> tuple[object, str] | None:
        """The data of a graph and its path in messages; None if there is none. Raises PlanError."""
        if name in self._given:
            content, file = read_bytes(self._given[name])
            problems = Problems()
            decoded = decode(content, file, problems)
            problems.raise_any(f"the graph {name!r}")
            return decoded, f"{name} $"
        if self._file is None:
            return None
        if self._beside is None:
            self._beside = dict(_read_folder(self._file))
        return self._beside.get(name)


def _read_folder(file: Path) -> Iterator[tuple[str, tuple[object, str]]]:
    for path in sorted(file.parent.glob("*.json"))[:_MOST_FILES]:
        if path == file:
            continue
        try:
            content, name = read_bytes(path)
            problems = Problems()
            decoded = decode(content, name, problems)
        except PlanError:
            continue  # another file's mistake; whoever needs it hears that there is no such action
        if isinstance(decoded, dict) and isinstance(decoded.get("graph_name"), str) and not problems.found:
            yield decoded["graph_name"], (decoded, f"{path.name} $")
