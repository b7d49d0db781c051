"""Strangers say what they want: judged by what is begun, asked, refused and moved.

trials.py    what they said, what is right and what must never happen: data/*.jsonl
notation.py  plans as they are written there
talk.py      one trial on the played installation
judge.py     what became of it
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from framework.dialogue.meta_reading import reader_of
from framework.plan.ast import actions_of
from framework.plan.parser import NotUnderstood, Understood, World
from pilothouse.experiments.definition import Figures, Progress, Run
from pilothouse.experiments.language.crowd import Crowded, quantile, things
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.experiments.people.judge import Judged, Knows, Verdict, judge
from pilothouse.experiments.people.talk import come_of
from pilothouse.experiments.people.trials import DATA, Trial, read

_ANSWERING: Final = frozenset(("describe", "say"))
"""Actions that answer, besides those that do nothing else."""

HELD_BACK: Final = ("held", "held2", "held3", "held4", "held5")
"""People whom nobody looks at who works on the language."""
SETS: Final = ("dev", "own", "more", "more2", "more3", "more4", "more5", *HELD_BACK)
"""The owner's people; those whom we have invented and look at; those whom nobody looks at."""


def measure_on(given: Mapping[str, Path]) -> Run:
    """All figures. given: the trials of other people."""

    def measure(progress: Progress, seed: int) -> Figures:
        here = our_lab()
        knows = known(here)
        figures: Figures = {}
        sets = (
            {"dev": given["people"]} if "people" in given else {name: DATA / f"{name}.jsonl" for name in SETS}
        )
        for name, file in sets.items():
            trials = read(file)
            progress.begin(f"what people say: {name}", len(trials))
            figures |= shares(name, judged(trials, knows, progress))
        return figures | _times(here, progress)

    return measure


def judged(trials: Sequence[Trial], knows: Knows, progress: Progress) -> list[Judged]:
    """All of them, one after the other."""
    found: list[Judged] = []
    for trial in trials:
        found.append(judge(trial, come_of(trial), knows))
        progress.step()
    return found


def shares(name: str, found: Sequence[Judged]) -> Figures:
    """The figures of one set, in percent of its sentences; refusals in percent of these."""
    verdicts = Counter(each.verdict for each in found)
    refused = [each for each in found if each.verdict is Verdict.REFUSED]
    stops = [each for each in found if each.trial.kind == "stop"]
    right = verdicts[Verdict.RIGHT]
    return {
        f"{name}": len(found),
        f"{name}_right_pct": _pct(right, len(found)),
        f"{name}_right_or_asked_pct": _pct(right + verdicts[Verdict.ASKED], len(found)),
        f"{name}_wrong_pct": _pct(verdicts[Verdict.WRONG], len(found)),
        f"{name}_never_events": sum(each.never for each in found),
        f"{name}_refusals_helpful_pct": _pct(sum(each.helps for each in refused), len(refused)),
        f"{name}_refusals_untrue": sum(each.is_untrue for each in refused),
        f"{name}_stops_missed": sum(each.verdict is not Verdict.RIGHT for each in stops),
    }


def _times(here: Lab, progress: Progress) -> Figures:
    """Processor time of a parse of everything that anybody said, refused or not: here, and in a crowd."""
    here.language.speller.load()  # as an installation does
    said = [
        text for name in SETS for trial in read(DATA / f"{name}.jsonl") for text in (*trial.before, trial.say)
    ]
    foreign = [
        line["say"] for line in map(msgspec.json.decode, (DATA / "foreign.jsonl").read_bytes().splitlines())
    ]
    progress.begin("how long it takes to read", 2 * (len(said) + len(foreign)))
    accepted = 0
    refused_ms: list[float] = []
    took_ms: list[float] = []
    for number, text in enumerate((*said, *foreign)):
        result, parse_ms = _parsed(here, text, here.world)
        took_ms.append(parse_ms)
        if not isinstance(result, Understood):
            refused_ms.append(parse_ms)
        elif number >= len(said):
            accepted += result.readings[0].confidence >= 0.9
        progress.step()
    crowded = Crowded(here.world, things())
    here.language.parse(foreign[0], crowded)  # it gets to know them; `experiment language` measures that
    crowded_ms: list[float] = []
    for text in (*said, *foreign):
        crowded_ms.append(_parsed(here, text, crowded)[1])
        progress.step()
    return {
        "stop_decided_ms_max": max(_decided_ms(here, text) for text in said),
        "parse_ms_p50": quantile(took_ms, 0.5),
        "parse_ms_p99": quantile(took_ms, 0.99),
        "parse_ms_max": max(took_ms),
        "parse_refused_ms_p99": quantile(refused_ms, 0.99) if refused_ms else None,
        "parse_ms_p99_1000": quantile(crowded_ms, 0.99),
        "others_machines": len(foreign),
        "others_machines_accepted_pct": _pct(accepted, len(foreign)),
    }


def _decided_ms(here: Lab, text: str) -> float:
    """Processor time until it is known whether a text is a stop [ms]: that is asked before all else."""
    reader = reader_of(here.language.meta)
    begun_s = time.process_time()
    reader.command(text)
    return 1e3 * (time.process_time() - begun_s)


def _parsed(here: Lab, text: str, world: World) -> tuple[Understood | NotUnderstood, float]:
    """What a text is understood as, and the processor time of that [ms]."""
    begun_s = time.process_time()
    result = here.language.parse(text, world)
    return result, 1e3 * (time.process_time() - begun_s)


def known(here: Lab) -> Knows:
    """What the judge has to know of the installation of the language's trials."""
    specs = {
        name: spec for name in here.signatures.names() if (spec := here.signatures.find(name)) is not None
    }

    def defaults(action: str) -> Mapping[str, object]:
        spec = specs.get(action)
        return {each.name: each.default for each in spec.parameters} if spec is not None else {}

    def only_answers(action: str) -> bool:
        spec = specs.get(action)
        return spec is not None and (spec.only_answers or action in _ANSWERING)

    def understands(text: str) -> bool:
        result = here.language.parse(text, here.world)
        return isinstance(result, Understood) and bool(actions_of(result.readings[0].plan))

    return Knows(defaults, only_answers, understands)


def _pct(part: int, whole: int) -> float:
    return 100.0 * part / max(whole, 1)


measure = measure_on({})
