"""The names that are known now, by the classes of a language model that was made earlier.

A name is known as several kinds of thing ("devices" and "views"). A class stands for the names that were
known as the same kinds when the model was made; one that is known as others goes where it fits best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from framework.errors import SoundError
from framework.unreadable import UNREADABLE
from resources.types.speech import SpokenName

Words = tuple[str, ...]


def classed(
    names: Iterable[SpokenName], classes: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[Words, ...]]:
    """The names of each class, in their order. What is known as nothing that a class is for is left out."""
    found: dict[str, list[Words]] = {each: [] for each in classes}
    for name in names:
        best = max(classes, key=lambda each: _overlap(name.kinds, classes[each]), default="")
        if best and _overlap(name.kinds, classes[best]) > 0.0:
            found[best].append(name.words)
    return {each: tuple(of) for each, of in found.items()}


def read_names(file: Path) -> tuple[SpokenName, ...]:
    """Raises SoundError if that cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[SpokenName, ...])
    except (OSError, *UNREADABLE) as error:
        raise SoundError(f"the known names cannot be read from {file}: {error}") from error


def _overlap(some: Iterable[str], others: Iterable[str]) -> float:
    """Of all the kinds, the share that both have (Jaccard)."""
    one, other = set(some), set(others)
    return len(one & other) / len(one | other) if one | other else 0.0
