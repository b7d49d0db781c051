"""The state folder: what an installation remembers between runs, one small JSON file a subject.

Written atomically (beside the file, then renamed), so that a crash leaves the
old content or the new, never half of one. The folder carries a version; a
folder of a later version is refused rather than misread.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from framework.errors import DescriptionError, InstallationError

VERSION: Final = 1

T = TypeVar("T")


def default_state_folder() -> Path:
    """Where state lives if nobody says otherwise: under the user's state directory."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "pilothouse"


def write_whole(file: Path, content: bytes) -> None:
    """Beside the file, then renamed: never half of one; mode 0600 from its first byte on. Raises OSError."""
    handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(beside, file)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


class StateFolder:
    """The state of one installation.

    Args:
        path: the folder; made if it is not there.

    Raises InstallationError if it cannot be made or is of a later version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            version = path / "version"
            if not version.exists():
                version.write_text(f"{VERSION}\n", encoding="ascii")
            found = version.read_text(encoding="ascii", errors="replace").strip()
        except OSError as error:
            raise InstallationError(
                f"the state folder {path} cannot be used: {error}; give another one with --state"
            ) from error
        if found != str(VERSION):
            raise InstallationError(
                f"the state folder {path} is of version {found!r}, this program knows version {VERSION}; "
                "give another one with --state"
            )

    def read(self, name: str, kind: type[T]) -> T | None:
        """What was kept under `name`; None if nothing was. Raises DescriptionError if it is no `kind`."""
        file = self._file(name)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DescriptionError(f"cannot be read: {error}", file=str(file)) from error
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.MsgspecError as error:
            raise DescriptionError(
                f"this is no {name} ({error}); move it away to begin anew", file=str(file)
            ) from error

    def write(self, name: str, value: object) -> None:
        """Keep `value` under `name`. Raises InstallationError if it cannot be written."""
        file = self._file(name)
        try:
            write_whole(file, msgspec.json.format(msgspec.json.encode(value), indent=1))
        except OSError as error:
            raise InstallationError(f"{file} cannot be written: {error}") from error

    def remove(self, name: str) -> None:
        """Forget what was kept under `name`, if anything."""
        self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.json"
