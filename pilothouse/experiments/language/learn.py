"""Learns what people mean by what they say: `python -m pilothouse.experiments.language.learn`.

Reads every `heard.jsonl` of our own, writes `grammars/intent/learnt.npz`, and says how often the nearest
intent would have been right had the text itself not been known (leave one out).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import track

import grammars
from framework.dialogue.meta_reading import MetaReader
from framework.errors import DescriptionError
from framework.plan.ast import Do, Plan
from framework.plan.parser import Understood
from grammars import Language
from grammars.intent.classifier import Classifier
from grammars.intent.features import n_grams
from grammars.intent.heard import TO_BE_ASKED, Heard, heard_beside
from grammars.intent.intents import NOTHING_OF_OURS, SEVERAL, STOP, UNCLEAR, Intent, Kind
from grammars.intent.mentions import Noticed
from grammars.intent.model import FILE, Model, fingerprint
from grammars.intent.patterns import Pattern, Takes, place_of
from grammars.intent.spans import Example, Spans, Text
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import single_samples
from pilothouse.experiments.language.lab import Lab, lab
from pilothouse.experiments.language.sets import files
from pilothouse.experiments.language.strangers import STOPS


def main() -> int:
    """Learn. Returns the exit code."""
    argparse.ArgumentParser(
        prog="python -m pilothouse.experiments.language.learn", description=__doc__.splitlines()[0]
    ).parse_args()
    here = lab(files({})["lab"])
    here.language.guessing.is_off = True  # what was learnt before is no part of it
    try:
        heard = all_heard(here.language)
        model, right = learnt(here, heard)
        model.save()
    except (DescriptionError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    intents = len(model.classifier.intents)
    nearest = f"{100 * right:.1f} % are nearest to theirs, left out"
    print(f"{FILE.name}: {len(heard)} texts, {intents} intents; {nearest}")
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
        return self.intent.kind not in (Kind.UNCLEAR, Kind.NOTHING_OF_OURS)


def wanted_of(here: Lab, heard: Sequence[Heard]) -> list[Wanted]:
    """What each text is for. Raises DescriptionError for what the grammar does not read."""
    by_meaning = {each.means: each for each in heard}
    found = {each.means: intent_of(here, each) for each in _told(by_meaning.values(), "what they meant")}
    return [found[each.means] for each in heard]


def learnt(here: Lab, heard: Sequence[Heard], found: Sequence[Wanted] | None = None) -> tuple[Model, float]:
    """What is learnt of these texts, and how good it is (`Classifier.learn`). Raises DescriptionError."""
    found = wanted_of(here, heard) if found is None else found
    guessing = here.language.guessing
    texts = [guessing.noticed(each.say, here.world) for each in _told(heard, "what they said")]
    plain = {each.means: wanted for each, wanted in zip(heard, found, strict=True) if wanted.is_plain}
    said = [(each.words, wanted.intent) for each, wanted in zip(texts, found, strict=True)]
    said += [(guessing.noticed(text, here.world).words, wanted.intent) for text, wanted in plain.items()]
    said += _made(here)
    said = [*dict.fromkeys(said)]
    classifier, right = Classifier.learn(
        [n_grams(words) for words, _ in said], [intent for _, intent in said]
    )
    counts: dict[Intent, Counter[str]] = {}
    by_name = {repr(each.pattern): each.pattern for each in found if each.pattern is not None}
    for each in found:
        if each.pattern is not None:
            counts.setdefault(each.intent, Counter())[repr(each.pattern)] += 1
    patterns = {
        intent: tuple(by_name[each] for each, _ in of.most_common()) for intent, of in sorted(counts.items())
    }
    spans = _spans(here, texts, found)
    return Model(classifier, patterns, spans, fingerprint((each.say, each.means) for each in heard)), right


def _made(here: Lab) -> list[tuple[tuple[str, ...], Intent]]:
    """What our own phrases come to, in words and with its intent: so it is known as well what is plain."""
    single = single_samples(here.language, here.world, _SINGLE, _SEED)
    compound = compound_samples(here.language, here.world, _COMPOUND, _SEED)
    guessing = here.language.guessing
    found = [(guessing.noticed(each.text, here.world), each.plan) for each in (*single, *compound)]
    return [(noticed.words, _intent(here, noticed, plan)) for noticed, plan in found]


def _intent(here: Lab, noticed: Noticed, plan: Plan) -> Intent:
    if not isinstance(plan, Do):
        return SEVERAL
    pattern = here.language.guessing.patterns.of(plan, noticed.mentions, noticed.text)
    return (pattern or Pattern(plan.action)).intent


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


def intent_of(here: Lab, heard: Heard) -> Wanted:
    """What somebody wanted who said this. Raises DescriptionError."""
    if heard.means in ("", TO_BE_ASKED):
        return Wanted(UNCLEAR if heard.means else NOTHING_OF_OURS)
    language = here.language
    command = MetaReader(language.meta).command(heard.means)
    if command is not None and command.kind in STOPS:
        return Wanted(STOP)
    result = language.parse(heard.means, here.world)
    if not isinstance(result, Understood):
        if command is None:
            raise DescriptionError(
                f'"{heard.means}" is not understood, which stands for "{heard.say}": {result}'
            )
        return Wanted(Intent(Kind.DIALOGUE, command.kind.value))
    plan = result.readings[0].plan
    noticed = language.guessing.noticed(heard.means, here.world)
    intent = _intent(here, noticed, plan)
    pattern = language.guessing.patterns.of(plan, noticed.mentions, heard.means)
    if pattern is None or not isinstance(plan, Do):
        return Wanted(intent)
    of_words = [slot.parameter for slot in pattern.slots if slot.takes is Takes.WORDS]
    return Wanted(intent, pattern, {each: str(plan.parameters[each]) for each in of_words})


def _told(heard: Collection[Heard], what: str) -> Iterable[Heard]:
    return track(heard, what, console=Console(stderr=True), disable=not sys.stderr.isatty())


#: So many sentences of our own phrases are learnt from, too.
_SINGLE, _COMPOUND, _SEED = 1500, 300, 0


if __name__ == "__main__":
    sys.exit(main())
