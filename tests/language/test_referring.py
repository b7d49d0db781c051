"""What refers to what was done last, in strangers' words: what it changes, or that it changes nothing."""

from __future__ import annotations

import pytest

from framework.dialogue.correction import LastSaid
from framework.dialogue.discourse import kinds_of
from framework.dialogue.follow_up import Naming
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.referred import Referent, Referred
from framework.dialogue.referring import Mode, Referring, ReferringReader
from framework.dialogue.spelling import words_of
from framework.plan.ast import Plan
from framework.plan.parser import Known, World
from pilothouse.experiments.language.lab import Lab, our_lab

UP = "move the left arm up 10 cm"
INCHES = "move the right arm down four inches"
FORWARD = "drive forward 1 m"
LEFT = "turn left 90 degrees"
SIDES = ("left", "right")
OPEN = "open the left gripper"


class TwoHands:
    """A world with arms and grippers, which have names. world: what else is known."""

    def __init__(self, world: World) -> None:
        self._world = world

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(each.name for each in self.known(kind))

    def known(self, kind: str) -> tuple[Known, ...]:
        if kind not in ("arms", "grippers"):
            return self._world.known(kind)
        return tuple(Known(side, f"{side} {kind[:-1]}") for side in SIDES)


class Talk:
    """What a text makes of the instruction before it."""

    def __init__(self, here: Lab) -> None:
        meta = here.language.meta
        self._signatures = here.signatures
        self._world = TwoHands(here.world)
        self._language = SpokenLanguage(
            here.language, self._world, here.language.wording, kinds_of(here.signatures)
        )
        self.reader = ReferringReader(meta.referring, meta.spelt, meta.of_things, meta.asking)
        self._things = Naming(meta.naming, meta.naming_beside)
        self._of_things = frozenset(meta.of_things)

    def plan(self, text: str) -> Plan:
        (plan,) = self._language.surely(text)
        return plan

    def referred(self, last: str, referring: Referring) -> Referred | None:
        language = self._language
        referent = Referent(
            LastSaid(last, (self.plan(last),)),
            language.plainly,
            language.surely,
            language.plain_words,
            self._named,
            self._signatures,
            self._world,
        )
        return referent.changed(referring)

    def _named(self, content: str) -> list[str]:
        known = [each for kind in kinds_of(self._signatures) for each in self._world.known(kind)]
        nouns = {each.name.rpartition(" ")[2] for each in known}
        is_named = words_of(content)[0] in self._of_things
        return self._things.telling(content, nouns, is_named=is_named)


@pytest.fixture(scope="module")
def talk() -> Talk:
    return Talk(our_lab())


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (UP, "no, yesterday"),
        (UP, "the same to you"),
        (UP, "I had the same as my sister"),
        (UP, "it is too cold in here"),
        (UP, "too much sugar in my tea"),
        (UP, "give me more coffee"),
        (UP, "one more beer please"),
        (UP, "no, the red one"),
        (UP, "not the shelf, right"),
        (FORWARD, "make it 30"),
        (FORWARD, "30 more"),
        (LEFT, "not enough, 30"),
    ],
)
def test_what_fits_nothing_of_it_changes_nothing(talk: Talk, last: str, said: str) -> None:
    referring = talk.reader.read(said)
    found = None if referring is None else talk.referred(last, referring)
    assert found is None or found.plans == (talk.plan(last),)


@pytest.mark.parametrize(
    ("last", "said", "mode", "plain"),
    [
        (UP, "Naw, no that yin, the ither yin.", Mode.INSTEAD, "move the right arm up 10 cm"),
        (UP, "wrong arm, I meant the other one", Mode.INSTEAD, "move the right arm up 10 cm"),
        (UP, "sorry I mixed them up, the right one", Mode.INSTEAD, "move the right arm up 10 cm"),
        (UP, "not left, right", Mode.INSTEAD, "move the right arm up 10 cm"),
        (
            UP,
            "Sorry, my mistake. Not up, down is correct. Same 10 cm.",
            Mode.INSTEAD,
            "move the left arm down 10 cm",
        ),
        (UP, "nvm make that 30 cm", Mode.INSTEAD, "move the left arm up 30 cm"),
        (UP, "ach no, only 3", Mode.INSTEAD, "move the left arm up 3 cm"),
        (UP, "wait no thats too high do 15", Mode.INSTEAD, "move the left arm up 15 cm"),
        (UP, "too little, make it 20", Mode.INSTEAD, "move the left arm up 20 cm"),
        (UP, "twelve would have been better", Mode.INSTEAD, "move the left arm up 12 cm"),
        (LEFT, "Is too much turn. Only 45.", Mode.INSTEAD, "turn left 45 degrees"),
        (LEFT, "No no no, the other side I say!", Mode.INSTEAD, "turn right 90 degrees"),
        (FORWARD, "left instead", Mode.INSTEAD, "drive left 1 m"),
        (UP, "Is too much. Back down three.", Mode.LESS, "move the left arm down 3 cm"),
        (INCHES, "no that's too far bring it back up two", Mode.LESS, "move the right arm up two inches"),
        (FORWARD, "half a metre too far", Mode.LESS, "drive back half a metre"),
        (LEFT, "20 back", Mode.LESS, "turn right 20 degrees"),
        (UP, "another 5", Mode.FURTHER, "move the left arm up 5 cm"),
        (UP, "five centimetres more, love", Mode.FURTHER, "move the left arm up 5 cm"),
        (FORWARD, "same again, slower", Mode.AGAIN, "drive forward 1 m slowly"),
        (FORWARD, "once more but gently", Mode.AGAIN, "drive forward 1 m gently"),
        (UP, "do it again, half as fast", Mode.AGAIN, "move the left arm up 10 cm half as fast"),
        (UP, "again at half speed", Mode.AGAIN, "move the left arm up 10 cm at half speed"),
        (UP, "again, half as high", Mode.AGAIN, "move the left arm up 5 cm"),
        (UP, "And give the same to its sibling.", Mode.AGAIN, "move the right arm up 10 cm"),
        (
            UP,
            "Oh, that's lovely, thank you. Could the right one maybe do the same?",
            Mode.AGAIN,
            "move the right arm up 10 cm",
        ),
        (OPEN, "now the other pincher toooo", Mode.AGAIN, "open the right gripper"),
        (OPEN, "and the other 1", Mode.AGAIN, "open the right gripper"),
        (FORWARD, "do that again but only half", Mode.AGAIN, "drive forward 50 cm"),
        (FORWARD, "One more time, the same, but only thirty centimeter.", Mode.AGAIN, "drive forward 30 cm"),
    ],
)
def test_what_it_changes(talk: Talk, last: str, said: str, mode: Mode, plain: str) -> None:
    referring = talk.reader.read(said)
    assert referring is not None
    found = talk.referred(last, referring)
    assert found is not None
    assert (found.mode, found.plans, found.left_out) == (mode, (talk.plan(plain),), ())


@pytest.mark.parametrize(
    "said",
    [
        "As you were",
        "I withdraw that. Kindly restore the status quo ante.",
        "ctrl z",
        "Pit it back the wey it wis.",
        "Make this undone, please.",
        "Pray reverse your last action.",
    ],
)
def test_what_takes_all_of_it_back(talk: Talk, said: str) -> None:
    referring = talk.reader.read(said)
    assert referring is not None and referring.mode is Mode.UNDO


def test_a_remark_beside_it_is_told(talk: Talk) -> None:
    referring = talk.reader.read("No no no, quaggle zorp, the other side!")
    assert referring is not None
    found = talk.referred(LEFT, referring)
    assert found is not None and found.left_out == ("quaggle zorp",)


def test_a_number_is_no_remark(talk: Talk) -> None:
    referring = talk.reader.read("No, other way! Thirty off the first mark.")
    assert referring is not None and talk.referred(LEFT, referring) is None


def test_what_names_only_a_thing_is_not_sure(talk: Talk) -> None:
    referring = talk.reader.read("now the right arm")
    assert referring is not None
    found = talk.referred(UP, referring)
    assert found is not None and found.is_another and found.confidence < 0.9
    assert talk.referred(UP, Referring(Mode.AGAIN, contents=referring.contents[:0], is_bare=True)) is None
