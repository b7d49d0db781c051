"""Which actions there are: ours, the user's, and those of installed distributions.

Apart from the installation, so that commands which only look at actions or their language start in no time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import actions
from framework.plugins import ActionCatalogue

ACTIONS: Final = Path(actions.__file__).parent


def action_catalogue(folders: Sequence[Path] = ()) -> ActionCatalogue:
    """Our actions, the user's (`folders`, and PILOTHOUSE_ACTIONS), and those of installed distributions."""
    all_folders = (ACTIONS, *folders, *folders_in("PILOTHOUSE_ACTIONS"))
    # Who works in our checkout may name our own folder once more.
    return ActionCatalogue.discover(tuple(dict.fromkeys(folder.resolve() for folder in all_folders)))


def folders_in(variable: str) -> tuple[Path, ...]:
    """The folders that an environment variable names, separated by colons."""
    return tuple(Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder)
