"""That phrases were found right: what takes the lint half a minute is not done again while nothing changes.

A folder holds one empty file for each state of all that the lint's verdict comes of, named by its digest:
the files of this language, of the framework and of the actions; what else this process has imported; and what
reads words for it. Only that nothing was wrong is remembered; mistakes are found anew each time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

import framework

#: What reads and says, and what it is for.
_HOUSE: Final = (*map(Path, framework.__path__), Path(__file__).parents[1])

#: What is imported only when a text is read.
_READS_WORDS: Final = ("spacy", "lemminflect")

#: So many states are kept, the newest: branches are gone back to.
KEPT: Final = 20


class Remembered:
    """Whether files and folders were found right as they are now, by the code as it is now."""

    def __init__(self, folder: Path, files: Iterable[Path]) -> None:
        self._folder = folder
        asked = (*files, *_HOUSE)
        versions = [(name, version(name)) for name in _READS_WORDS]
        digest = sha256(repr((sys.version, versions, list(map(str, asked)))).encode())
        for file in _files(asked):
            digest.update(repr((str(file), sha256(file.read_bytes()).digest())).encode())
        for name, path in sorted(_imported()):
            found = path.stat()
            digest.update(repr((name, str(path), found.st_size, found.st_mtime_ns)).encode())
        self._file = folder / digest.hexdigest()

    @property
    def is_right(self) -> bool:
        """Whether nothing was wrong with just this."""
        return self._file.exists()

    def remember(self) -> None:
        """Nothing is wrong with it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file.touch()
        newest_first = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in newest_first[KEPT:]:
            file.unlink(missing_ok=True)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """These files, and all in these folders, but for what Python has compiled."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in inside if each.is_file() and each.parent.name != "__pycache__")


def _imported() -> Iterator[tuple[str, Path]]:
    """The modules of this process that come from files: actions import more than their folder."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and (path := Path(file)).is_file():
            yield name, path
