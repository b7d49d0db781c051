"""What people probably mean whom the grammar does not understand: whole, by clauses, or not at all."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plan.parser import Understood
from grammars.intent.classifier import Classifier
from grammars.intent.features import n_grams
from grammars.intent.guessing import Guessing
from grammars.intent.heard import read_heard
from grammars.intent.intents import Intent, Kind
from grammars.intent.model import FILE, Model, fingerprint, house_model, load
from pilothouse.experiments.language.lab import Lab, lab
from pilothouse.experiments.language.learn import all_heard
from pilothouse.experiments.language.sets import files
from pilothouse.experiments.people.notation import written
from tests.work import A_SECOND, work_of


@cache
def here() -> Lab:
    return lab(files({})["lab"])


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
        ("Off you toddle to the shelf and the door, there's a dear.", "the door"),
        ("Do pop your right mitt open, 40 degrees, pet.", "40 degrees"),
        ("Relieve phone 2 of the arm for 20 seconds, pet.", "20 seconds"),
        ("Relieve phone 2 of the arm at 20 newtons, pet.", "20 newtons"),
    ],
)
def test_everything_that_is_mentioned_takes_part_or_nothing_is_guessed(text: str, mention: str) -> None:
    assert guessed(text) == [], f"{mention} was passed over"


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


def test_a_remark_that_nobody_knows_is_left_out_and_that_is_said() -> None:
    found = here().language.guess(
        "The lot of them are late for tea, off you toddle to the shelf", here().world
    )
    assert [written(each.plan) for each in found] == ["drive_to(thing=shelf)"]
    assert found[0].left_out == ("The lot of them are late for tea",)


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


def test_a_cry_is_like_a_stop_and_an_instruction_is_not() -> None:
    language, world = here().language, here().world
    assert language.wants_a_stop("whoa there, that's plenty, enough!", world)
    assert not language.wants_a_stop("off you toddle to the shelf", world)


def test_a_long_story_is_answered_in_time() -> None:
    story = " ".join(["and then the robot that we had last year went to the shelf"] * 40)
    here().language.guess("warm up", here().world)
    with work_of() as work:
        here().language.guess(story, here().world)
    assert work.calls < A_SECOND / 4


def test_it_was_learnt_from_what_was_heard() -> None:
    """Stale: python -m pilothouse.experiments.language.learn"""
    heard = all_heard(here().language)
    assert house_model().learnt_from == fingerprint((each.say, each.means) for each in heard)


def test_what_was_learnt_is_read_as_it_was_written(tmp_path: Path) -> None:
    house_model().save(tmp_path / "again.npz")
    again, text = load(tmp_path / "again.npz"), n_grams(["off", "to", "the", "<world>"])
    assert again.patterns == house_model().patterns
    assert again.classifier.scored(text) == house_model().classifier.scored(text)


@pytest.mark.parametrize(
    "content", [b"", b"no archive", FILE.read_bytes()[:5000]], ids=["empty", "other", "cut off"]
)
def test_what_was_not_learnt_is_refused_in_words(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "learnt.npz"
    file.write_bytes(content)
    with pytest.raises(DescriptionError, match="what was learnt cannot be read"):
        load(file)


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
        assert not guessing.wants_a_stop("whoa there", world)
    assert len([each for each in caplog.records if "nothing is guessed" in each.message]) == 1


def test_a_text_like_nothing_that_was_said_is_near_nothing() -> None:
    texts = [n_grams(each.split()) for each in ("up a bit", "go up", "down a bit", "go down") * 2]
    up, down = (Intent(Kind.ACTION, "move", (("direction", each),)) for each in ("up", "down"))
    classifier, _ = Classifier.learn(texts, [up, up, down, down] * 2)
    assert [each.intent for each in classifier.scored(n_grams(["up"]))] == [up, down]
    near, far = classifier.scored(n_grams(["go", "up"]))[0], classifier.scored(n_grams(["zebra"]))
    assert near.score > 0.7 > 0.4 > max(each.score for each in far)


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
