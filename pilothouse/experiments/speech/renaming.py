"""How long it takes until a thing that has just become known is heard by its name, in all its steps.

The managers look whether the world has changed, say its names as they are spoken, and write them; the
recogniser's process looks whether they have changed and takes them up. Nothing is played but the waits
between looks, which are counted as if each had just been missed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from framework.plan import Known, World
from grammars.tools.spoken_sentences import Names
from managers.speech_manager import NAMES_LOOK_S
from managers.spoken_names import SpokenNames
from pilothouse.experiments.language.lab import Lab
from pilothouse.spoken_language import spoken_table
from resources.robots.description import SpeechDescription
from resources.speech.recogniser_child import TURNS_HZ
from resources.speech.recognisers import Recognisers
from resources.speech.sphinx import SpokenLanguage
from resources.types.speech import SpokenModel, SpokenName

NEW: Final = ("zorblatt", "purple lamp", "third basket", "old chair", "fern")
"""What becomes known, one after the other; the first stands in no dictionary."""


def known_within_s(here: Lab, language: SpokenLanguage, folder: Path, step: Callable[[], None]) -> float:
    """The longest of some times, from the change of the world to a recogniser that knows it [s].

    With both recognisers if Whisper is installed. folder: for what is written.
    """
    world = _Growing(here.world)
    known = SpokenNames(here.language, world)
    at_first = Names(here.language, here.world)
    classes = {at_first.classes[words]: kinds for words, kinds in at_first.kinds.items()}
    names, spoken = folder / "names.json", folder / "spoken.json"
    spoken.write_bytes(msgspec.json.encode(spoken_table()))
    model = SpokenModel(language.model, str(names), classes, str(spoken))
    names.write_bytes(msgspec.json.encode(asyncio.run(known.now())))
    longest_s = 0.0
    with Recognisers(model, SpeechDescription()) as recognisers:
        recognisers.now()
        for name in NEW:
            world.more = Known(name, name)
            began_s = time.perf_counter()
            written: tuple[SpokenName, ...] = asyncio.run(known.now())
            names.write_bytes(msgspec.json.encode(written))
            recognisers.now()
            longest_s = max(longest_s, time.perf_counter() - began_s)
            step()
    return longest_s + NAMES_LOOK_S + 1.0 / TURNS_HZ


class _Growing:
    """A world with one more thing in it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.more: Known | None = None

    def names(self, kind: str) -> tuple[str, ...]:
        """See `World`."""
        return tuple(dict.fromkeys(each.name for each in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        """See `World`."""
        found = self._world.known(kind)
        return (*found, self.more) if self.more is not None and found else found
