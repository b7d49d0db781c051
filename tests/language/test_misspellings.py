"""What people mistype: taken where it is certain, else asked about; what is to be handed on stays."""

from __future__ import annotations

import pytest

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.events import Subject
from framework.plan.ast import actions_of
from framework.plan.parser import NotUnderstood, Reading, Understood
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def _best(here: Lab, text: str) -> Reading:
    result = here.language.parse(text, here.world)
    assert isinstance(result, Understood), str(result)
    return result.readings[0]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("move up sixy cm", ["six", "sixty"]),
        ("move up fourty cm", ["forty"]),
        ("move the right arm up tne cm", ["ten"]),  # or "the"
        ("move the right arm up fiv cm", ["five"]),
        ("show the fron lidar", ["front"]),  # or "from"
        ("open the ripper", ["gripper"]),  # is English
        ("lest arm up 10 cm", ["lets"]),
    ],
)
def test_what_is_not_certain_is_asked_about(here: Lab, text: str, offered: list[str]) -> None:
    result = here.language.parse(text, here.world)
    assert isinstance(result, Understood)
    best = [each for each in result.readings if each.confidence == result.readings[0].confidence]
    assert [each.corrections[0].meant for each in best] == offered
    assert best[0].confidence < LEAST_CONFIDENCE


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("remember this place as dokc", "dokc"),
        ("name this spot barela", "barela"),
        ("call this view frnt", "frnt"),
        ("teach a motion called wvae", "wvae"),
        ("say the tabel is mine", "the tabel is mine"),
        ('say "helo wrold" adn go home', "helo wrold"),
        ("announce teh door is opne", "teh door is opne"),
    ],
)
def test_what_is_handed_on_stays_as_it_was_typed(here: Lab, text: str, kept: str) -> None:
    best = _best(here, text)
    assert kept in next(iter(actions_of(best.plan))).parameters.values()
    assert not best.corrections
    assert kept in here.language.spelt(text, here.world)


@pytest.mark.parametrize("name", ["zsofi", "marek", "bogdan", "kuchnia", "Tabel"])
def test_who_is_not_known_is_not_taken_for_something_that_is(here: Lab, name: str) -> None:
    result = here.language.parse(f"drive to {name}", here.world)
    assert isinstance(result, NotUnderstood)
    assert (result.kind, result.unknown) == (Subject.NO_THING, name)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("drvie fwd 60 cm", "drive forward 60 cm"),
        ("forwrad 40 cm", "forward 40 cm"),
        ("go to teh tabel adn come bakc", "go to the table and come back"),
        ("opne the left griper", "open the left gripper"),
        ("move teh rigth hnad dwon 5cm", "move the right arm down 5 cm"),
        ("rght arm up 10 cm", "right arm up 10 cm"),
        ("move the right arm ritgh 10 cm", "move the right arm right 10 cm"),
        ("turnleft 90 degres", "turn left 90 degrees"),
        ("drive to thedoor", "drive to the door"),
        ("drive twnety cmm forward", "drive twenty cm forward"),
        ("wait fiev minuts", "wait five minutes"),
        ("DRVIE TO TEH DOOR", "drive to the door"),
        ("Look at the bleu cup", "look at the blue cup"),
        ("dont mvoe the left arm", "don't move the left arm"),
        ("drive to the table if the door is nto open", "drive to the table if the door is not open"),
        ("spin arond 3 tiems", "spin around 3 times"),
        ("show the redcup", "show the red cup"),
    ],
)
def test_what_is_certain_is_taken(here: Lab, said: str, plain: str) -> None:
    best = _best(here, said)
    assert best.plan == certain(here, plain)
    assert not best.corrections
    assert best.confidence >= LEAST_CONFIDENCE


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("folow me 2 the door", Subject.NO_ACTION, "follow you"),
        ("chuck the yelow ball in the bin", Subject.NO_ACTION, "chuck the yellow ball"),
        ("bring me a coffe", Subject.NO_ACTION, "bring you a coffee"),
        ("fecth me a beer", Subject.NO_ACTION, "fetch you a beer"),
        ("tkae the blue cup off teh shefl", Subject.NO_ACTION, "take the blue cup off the shelf"),
    ],
)
def test_refusals_are_about_what_was_meant(here: Lab, text: str, kind: Subject, says: str) -> None:
    result = here.language.parse(text, here.world)
    assert isinstance(result, NotUnderstood)
    assert result.kind is kind
    assert says in result.reason


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("hw far is the barel", "how far is the barrel"),
        ("wehre is the red cup", "where is the red cup"),
        ("waht do you see", "what do you see"),
        ("why did u stpo", "why did you stop"),
        ("is teh dor open?", "is the door open?"),
    ],
)
def test_questions(here: Lab, said: str, plain: str) -> None:
    asked = next(iter(actions_of(_best(here, said).plan)))
    wanted = next(iter(actions_of(_best(here, plain).plan)))
    assert asked.action == wanted.action
    assert asked.parameters.get("thing") == wanted.parameters.get("thing")


@pytest.mark.parametrize(
    ("said", "spelt"),
    [
        ("udno taht", "undo that"),
        ("a bti more", "a bit more"),
        ("no, the rihgt one", "no, the right one"),
        ("same wiht the othre arm", "same with the other arm"),
        ("slowre", "slower"),
        ("cary on", "carry on"),
        ("pasue", "pause"),
        ("halp", "halt"),  # what sounds like a stop stays one
        ("nothing is wrong with that", "nothing is wrong with that"),
        ("Zsofi adn Marek", "Zsofi and Marek"),
    ],
)
def test_what_is_said_after_something_is_spelt(here: Lab, said: str, spelt: str) -> None:
    assert here.language.spelt(said, here.world) == spelt


def test_a_text_without_misspellings_is_read_once(here: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(here.language.righting, "_right", lambda text, *_: read.append(text))
    here.language.parse("move the left arm up 10 cm", here.world)
    here.language.spelt("please bring me the newspaper from the kitchen", here.world)
    assert not read
