"""What can be said to an installation, made into a recogniser's language model: a program that ends then.

It takes half a minute of computing, so the model is kept: under a name that tells everything it is made of.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

import msgspec

import grammars
from framework.errors import InstallationError
from framework.processes.child import Child
from framework.processes.spec import ProcessSpec, python_child
from framework.state import write_whole
from framework.unreadable import UNREADABLE
from grammars.domain import read_names
from grammars.intent.heard import heard_beside
from grammars.tools.ngrams import arpa
from grammars.tools.spoken_sentences import Names, Words, sentences
from grammars.units import IN_FULL
from grammars.wording.spoken import in_letters
from managers.conditions import PHRASES
from pilothouse.catalogue import action_catalogue
from pilothouse.language import TYPICAL_NAMES, language_of
from resources.types.speech import SpokenModel

MADE: Final = 6000
"""Sentences of one action of which a model is made; half as many of several, and all that people said."""

MADE_WITHIN_S: Final = 180.0
"""So long it computes at most, else it hangs [s]."""

_MADE_OF: Final = (".py", ".yaml", ".jsonl")
_SPOKEN: Final = ".spoken"
_SIGNS: Final = {
    "1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth",
    "%": "percent", "°": "degrees", "&": "and", "+": "plus",
}  # fmt: skip
_KEPT: Final = 4  # models of other versions and other actions


class SpokenLanguageArguments(msgspec.Struct, frozen=True):
    """folder: where models are kept. action_folders: of the user's own actions."""

    folder: str
    action_folders: tuple[str, ...] = ()


def spoken_language_spec(folder: Path, action_folders: Iterable[Path]) -> ProcessSpec:
    """What makes the model. Its handle is nothing, then a `SpokenModel` as JSON, without names."""
    arguments = SpokenLanguageArguments(str(folder), tuple(map(str, action_folders)))
    return ProcessSpec(
        python_child("pilothouse.spoken_language:main", arguments),
        "language for recognisers",
        restart=None,
    )


def models_folder() -> Path:
    """Where models are kept between runs: they can be made again at any time."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "pilothouse" / "speech"


def main(child: Child, arguments: SpokenLanguageArguments) -> None:
    """Make it, or find it made. Raises InstallationError if it cannot be kept."""
    folder = Path(arguments.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        child.ready()
        child.busy(MADE_WITHIN_S)
        model = made(folder, tuple(map(Path, arguments.action_folders)))
    except OSError as error:
        raise InstallationError(
            f"what can be said is kept for recognisers in {folder}, and that cannot be used: "
            f"{error.strerror}; make room there, or set XDG_CACHE_HOME to another folder"
        ) from error
    child.ready(msgspec.json.encode(model))
    while not child.wait(1.0):
        pass


def made(
    folder: Path, action_folders: tuple[Path, ...] = (), *, without: Collection[Words] = (), count: int = MADE
) -> SpokenModel:
    """The model of these actions' language, from the folder if it is there already.

    without: sentences, with names as classes, of which it is not to be made.
    """
    catalogue = action_catalogue(action_folders)
    phrases = [Path(spec.phrases.file) for spec in catalogue.available if spec.phrases.file]
    name = _fingerprint(phrases, without, count)
    file, about = folder / f"{name}.arpa", folder / f"{name}.json"
    try:
        model = msgspec.json.decode(about.read_bytes(), type=SpokenModel)
        if file.is_file() and Path(model.spoken).is_file():
            os.utime(about)
            return msgspec.structs.replace(model, model=str(file))
    except (OSError, *UNREADABLE):
        pass  # it is made anew
    language = language_of(catalogue)
    world = read_names(TYPICAL_NAMES)
    names = Names(language, world)
    english = Path(grammars.__file__).parent / "english.yaml"
    every = sentences(language, world, heard_beside([*phrases, english]), count=count, seed=7)
    left_out = frozenset(without)
    learnt = [(each.words, each.weight) for each in every if each.words not in left_out]
    classes = {names.classes[words]: kinds for words, kinds in names.kinds.items()}
    spoken = folder / f"{name}{_SPOKEN}"
    model = SpokenModel(str(file), "", classes, str(spoken))
    write_whole(spoken, msgspec.json.encode(spoken_table()))
    write_whole(file, arpa(learnt).encode())
    write_whole(about, msgspec.json.encode(model))
    _tidy(folder)
    return model


def spoken_table() -> dict[str, str]:
    """How whole numbers, the first places in a queue, short forms of units, and signs are spoken."""
    numbers = {str(number): in_letters(number) for number in range(1000)}
    return {**numbers, **IN_FULL, **_SIGNS}


def _fingerprint(phrases: Iterable[Path], without: Collection[Words], count: int) -> str:
    """Of all that a model is made of."""
    digest = hashlib.sha256(f"{count}".encode())
    here = Path(grammars.__file__).parent
    files = [path for path in here.rglob("*") if path.suffix in _MADE_OF]
    for phrase in phrases:
        files += [phrase, *phrase.parent.glob("*.jsonl")]
    for file in sorted({*files, PHRASES, TYPICAL_NAMES}):
        digest.update(file.read_bytes())
    for words in sorted(without):
        digest.update(" ".join(words).encode())
    return digest.hexdigest()[:16]


def _tidy(folder: Path) -> None:
    """The models that were used last stay."""
    by_age = sorted(folder.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
    for about in by_age[_KEPT:]:
        about.unlink(missing_ok=True)
        about.with_suffix(".arpa").unlink(missing_ok=True)
        about.with_suffix(_SPOKEN).unlink(missing_ok=True)
