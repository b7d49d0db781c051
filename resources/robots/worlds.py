"""Which worlds come with us: each is a robot description here, with what it stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROBOTS: Final = Path(__file__).parent


def worlds() -> tuple[str, ...]:
    """The worlds that can be simulated."""
    return tuple(sorted(path.stem for path in ROBOTS.glob("*.yaml")))
