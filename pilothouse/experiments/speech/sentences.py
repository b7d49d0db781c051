"""What is said: instructions that the model has not learnt, cries, what sounds like one, foreign speech."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from grammars.intent.heard import NO_PLAN, Heard, heard_beside
from grammars.tools.ngrams import arpa
from grammars.tools.spoken_sentences import Names, said, sentences
from grammars.wording.samples import single_samples
from pilothouse.catalogue import ACTIONS
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.experiments.language.sets import FILES, FOLDER, Foreign, read
from pilothouse.experiments.speech.voices import Voice
from resources.speech.recognisers import OFTEN
from resources.speech.sphinx import SpokenLanguage

MADE: Final = 6000
"""Sentences of one action of which the model is made; half as many of several, and all that people said."""

CRIES_SAID: Final = (
    "emergency stop",
    "robot emergency stop",
    "please emergency stop now",
    "stop stop emergency stop",
    "emergency stop right now please",
    "no wait emergency stop",
    "oh dear emergency stop it is going to fall",
    "quick emergency stop",
)
NEAR: Final = (
    "the emergency exit is on the left",
    "there is a bus stop around the corner",
    "merchants see the top of the tower",
    "it is an emergency please stop the car",
    "stop the emergency braking test",
    "this emergency procedure has to stop at some time",
    "the agency stopped it",
    "imagine a top",
)
_SHORTEST = 2  # words of an instruction


class Instructions(msgspec.Struct, frozen=True):
    """What is said, as it is spoken.

    drawn: what can be done here, as the robot reads it back. people: plain ones that their sentences were
    put into; some have words of their own in them ("say coffee's ready").
    """

    drawn: tuple[str, ...]
    people: tuple[str, ...]


def instructions(drawn: int, people: int, seed: int) -> Instructions:
    """So many of each. Those that are drawn have every action in turn, with random parameters."""
    here, random = our_lab(), Random(seed)
    made: dict[str, dict[str, None]] = defaultdict(dict)
    for each in single_samples(here.language, here.world, 8 * drawn, seed + 1):
        if not each.is_free and here.language.sayable(each.plan, here.world):
            made[each.action][_said(here, here.language.in_words(each.plan, here.world))] = None
    shuffled = [_shuffled(texts, random) for _, texts in sorted(made.items())]
    in_turn = (text for texts in zip_longest(*shuffled) for text in texts if text is not None)
    plain = {_said(here, line.means) for line in _heard() if line.means not in NO_PLAN}
    return Instructions(tuple(islice(in_turn, drawn)), tuple(random.sample(_sayable(plain), people)))


def _shuffled(texts: Iterable[str], random: Random) -> list[str]:
    some = _sayable(texts)
    random.shuffle(some)
    return some


def _sayable(texts: Iterable[str]) -> list[str]:
    return sorted(text for text in texts if len(text.split()) >= _SHORTEST)


def model(file: Path, *, without: Collection[str], made: int = MADE) -> tuple[SpokenLanguage, int]:
    """The language of our lab, its model written to `file`, and of how many sentences that is made."""
    here = our_lab()
    names = Names(here.language, here.world)
    left_out = {names.replaced(text.split()) for text in without}
    every = sentences(here.language, here.world, _heard(), count=made, seed=7)
    learnt = [each for each in every if each.words not in left_out]
    file.write_text(arpa([(each.words, each.weight) for each in learnt]), encoding="utf-8")
    classes = {name: names.of(name) for name in set(names.classes.values())}
    return SpokenLanguage(str(file), classes), len(learnt)


def foreign(voices: Sequence[Voice]) -> Iterator[tuple[str, Voice]]:
    """What people say to other machines, by each voice, for as long as somebody listens."""
    lines = read(FOLDER / FILES["foreign"], Foreign)
    while True:
        for shift in range(len(voices)):
            for number, line in enumerate(lines):
                yield line.text, voices[(number + shift) % len(voices)]


def prompt() -> tuple[str, ...]:
    """What the free recogniser is told beforehand: the names in our lab, and how people speak."""
    here = our_lab()
    names = (" ".join(words) for words in Names(here.language, here.world).classes)
    return (*names, *OFTEN)


def in_words(text: str) -> tuple[str, ...]:
    """A text in the words in which it is spoken here."""
    return said(our_lab_once().language, text)


@cache
def our_lab_once() -> Lab:
    """Our lab, read once."""
    return our_lab()


def _said(here: Lab, text: str) -> str:
    return " ".join(said(here.language, text))


def _heard() -> tuple[Heard, ...]:
    import grammars

    beside = Path(grammars.__file__).parent / "english.yaml"
    return heard_beside([*ACTIONS.glob("*/phrases.yaml"), beside])
