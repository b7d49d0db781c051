"""What people probably mean whom the grammar does not understand: whole, by clauses, or not at all."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest

from framework.errors import DescriptionError
from framework.plan.parser import Understood
from grammars.intent.encoder import Scored
from grammars.intent.guessing import Guessing
from grammars.intent.heard import read_heard
from grammars.intent.intents import Intent, Kind
from grammars.intent.model import Model, fingerprint, house_model
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.experiments.language.learn import all_heard
from pilothouse.experiments.people.notation import written
from tests.work import A_SECOND, work_of


class Sure:
    """A scorer that is sure of one intent, whatever is said."""

    def __init__(self, intent: Intent) -> None:
        self.intents = (intent,)

    def scored(self, words: Sequence[str]) -> list[Scored]:
        return [Scored(self.intents[0], 0.95)]


@cache
def here() -> Lab:
    return our_lab()


def guessed(text: str) -> list[str]:
    """What is guessed of a text that is not understood, as plans are written down."""
    language, world = here().language, here().world
    assert not isinstance(language.parse(text, world), Understood), f"{text!r} is understood already"
    return [written(each.plan) for each in language.guess(text, world)]


# None of these is among what was learnt.
@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("make the right arm loose, i pull it to the weld by hand", "hand_guide(side=right)"),
        ("Off you toddle to the shelf, there's a dear.", "drive_to(thing=shelf)"),
        ("That dock can be rubbed out of your memory, pet.", "forget(name=dock)"),
        ("Never let that hand out of your sight, will you.", "track(thing=hand)"),
        ("Relieve phone 2 of the arm, pet.", "take_back(session=phone 2)"),
    ],
)
def test_what_is_like_what_was_meant_before_is_guessed(text: str, plan: str) -> None:
    assert guessed(text)[:1] == [plan]


@pytest.mark.parametrize(
    "text",
    [
        "Pop the kettle on, pet.",
        "Fetch us the red cup from the shelf, would you.",
        "What's the weather doing over there?",
        "Sing us a song about the sea.",
        "The quick brown fox jumps over the lazy dog.",
        "qwrt zxcv plmk",
        "zeige mir die Umgebung",
        "gehe nach Hause bitte",
        "40 degrees",
        "",
        "?",
        "..., and then, first",
    ],
)
def test_what_no_action_is_for_is_not_guessed(text: str) -> None:
    assert guessed(text) == []


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Do pop your right mitt open, 40 degrees, pet.", "40 degrees"),
        ("Relieve phone 2 of the arm at 20 newtons, pet.", "20 newtons"),
        ("Hoist yer right mitt 5 cm, sorry sorry, 15 cm up, pet.", "15 cm"),
    ],
)
def test_everything_that_is_mentioned_takes_part_or_nothing_is_guessed(text: str, mention: str) -> None:
    assert guessed(text) == [], f"{mention} was passed over"


def surely(text: str, intent: Intent) -> list[str]:
    """What is guessed of a text of which the scorer is sure."""
    language = here().language
    model = msgspec.structs.replace(house_model(), scorer=Sure(intent))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language.guessing, "_model", lambda: model)
        return [written(each.plan) for each in language.guess(text, here().world)]


GO = Intent(Kind.ACTION, "drive_to")
MOVE = Intent(Kind.ACTION, "move", (("direction", "up"),), ("distance_m",))


def test_what_is_sure_is_guessed() -> None:
    assert surely("trot along to the shelf", GO) == ["drive_to(thing=shelf)"]
    assert surely("hoist 5 cm", MOVE) == ["move(direction=up, distance_m=0.05)"]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("unless somebody is stood there, trot along to the shelf", GO),
        ("trot along to the shelf, whenever it pleases you", GO),
        ("trot along to the shelf, wait no, my mistake", GO),
        ("trot along to the other shelf", GO),
        ("hoist 5 cm, sorry, 15 cm", MOVE),
        ("hoist 9 km", MOVE),  # beyond what it may be asked for
    ],
)
def test_however_sure_what_would_be_swallowed_is_not_guessed(text: str, intent: Intent) -> None:
    assert surely(text, intent) == []


def test_what_only_answers_is_guessed_whatever_else_is_said() -> None:
    who = Intent(Kind.ACTION, "who_drives")
    assert surely("before lunch, who else has a hand on the tiller?", who) == ["who_drives()"]


def test_who_else_does_something_is_no_doer_of_ours() -> None:
    for text in ("plonk yersel by the cabinet, after my pal has had a gander at the red cup",):
        assert "look_at" not in str(guessed(text))


def test_under_a_condition_nothing_is_guessed_as_a_whole() -> None:
    assert guessed("Whenever it pleases you do pop your right mitt open, pet.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Might you cast an eye over at the cup again, pet?",  # there are three
        "The other side, pet.",  # of what
        "Off you toddle to the shelf, no, I mean the door, pet.",
    ],
)
def test_what_has_to_be_asked_is_not_guessed(text: str) -> None:
    assert guessed(text) == []


def test_clauses_are_guessed_one_by_one_and_read_as_a_whole() -> None:
    assert guessed(
        "Off you toddle to the shelf, then let go of whatever it is you are holding in your right hand, pet."
    ) == ["drive_to(thing=shelf); open_gripper(side=right)"]


@pytest.mark.parametrize(
    ("text", "rather"),
    [
        ("drop it", "open_gripper()"),
        ("I want the arm back", "take_back()"),
        (
            "would you extend the right arm forward by 0.2 m",
            "move(direction=forward, side=right, distance_m=0.2)",
        ),
    ],
)
def test_what_is_read_otherwise_than_others_meant_it_is_asked_about(text: str, rather: str) -> None:
    found = here().language.parse(text, here().world)
    assert isinstance(found, Understood)
    assert rather in [written(each.plan) for each in found.readings]
    assert len({each.confidence for each in found.readings}) == 1 and found.readings[0].confidence < 0.9


@pytest.mark.parametrize(
    "text", ["go home", "move up 5 cm", "drive to the shelf", "look at the red cup", "let me drive", "wave"]
)
def test_what_is_said_as_usual_is_not_doubted(text: str) -> None:
    found = here().language.parse(text, here().world)
    assert isinstance(found, Understood) and found.readings[0].confidence == 1.0


@pytest.mark.parametrize(
    ("remark", "is_said"),
    [
        ("The lot of them are late for tea", False),
        ("excuse me mister robot", False),
        ("there's a puddle by the drum", True),  # it mentions something of ours
    ],
)
def test_a_remark_is_left_out_and_unless_it_is_surely_one_that_is_said(remark: str, is_said: bool) -> None:
    found = here().language.guess(f"{remark}, off you toddle to the shelf", here().world)
    assert [written(each.plan) for each in found] == ["drive_to(thing=shelf)"]
    assert found[0].left_out == ((remark,) if is_said else ())


def test_what_cannot_be_done_is_no_remark() -> None:
    assert guessed("pop the kettle on, then off you toddle to the shelf") == []


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (
            "undo that fist of yours, after you've popped yourself over by the shelf",
            "drive_to(thing=shelf); open_gripper()",
        ),
        (
            "before you mosey along to the shelf, undo that fist of yours",
            "open_gripper(); drive_to(thing=shelf)",
        ),
        (
            "as soon as you've popped yourself over by the shelf, undo that fist of yours",
            "drive_to(thing=shelf); open_gripper()",
        ),
    ],
)
def test_what_stands_behind_before_is_put_into_plain_words(text: str, plan: str) -> None:
    assert guessed(text) == [plan]


def test_what_was_said_twice_counts_once() -> None:
    assert guessed("Off you toddle to the shelf, the shelf, there's a dear.") == ["drive_to(thing=shelf)"]


def test_a_number_that_it_has_no_use_for_is_left_out_of_what_is_very_sure_and_that_is_said() -> None:
    text = "Get the arm back from whoever, that'd be phone 2, it's been hogging it since nine"
    (found,) = here().language.guess(text, here().world)
    assert written(found.plan) == "take_back(session=phone 2)" and found.left_out == ("nine",)


@pytest.mark.parametrize("text", ["keep yer right mitt right there, pet", "both mitts right there"])
def test_right_there_is_no_side(text: str) -> None:
    mentions = here().language.guessing.noticed(text, here().world).mentions
    assert [each.side for each in mentions if each.side] in (["right"], ["both"])


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("whoa there, that's plenty, enough!", "stop"),
        ("nah mate, not on your life", "no"),
        ("righto, on you go with what you were at", "resume"),
        ("off you toddle to the shelf", ""),
        ("", ""),
    ],
)
def test_a_text_may_be_like_what_the_dialogue_itself_does(text: str, like: str) -> None:
    assert here().language.like(text, here().world) == like


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("This corner shall be known as the reading nook.", "remember(name=reading nook)"),
        ("this corner goes by kettle point from now on", "remember(name=kettle point)"),
    ],
)
def test_a_new_name_is_found_where_names_stand(text: str, plan: str) -> None:
    assert guessed(text) == [plan]


def test_it_is_less_sure_than_what_is_done_unasked() -> None:
    readings = here().language.guess("Off you toddle to the shelf, there's a dear.", here().world)
    assert readings and all(each.confidence < 0.9 for each in readings)


def test_a_long_story_is_answered_in_time() -> None:
    story = " ".join(["and then the robot that we had last year went to the shelf"] * 40)
    here().language.guess("warm up", here().world)
    with work_of() as work:
        here().language.guess(story, here().world)
    assert work.calls < A_SECOND / 4


def test_it_was_learnt_from_what_was_heard() -> None:
    """Stale: python -m pilothouse.experiments.language.learn FOLDER"""
    heard = all_heard(here().language)
    assert house_model().learnt_from == fingerprint((each.say, each.means) for each in heard)


def test_without_anything_learnt_nothing_is_guessed(caplog: pytest.LogCaptureFixture) -> None:
    def nothing() -> Model:
        raise DescriptionError("what was learnt cannot be read: it is gone")

    language, world = here().language, here().world
    guessing = Guessing(
        str,
        lambda text, world: language.recogniser.read(text, world, language.kinds),
        lambda utterance, world, text: (),
        language.plainly,
        lambda plan, world: "",
        lambda words: False,
        language.guessing.patterns,
        language.kinds,
        language.core,
        model=nothing,
    )
    with caplog.at_level(logging.ERROR):
        assert guessing.guess("off you toddle to the shelf", world) == ()
        assert guessing.like("whoa there", world) == ""
    assert len([each for each in caplog.records if "nothing is guessed" in each.message]) == 1


@pytest.mark.parametrize(
    "line",
    ["no JSON", '{"say": "hello"}', '{"say": 3, "means": ""}', '{"say": "a", "means": "", "who": "b"}'],
)
def test_a_wrong_line_is_named_with_its_number(line: str, tmp_path: Path) -> None:
    file = tmp_path / "heard.jsonl"
    file.write_text('{"say": "up", "means": "move up"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match=r'heard.jsonl:2: .*a line is \{"say"'):
        read_heard(file)


@pytest.mark.soak
def test_what_was_meant_is_read() -> None:
    """All of `heard.jsonl` can be learnt from (`learn.intent_of` raises otherwise)."""
    from pilothouse.experiments.language.learn import wanted_of

    heard = all_heard(here().language)
    assert len(wanted_of(here(), heard)) == len(heard)
