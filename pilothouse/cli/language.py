"""The command line's language: the running installation's, or that of the actions which are found here.

It is made in this process either way, so that products of it (thousands of samples, say) keep the
installation's main process free; what is known just now is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from framework.errors import InstallationError
from framework.plan import Known, NothingKnown, World
from framework.plugins import ActionCatalogue
from framework.state import StateFolder
from grammars import Language
from grammars.domain import NamesOfFile, read_names
from pilothouse.catalogue import action_catalogue
from pilothouse.cli.api import Api
from pilothouse.language import TYPICAL_NAMES, language_of
from pilothouse.running import look


class Here(msgspec.Struct, frozen=True):
    """A language, the actions it is made of, and what is known; `is_running`: in a running installation.

    providers: the kinds of known things that there are, if that is known.
    """

    language: Language
    catalogue: ActionCatalogue
    world: World
    is_running: bool = False
    providers: tuple[str, ...] | None = None


def default_language(folders: Iterable[str | Path] = (), *, with_typical_names: bool = False) -> Here:
    """Without an installation: that of the actions found here, which knows no names, or typical ones."""
    catalogue = action_catalogue(tuple(map(Path, folders)))
    language = language_of(catalogue)
    if not with_typical_names:
        return Here(language, catalogue, NothingKnown())
    names = read_names(TYPICAL_NAMES)
    return Here(language, catalogue, names, providers=names.kinds)


def language_here(state: Path, folders: Iterable[str | Path] = ()) -> Here:
    """That of the installation which runs with this state folder; if none does, the default one.

    Without an installation things have typical names.

    Raises InstallationError if it runs and does not answer.
    """
    installation = look(StateFolder(state))
    if installation is None:
        return default_language(folders, with_typical_names=True)
    api = Api(installation)
    mine = tuple(map(str, folders))
    theirs = msgspec.convert(api.ask("/api/language", {})["action_folders"], tuple[str, ...])
    catalogue = action_catalogue(tuple(map(Path, (*theirs, *mine))))
    language = language_of(catalogue)
    return Here(language, catalogue, _known(api, language.kinds), is_running=True)


def _known(api: Api, kinds: Sequence[str]) -> World:
    answer = api.ask("/api/language", {"kinds": list(kinds)})
    try:
        return NamesOfFile(msgspec.convert(answer["known"], dict[str, tuple[Known, ...]]))
    except (msgspec.ValidationError, KeyError) as error:
        raise InstallationError(f"the installation is of another release: {error}") from error
