"""Learns what people mean by what they say: `python -m pilothouse.experiments.language.learn`.

Reads every `heard.jsonl` of our own, writes `grammars/intent/learnt.npz`, and says how often the nearest
intent would have been right had the text itself not been known (leave one out).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

import grammars
from framework.dialogue.meta import MetaKind
from framework.dialogue.meta_reading import MetaReader
from framework.errors import DescriptionError
from framework.plan.ast import Do
from framework.plan.parser import Understood
from grammars import Language
from grammars.intent.classifier import Classifier
from grammars.intent.features import n_grams
from grammars.intent.heard import Heard, heard_beside
from grammars.intent.model import FILE, NOTHING_OF_OURS, SEVERAL, STOP, UNCLEAR, Model, fingerprint
from grammars.intent.patterns import Pattern
from pilothouse.experiments.language.lab import Lab, lab
from pilothouse.experiments.language.sets import files


def main() -> int:
    """Learn. Returns the exit code."""
    argparse.ArgumentParser(
        prog="python -m pilothouse.experiments.language.learn", description=__doc__.splitlines()[0]
    ).parse_args()
    here = lab(files({})["lab"])
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


Wanted = tuple[str, Pattern | None]
"""An intent, and the pattern to fill, if it is one that can be filled."""


def wanted_of(here: Lab, heard: Sequence[Heard]) -> list[Wanted]:
    """What each text is for. Raises DescriptionError for what the grammar does not read."""
    by_meaning = {each.means: each for each in heard}
    found = {each.means: intent_of(here, each) for each in _told(by_meaning.values(), "what they meant")}
    return [found[each.means] for each in heard]


def learnt(here: Lab, heard: Sequence[Heard], found: Sequence[Wanted] | None = None) -> tuple[Model, float]:
    """What is learnt of these texts, and how good it is (`Classifier.learn`). Raises DescriptionError."""
    found = wanted_of(here, heard) if found is None else found
    guessing = here.language.guessing
    texts = [n_grams(guessing.mentions(each.say, here.world)[1]) for each in _told(heard, "what they said")]
    classifier, right = Classifier.learn(texts, [intent for intent, _ in found])
    counts: dict[str, Counter[str]] = {}
    by_name = {repr(pattern): pattern for _, pattern in found if pattern is not None}
    for intent, pattern in found:
        if pattern is not None:
            counts.setdefault(intent, Counter())[repr(pattern)] += 1
    patterns = {
        intent: tuple(by_name[each] for each, _ in of.most_common()) for intent, of in sorted(counts.items())
    }
    return Model(classifier, patterns, fingerprint((each.say, each.means) for each in heard)), right


def intent_of(here: Lab, heard: Heard) -> Wanted:
    """What somebody wanted who said this. Raises DescriptionError."""
    if heard.means in ("", UNCLEAR):
        return heard.means or NOTHING_OF_OURS, None
    language = here.language
    command = MetaReader(language.meta).command(heard.means)
    if command is not None and command.kind in _STOPS:
        return STOP, None
    result = language.parse(heard.means, here.world)
    if not isinstance(result, Understood):
        if command is None:
            raise DescriptionError(
                f'"{heard.means}" is not understood, which stands for "{heard.say}": {result}'
            )
        return f"{STOP}.{command.kind.value}", None
    plan = result.readings[0].plan
    if not isinstance(plan, Do):
        return SEVERAL, None
    mentions, _ = language.guessing.mentions(heard.means, here.world)
    pattern = language.guessing.patterns.of(plan, mentions, heard.means)
    return (pattern.intent, pattern) if pattern is not None else (Pattern(plan.action).intent, None)


def _told(heard: Collection[Heard], what: str) -> Iterable[Heard]:
    return track(heard, what, console=Console(stderr=True), disable=not sys.stderr.isatty())


_STOPS = (MetaKind.STOP, MetaKind.EMERGENCY)


if __name__ == "__main__":
    sys.exit(main())
