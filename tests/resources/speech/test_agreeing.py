"""The grammar decides, the free transcript must not contradict it; numbers and "not" are never guessed."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from resources.speech.agreeing import Agreed, Heard, agreed, compared, weighed
from resources.speech.both import sounds_of
from resources.types.speech import Reading

OURS = (
    "open the gripper",
    "show me the red cup",
    "show me the red crate",
    "move up five centimeters",
    "wait fifteen seconds",
    "wait fifty seconds",
    "drive to the table",
    "do not drive to the table",
)


USUAL = 1.0  # -log10 of every word in a scripted language
NATS = 1.0  # that a sound otherwise costs a scripted model of the free recogniser


def readings(heard: Heard) -> tuple[Reading, ...]:
    every = compared(heard, sounds_of)
    likely = [-NATS * each.from_free * len(sounds_of(each.text)) for each in every]
    usual = [-USUAL * len(each.text.split()) for each in every]
    return weighed(every, 0.0, likely, usual, sounds_of)


def choice(heard: Heard, ours: Collection[str] = OURS) -> Agreed | None:
    return agreed(readings(heard), lambda text: text in ours)


def test_nobody_spoke() -> None:
    assert choice(Heard()) is None
    assert choice(Heard(grammar=("open the gripper",))) is None


def test_foreign_speech_that_the_grammar_takes_for_an_instruction_is_rejected() -> None:
    heard = Heard(("move up five centimeters",), ("can you order a taxi for me",))
    assert choice(heard) is None


def test_what_the_language_does_not_understand_is_rejected() -> None:
    found = choice(Heard(("gripper the open",), ("order a taxi",), ("open gripper the",)))
    assert found is None


def test_both_heard_the_same() -> None:
    found = choice(Heard(("open the gripper",), ("open the gripper",)))
    assert found == Agreed("open the gripper", 1.0)


def test_the_grammar_corrects_words_that_sound_alike() -> None:
    found = choice(Heard(("show me the red cup",), ("show me the read cub",)))
    assert isinstance(found, Agreed)
    assert found.text == "show me the red cup"


def test_what_is_near_to_the_transcript_is_taken_where_the_grammar_heard_something_else_and_asked() -> None:
    found = choice(Heard(("show the table",), ("show me the rat cup",), ("show me the red cup",)))
    assert isinstance(found, Agreed)
    assert found.text == "show me the red cup"
    assert found.confidence < LEAST_CONFIDENCE


@pytest.mark.parametrize(
    ("grammar", "free"),
    [
        ("wait fifteen seconds", "wait fifty seconds"),
        ("wait fifty seconds", "wait fifteen seconds"),
        ("do not drive to the table", "drive to the table"),
        ("drive to the table", "do not drive to the table"),
    ],
)
def test_where_they_differ_in_a_number_or_in_not_it_is_asked_about_both(grammar: str, free: str) -> None:
    found = choice(Heard((grammar,), (free,)))
    assert isinstance(found, Agreed)
    assert found.confidence < LEAST_CONFIDENCE
    assert {found.text, *found.others} == {grammar, free} or "not" in grammar + free


def test_two_things_that_sound_alike_are_asked_about() -> None:
    found = choice(Heard(("show me the red cup",), ("show me the red crut",), ("show me the red crate",)))
    assert isinstance(found, Agreed)
    assert {found.text, *found.others} == {"show me the red cup", "show me the red crate"}
    assert found.confidence < LEAST_CONFIDENCE


def test_the_farther_from_the_transcript_the_less_confident() -> None:
    texts = ("open the gripper", "open the gripples", "open a gripples")
    found = [choice(Heard(("open the gripper",), (text,))) for text in texts]
    confidences = [each.confidence for each in found if isinstance(each, Agreed)]
    assert confidences == sorted(confidences, reverse=True)
    assert len(set(confidences)) == len(confidences) >= 2


def test_what_is_far_from_what_was_heard_is_not_asked_about_the_language() -> None:
    asked: list[str] = []

    def understands(text: str) -> bool:
        asked.append(text)
        return True

    heard = Heard(("open the gripper", "drive to the table"), ("open the gripper",), ("open a gripper",))
    assert agreed(readings(heard), understands) == Agreed("open the gripper", 1.0)
    assert asked == ["open the gripper"]


@pytest.mark.parametrize("swapped", ["four", "not"])
def test_what_only_one_of_both_heard_of_numbers_is_never_certain(swapped: str) -> None:
    with_it, without = f"wait {swapped} five seconds", "wait five seconds"
    for heard in (Heard((with_it,), (without,)), Heard((without,), (with_it,))):
        found = choice(heard, (with_it, without))
        assert found is not None
        assert found.confidence < LEAST_CONFIDENCE


def test_of_what_sounds_alike_the_likelier_is_taken_as_the_free_one_tells_and_as_is_usual_here() -> None:
    texts = ("show me the red crate", "show me the red cup")
    every = compared(Heard(texts, ("show me the red crut",)), sounds_of)
    ways = [each.text for each in every]
    likely = [-1.0 if way == texts[1] else -20.0 for way in ways]
    same = [0.0] * len(ways)
    assert weighed(every, 0.0, likely, same, sounds_of)[0].text == texts[1]
    usual = [0.0 if way == texts[0] else -9.0 for way in ways]
    assert weighed(every, 0.0, same, usual, sounds_of)[0].text == texts[0]


def test_what_is_much_less_likely_than_what_was_freely_heard_is_not_what_was_said() -> None:
    (reading,) = compared(Heard(("open the gripper",), ("open the gripper",)), sounds_of)
    for likelihood, is_taken in ((-13.0, True), (-14.0, False)):
        (weighed_one,) = weighed([reading], 0.0, [likelihood], [0.0], sounds_of)
        assert (agreed([weighed_one], lambda _: True) is not None) is is_taken
