"""Learns what people mean by what they say: `python -m pilothouse.experiments.language.learn`.

Reads every `heard.jsonl` of our own, writes `grammars/intent/learnt.onnx`, and says how often the likeliest
intent is the right one of what it did not learn from: one of twenty of what people said. Needs the extra
`learn`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.progress import track

import grammars
from framework.dialogue.meta import MetaKind
from framework.errors import DescriptionError
from framework.plan.ast import Do, Plan
from framework.plan.parser import Understood
from grammars import Language
from grammars.intent import intents
from grammars.intent.encoder import Scorer
from grammars.intent.heard import REMARK, TO_BE_ASKED, Heard, heard_beside
from grammars.intent.intents import NOTHING_OF_OURS, SEVERAL, STOP, UNCLEAR, Intent, Kind
from grammars.intent.mentions import Noticed
from grammars.intent.model import FILE, Rest, fingerprint, load
from grammars.intent.patterns import Pattern, Takes, place_of
from grammars.intent.spans import Example, Spans, Text
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import single_samples
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.experiments.language.meaning import STOPS, meant

_NO_PLAN: Final = {"": NOTHING_OF_OURS, TO_BE_ASKED: UNCLEAR, REMARK: intents.REMARK}
#: One of so many texts of people is held back, and how good that is for is said.
_HELD_BACK: Final = 20
#: So many sentences of our own phrases are learnt from, too.
_SINGLE, _COMPOUND, _SEED = 2500, 300, 0


def main() -> int:
    """Learn. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pilothouse.experiments.language.learn", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "minilm", type=Path, help="folder with all-MiniLM-L6-v2 as published: model.safetensors, vocab.txt"
    )
    minilm: Path = parser.parse_args().minilm
    try:
        from pilothouse.experiments.language.finetuning import finetuned, write
    except ImportError as error:
        print(f'{error}: pip install -e ".[learn]"', file=sys.stderr)
        return 1
    try:
        here = our_lab()
        heard = all_heard(here.language)
        lessons = lessons_of(here, heard)
        places = {intent: place for place, intent in enumerate(lessons.intents)}
        texts = [(each.words, places[each.intent]) for each in lessons.learnt]
        network, pieces = finetuned(minilm, texts, len(places))
        write(network, lessons.rest(pieces.names), FILE)
        right = share_right(load().scorer, lessons.held_back)
    except (DescriptionError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{FILE.name}: {len(heard)} texts, {len(lessons.intents)} intents; "
        f"{100 * right:.1f} % of {len(lessons.held_back)} that were held back are likeliest what was meant"
    )
    return 0


def all_heard(language: Language) -> tuple[Heard, ...]:
    """What stands beside our actions and beside the core. Raises DescriptionError."""
    specs = language.phrasebook.actions.values()
    return heard_beside((*(Path(spec.phrases.file) for spec in specs), Path(grammars.__file__)))


class Wanted(msgspec.Struct, frozen=True):
    """What a text is for.

    pattern: to fill, if it can be filled. handed_on: by parameter, words of whoever says it.
    """

    intent: Intent
    pattern: Pattern | None = None
    handed_on: Mapping[str, str] = {}

    @property
    def is_plain(self) -> bool:
        """Whether what stands for it is said by people, too; it is learnt from as what they say is."""
        return self.intent.kind not in (Kind.UNCLEAR, Kind.NOTHING_OF_OURS, Kind.REMARK)


class Lesson(msgspec.Struct, frozen=True):
    """A text in words with marks for what it mentions, and what it is for."""

    words: tuple[str, ...]
    intent: Intent


class Lessons(msgspec.Struct, frozen=True):
    """What is learnt from, and what is held back. patterns, spans, learnt_from: see `Model`."""

    learnt: tuple[Lesson, ...]
    held_back: tuple[Lesson, ...]
    patterns: tuple[tuple[Intent, tuple[Pattern, ...]], ...]
    spans: Spans
    learnt_from: str

    @property
    def intents(self) -> tuple[Intent, ...]:
        """All of them, in order."""
        return tuple(sorted({each.intent for each in (*self.learnt, *self.held_back)}))

    def rest(self, pieces: Sequence[str]) -> Rest:
        """What stands beside the network."""
        return Rest(tuple(pieces), self.intents, self.patterns, self.spans, self.learnt_from)


def wanted_of(here: Lab, heard: Sequence[Heard]) -> list[Wanted]:
    """What each text is for. Raises DescriptionError for what the grammar does not read."""
    by_meaning = {each.means: each for each in heard}
    found = {each.means: intent_of(here, each) for each in _told(by_meaning.values(), "what they meant")}
    return [found[each.means] for each in heard]


def lessons_of(here: Lab, heard: Sequence[Heard]) -> Lessons:
    """What these texts teach. Raises DescriptionError for what the grammar does not read."""
    found = wanted_of(here, heard)
    guessing = here.language.guessing
    texts = [guessing.noticed(each.say, here.world) for each in _told(heard, "what they said")]
    said = [Lesson(each.words, wanted.intent) for each, wanted in zip(texts, found, strict=True)]
    of_people = [*dict.fromkeys(said)]
    held_back = set(random.Random(_SEED).sample(of_people, len(of_people) // _HELD_BACK))
    plain = {each.means: wanted for each, wanted in zip(heard, found, strict=True) if wanted.is_plain}
    also = [Lesson(guessing.noticed(text, here.world).words, wanted.intent) for text, wanted in plain.items()]
    learnt = [each for each in dict.fromkeys((*of_people, *also, *_made(here))) if each not in held_back]
    return Lessons(
        tuple(learnt),
        tuple(each for each in of_people if each in held_back),
        _patterns(found),
        _spans(here, texts, found),
        fingerprint((each.say, each.means) for each in heard),
    )


def share_right(scorer: Scorer, lessons: Sequence[Lesson]) -> float:
    """Of how many the likeliest intent is the right one: 0 … 1."""
    return sum(scorer.scored(each.words)[0].intent == each.intent for each in lessons) / len(lessons)


def _patterns(found: Sequence[Wanted]) -> tuple[tuple[Intent, tuple[Pattern, ...]], ...]:
    """Of each intent, the commonest first."""
    counts: dict[Intent, Counter[str]] = {}
    by_name = {repr(each.pattern): each.pattern for each in found if each.pattern is not None}
    for each in found:
        if each.pattern is not None:
            counts.setdefault(each.intent, Counter())[repr(each.pattern)] += 1
    return tuple(
        (intent, tuple(by_name[name] for name, _ in of.most_common()))
        for intent, of in sorted(counts.items())
    )


def _made(here: Lab) -> list[Lesson]:
    """What our own phrases come to, and their authors' samples: so it is known as well what is plain."""
    single = single_samples(here.language, here.world, _SINGLE, _SEED)
    compound = compound_samples(here.language, here.world, _COMPOUND, _SEED)
    plans = {each.text: each.plan for each in (*single, *compound)}
    for spec in here.language.phrasebook.actions.values():
        for text in spec.phrases.samples:
            read = here.language.by_grammar(text, here.world)
            if isinstance(read, Understood):
                plans[text] = read.readings[0].plan
    found: list[Lesson] = []
    for text, plan in plans.items():
        noticed = here.language.guessing.noticed(text, here.world)
        found.append(Lesson(noticed.words, _wanted(here, noticed, plan).intent))
    return found


def intent_of(here: Lab, heard: Heard) -> Wanted:
    """What somebody wanted who said this. Raises DescriptionError."""
    plan = meant(here, heard.means)
    if plan is None:
        return Wanted(_NO_PLAN[heard.means])
    if isinstance(plan, MetaKind):
        return Wanted(STOP if plan in STOPS else Intent(Kind.DIALOGUE, plan.value))
    return _wanted(here, here.language.guessing.noticed(heard.means, here.world), plan)


def _wanted(here: Lab, noticed: Noticed, plan: Plan) -> Wanted:
    """What plain words are for that are read as this plan."""
    if not isinstance(plan, Do):
        return Wanted(SEVERAL)
    pattern = here.language.guessing.patterns.of(plan, noticed.mentions, noticed.text)
    if pattern is None:
        return Wanted(Intent(Kind.ACTION, plan.action))
    of_words = [slot.parameter for slot in pattern.slots if slot.takes is Takes.WORDS]
    return Wanted(pattern.intent, pattern, {each: str(plan.parameters[each]) for each in of_words})


def _spans(here: Lab, texts: Sequence[Noticed], found: Sequence[Wanted]) -> Spans:
    """Where words to be handed on stand in texts, by where they stand in those that have them."""
    examples = []
    for noticed, wanted in zip(texts, found, strict=True):
        text = Text.of(noticed.text, noticed.utterance.tokens)
        for parameter, words in wanted.handed_on.items():
            span = text.find(here.language.recogniser.words(words))
            if span is not None:
                examples.append(Example(text, place_of(wanted.intent.name, parameter), span))
    return Spans.learn(examples, [[token.text for token in each.utterance.tokens] for each in texts])


def _told(heard: Collection[Heard], what: str) -> Iterable[Heard]:
    return track(heard, what, console=Console(stderr=True), disable=not sys.stderr.isatty())


if __name__ == "__main__":
    sys.exit(main())
