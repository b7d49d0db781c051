"""How much is understood: generated sentences, paraphrases, foreign sentences, household commands.

The same measurements as `pilothouse experiment language`, without the times. Of the held half of the
paraphrases only numbers are told; do not look further.
"""

from __future__ import annotations

import pytest

from framework.plan.codec import to_json
from pilothouse.experiments.language.generated import missed, samples
from pilothouse.experiments.language.household import compared
from pilothouse.experiments.language.judged import Verdict
from pilothouse.experiments.language.lab import Lab, judged, our_lab
from pilothouse.experiments.language.sets import Annotated, Foreign, Paraphrase, Refused, files, read

FILES = files({})


class Unseen:
    """Progress that nobody watches."""

    def begin(self, what: str, steps: int) -> None:
        """Nothing."""

    def step(self) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def test_every_action_of_ours_can_be_asked_for(here: Lab) -> None:
    assert [f"{spec.name}: {spec.unavailable}" for spec in here.catalogue.unavailable] == []


@pytest.mark.parametrize(
    ("seed", "count"),
    [(0, 800), *(pytest.param(seed, 3000, marks=pytest.mark.soak) for seed in range(1, 9))],
)
def test_what_the_grammar_generates_is_understood_as_just_that(here: Lab, seed: int, count: int) -> None:
    made = list(samples(here, seed, single=count, compound=count))
    assert len(made) == 2 * count
    wrong = missed(here, made, Unseen(), read=here.language.by_grammar)
    asked = [each for each in wrong if each.meant in each.readings]
    told = [
        f"{each.text!r} meant {_shown(each.meant)}, got {' or '.join(map(_shown, each.readings)) or None}"
        for each in wrong
    ]
    said = "\n".join([f"{len(wrong)} of {len(made)}, asked about {len(asked)}", *told])
    print(said)
    # What chance puts together may mean two things (docs/reliability.md), so that it is asked about.
    assert len(wrong) <= len(made) // 1000 and len(wrong) - len(asked) <= len(made) // 2000, said
    # Some of it is like what people say who mean something else: that is asked about (`Guessing.doubts`).
    doubted = [each for each in missed(here, made, Unseen()) if each.meant in each.readings]
    assert len(doubted) <= len(made) // 100, [each.text for each in doubted]


def test_paraphrases_are_understood(here: Lab) -> None:
    lines = read(FILES["paraphrases"], Paraphrase)
    found = judged(here, lines, "", Unseen())
    told = [
        f"{each.verdict.value}: {each.text!r}, got {' or '.join(map(_shown, each.plans)) or each.said}"
        for each, line in zip(found, lines, strict=True)
        if each.verdict is not Verdict.EXACT and line.half == "dev"
    ]
    exact, wrong = (_pct([each.verdict is kind for each in found]) for kind in (Verdict.EXACT, Verdict.WRONG))
    assert (exact >= 85.0) and (wrong <= 2.0), "\n".join([f"exact {exact:.1f} %, wrong {wrong:.1f} %", *told])


def test_what_has_to_be_refused_is_not_begun(here: Lab) -> None:
    found = judged(here, read(FILES["refused"], Refused), "", Unseen())
    assert [(each.text, each.said) for each in found if each.verdict is Verdict.WRONG] == []


def test_foreign_sentences_are_refused(here: Lab) -> None:
    found = judged(here, read(FILES["foreign"], Foreign), "", Unseen())
    accepted = [each.text for each in found if each.verdict is not Verdict.REFUSED]
    assert 100.0 * len(accepted) / len(found) <= 0.5, accepted


def test_household_commands_have_the_slots_of_their_templates() -> None:
    results = compared(FILES["household"], read(FILES["gpsr"], Annotated), Unseen())
    wrong = [(each.text, each.found) for each in results if not each.is_right]
    assert _pct([each.is_right for each in results]) >= 95.0, wrong
    assert [each.text for each in results if each.is_ambiguous] == []


def _pct(those: list[bool]) -> float:
    return 100.0 * sum(those) / len(those)


def _shown(plan: object) -> str:
    return to_json(plan).decode()  # type: ignore[arg-type]  # plans only
