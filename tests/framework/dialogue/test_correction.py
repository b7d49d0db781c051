"""Corrections as text: what they begin like, and what they make of the last instruction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.dialogue import correction
from framework.dialogue.correction import Correction, CorrectionWords, LastSaid, corrected, read_correction
from framework.dialogue.spelling import words_of
from framework.plan import Do, NotUnderstood, Plan, Reading, Sequence, Understood, in_words
from tests.effort import random_inputs

WORDS = CorrectionWords(
    openings=("no", "no i meant", "i mean", "rather"),
    instead_of=("not",),
    but=("but", "i meant"),
    filling=("the",),
    determined=("need", "reason"),
    in_place=("instead of",),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no, the scan", Correction("the scan")),
        ("No! The scan.", Correction("The scan.")),
        ("no, I meant the red cup", Correction("the red cup")),
        ("no I meant: the red cup", Correction("the red cup")),
        ("I mean track the target", Correction("track the target")),
        ("rather 0.5 m", Correction("0.5 m")),
        ("not the camera, the scan", Correction("the scan", "the camera")),
        ("not the camera but the scan", Correction("the scan", "the camera")),
        ("not the camera, but the scan", Correction("the scan", "the camera")),
        ("not the camera, I meant the scan", Correction("the scan", "the camera")),
        ("no, not the camera, the scan", Correction("the scan", "the camera")),
        ("not the camera - the scan", Correction("the scan", "the camera")),
        ("show the scan instead of the camera", Correction("show the scan", "the camera")),
        (
            "could we have the scan, instead of the camera?",
            Correction("could we have the scan", "the camera"),
        ),
        ("instead of the camera", None),
        ("no need to show the scan", None),
        ("no, need the scan", Correction("need the scan")),
        ("no", None),
        ("not", None),
        ("not the camera", None),
        ("not the camera,", None),
        ("nothing", None),
        ("northern lights", None),
        ("show the scan, no", None),
        ("", None),
    ],
)
def test_how_corrections_begin(text: str, expected: Correction | None) -> None:
    assert read_correction(text, WORDS) == expected


@random_inputs(100)
@given(st.text(max_size=80))
def test_any_text_is_survived(text: str) -> None:
    read_correction(text, WORDS)
    read_correction(f"no, {text}", WORDS)
    read_correction(f"not {text}, {text}", WORDS)


def test_a_text_is_not_compared_with_every_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    many = CorrectionWords(openings=("no", *(f"no wait {each}" for each in range(3000))), instead_of=("not",))
    assert read_correction("no, the scan", many) == Correction("the scan")  # the openings are known now
    looks: list[str] = []

    def looked(text: str) -> list[str]:
        looks.append(text)
        return words_of(text)

    monkeypatch.setattr(correction, "words_of", looked)
    assert read_correction("no wait 2999, the scan of it", many) == Correction("the scan of it")
    assert len(looks) < 20


def test_openings_without_end_are_survived() -> None:
    read_correction("no " * 10_000, WORDS)
    assert read_correction("no, no, no, the scan", WORDS) == Correction("the scan")


THINGS = ("camera", "scan", "hand")


def parse(text: str) -> Understood | NotUnderstood:
    """ "show THING", "track hand", joined by "then"; "both" is two things."""
    steps = []
    words = text.lower().replace("the ", "").replace(",", "").split()
    for clause in " ".join(words).split(" then "):
        verb, _, thing = clause.partition(" ")
        if verb not in ("show", "track") or thing not in (*THINGS, "both"):
            return NotUnderstood("")
        if thing == "both":
            return Understood(tuple(Reading(Do(verb, {"what": each})) for each in ("camera", "scan")))
        steps.append(Do(verb, {"what": thing}))
    plan = steps[0] if len(steps) == 1 else Sequence(tuple(steps))
    return Understood((Reading(plan),))


def say(plan: Plan) -> str:
    return in_words(plan, lambda do: f"{do.action} the {do.parameters['what']}")


def plans(text: str, correction: str) -> list[object]:
    read = read_correction(correction, WORDS)
    result = parse(text)
    assert read is not None and isinstance(result, Understood)
    said = [reading.plan for reading in result.readings]
    return [each.reading.plan for each in corrected(read, LastSaid(text, tuple(said)), parse, say, WORDS)]


def test_a_name_replaces_the_one_it_fits_for() -> None:
    assert plans("show the camera", "no, the scan") == [Do("show", {"what": "scan"})]
    assert plans("show the camera", "no, the drum") == []
    assert plans("show the camera", "not the camera, the scan") == [Do("show", {"what": "scan"})]
    assert plans("show the camera", "not camera, scan") == [Do("show", {"what": "scan"})]
    assert plans("show the camera", "not the hand, the scan") == []
    assert plans("show the camera", "no, the camera") == [], "that is what was said"


def test_a_whole_instruction_replaces_the_whole() -> None:
    assert plans("show the camera", "no, track the hand") == [Do("track", {"what": "hand"})]
    assert plans("show the camera", "not show the camera, track the hand") == [Do("track", {"what": "hand"})]
    assert plans("show the camera then track the hand", "no, show the scan") == [Do("show", {"what": "scan"})]


def test_what_fits_in_two_places_is_given_twice() -> None:
    found = plans("show the camera then track the hand", "no, the scan")
    assert found == [
        Sequence((Do("show", {"what": "scan"}), Do("track", {"what": "hand"}))),
        Sequence((Do("show", {"what": "camera"}), Do("track", {"what": "scan"}))),
    ]


def test_of_an_ambiguous_instruction_any_meaning_is_corrected() -> None:
    assert plans("show both", "no, the hand") == [Do("show", {"what": "hand"})]


def test_a_verb_is_no_value() -> None:
    found = plans("show the hand", "no, track")
    assert found == []


def test_an_instruction_is_looked_at_part_by_part_in_bounded_work() -> None:
    asked: list[str] = []

    def counting(text: str) -> Understood | NotUnderstood:
        asked.append(text)
        return parse(text)

    for steps in (1, 4, 12, 100):
        asked.clear()
        plan = Sequence(tuple(Do("show", {"what": "camera"}) for _ in range(steps)))
        last = LastSaid(" then ".join(["show the camera"] * steps), (plan,))
        found = corrected(Correction("the hand"), last, counting, say, WORDS)
        assert len(found) == min(steps, 12)
        assert len(asked) < 150
