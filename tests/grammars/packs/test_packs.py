"""Packs: what is asked for in their words is done in ours, or refused by what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.dialogue.choices import best_of
from framework.errors import DescriptionError
from framework.events import Subject
from framework.plan.parser import Known, NotUnderstood, Understood
from framework.plan.words import in_words
from framework.plugins import new_grammar
from grammars import Language
from grammars.domain import NamesOfFile
from grammars.packs.hearing import PackHearing
from grammars.packs.pack import OURS, packs, read_pack, read_packs
from pilothouse.catalogue import action_catalogue
from pilothouse.grammar_trial import GrammarTrial
from pilothouse.language import language_of


def known(*names: str) -> tuple[Known, ...]:
    return tuple(Known(name, name) for name in names)


ROOMS = known("kitchen", "living room", "bedroom")
PEOPLE = known("Charlie", "Robin")
THINGS = (*known("sofa", "desk", "milk"), Known("red cup", "red cup", ("cup",)))

HERE = NamesOfFile(
    {
        "world.places": ROOMS,
        "places": ROOMS,
        "world.people": PEOPLE,
        "world.fixtures": THINGS[:2],
        "world.objects": THINGS[2:],
        "world.goals": (*THINGS, *PEOPLE),
        "world.faced": (*THINGS, *PEOPLE, *ROOMS),
        "world.known": (*THINGS, *PEOPLE, *ROOMS),
    }
)


@pytest.fixture(scope="module")
def language() -> Language:
    return language_of(action_catalogue(), packs=tuple(map(PackHearing, read_packs(["home"]))))


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("go to the kitchen", "go to the kitchen"),
        ("navigate to the sofa", "go to the sofa"),
        ("meet Robin in the living room", "go to the living room, then go to Robin, then say hello"),
        ("look for Charlie in the kitchen", "go to the kitchen, then go to Charlie"),
    ],
)
def test_what_can_be_done_is_done_in_our_own_words(language: Language, said: str, means: str) -> None:
    found = language.parse(said, HERE)
    assert isinstance(found, Understood), found
    assert in_words(found.readings[0].plan, language.wording) == means


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("bring me the apple from the kitchen table", "I cannot bring things."),
        (
            "pick up the red cup and put it on the desk",
            "I cannot pick things up or put things down somewhere.",
        ),
        ("go to the kitchen, find Robin and follow him", "I cannot follow people."),
        ("tell me how many people are in the kitchen", "I cannot count people."),
        ("what is the name of the man in the kitchen", "I cannot find out who somebody is or what they do."),
        ("what is the heaviest object on the desk", "I cannot compare things by looking."),
        ("escort Robin from the sofa to the exit", "I cannot guide people."),
        ("serve drinks to everyone in the living room", "I cannot serve food or drinks."),
    ],
)
def test_what_cannot_be_done_is_refused_by_the_ability_that_is_missing(
    language: Language, said: str, why: str
) -> None:
    found = language.parse(said, HERE)
    assert isinstance(found, NotUnderstood), found
    assert found.kind is Subject.NO_ACTION
    assert found.reason.startswith(why)


def test_of_what_can_be_done_in_part_nothing_is_done_and_that_is_said(language: Language) -> None:
    found = language.parse("go to the kitchen, find the milk and bring it to Robin", HERE)
    assert str(found) == "I cannot bring things to somebody. I have done nothing of all that."


def test_who_is_not_here_is_named(language: Language) -> None:
    found = language.parse("meet Jamie in the bedroom", HERE)
    assert isinstance(found, NotUnderstood)
    assert (found.kind, found.unknown) == (Subject.NO_THING, "Jamie")
    assert str(found) == 'I know no "Jamie" here; I know Charlie, Robin.'


@pytest.mark.parametrize(
    "said", ["how many cups are there", "where is the milk", "raise the left arm by 5 cm"]
)
def test_what_we_understand_ourselves_stays_what_it_was(language: Language, said: str) -> None:
    alone = language_of(action_catalogue())
    found, before = language.parse(said, HERE), alone.parse(said, HERE)
    assert isinstance(found, Understood)
    assert found == before


def test_nothing_is_wrong_with_ours() -> None:
    for name in packs():
        assert GrammarTrial(OURS / name).mistakes == ()


def test_a_new_pack_works_at_once(tmp_path: Path) -> None:
    new_grammar("post", tmp_path)
    trial = GrammarTrial(tmp_path / "post")
    assert trial.mistakes == ()
    assert trial.heard("pay the kitchen a visit") == "go to the kitchen"
    assert trial.heard("fetch me a cup") == "I cannot pick things up and bring them."


def test_ways_that_we_do_not_understand_are_told_with_their_line(tmp_path: Path) -> None:
    new_grammar("post", tmp_path)
    file = tmp_path / "post" / "pack.yaml"
    file.write_text(file.read_text().replace("go to {room}", "glorp to {room}"))
    (mistake,) = GrammarTrial(tmp_path / "post").mistakes
    assert f"{file}:14: visit: the installation does not understand 'glorp to kitchen'" in mistake


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("  fetch:\n    cannot: ", "  fly:\n    cannot: "), 17, "no action 'fly'; it has fetch, visit"),
        (("{room}", "{rom}"), 14, "no parameter 'rom'; its parameters are room"),
        (("{room}", "{room!r}"), 14, "by its name alone"),
        (("{room}", "{room"), 14, "cannot be read"),
        (('    cannot: "go there"\n', ""), 13, "visit needs `cannot`"),
        (("  room: [world.places]", "  rooms: [world.places]"), 6, "no names of 'rooms'; it has those of"),
        (("deeds:", "does:"), 9, "there is no key 'does' here; keys are known, deeds"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: int, words: str
) -> None:
    new_grammar("post", tmp_path)
    file = tmp_path / "post" / "pack.yaml"
    text = file.read_text()
    assert change[0] in text
    file.write_text(text.replace(*change))
    with pytest.raises(DescriptionError) as refused:
        read_pack(tmp_path / "post")
    assert words in str(refused.value)
    assert (refused.value.file, refused.value.line) == (str(file), line)


def test_a_folder_that_is_none_is_refused_with_the_packs_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="no folder of a grammar pack; ours are home"):
        read_packs([str(tmp_path / "nothing")])


def test_what_no_deed_is_said_of_is_named(tmp_path: Path) -> None:
    new_grammar("post", tmp_path)
    file = tmp_path / "post" / "pack.yaml"
    file.write_text(file.read_text().partition("  fetch:")[0])
    with pytest.raises(DescriptionError, match="what becomes of fetch: say or cannot"):
        read_pack(tmp_path / "post")


@pytest.mark.parametrize(
    ("said", "means"),
    [
        # Each would be something else to the installation.
        ("say hello to Charlie in the kitchen", "go to the kitchen, then go to Charlie, then say hello"),
        ("who is in the kitchen", "who is in the kitchen"),
        ("tell Robin that dinner is ready", "go to Robin, then say dinner is ready"),
    ],
)
def test_what_goes_first_is_done_in_the_way_of_the_pack(language: Language, said: str, means: str) -> None:
    found = language.parse(said, HERE)
    assert isinstance(found, Understood), found
    assert in_words(found.readings[0].plan, language.wording) == means


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("turn on the tv", "I cannot switch devices on or off."),
        ("say the time to Robin", "I cannot tell what I have not been given the words for."),
        ("tell Robin a joke", "I cannot tell what I have not been given the words for."),
        ("what is Robin wearing", "I cannot tell what somebody looks like."),
    ],
)
def test_what_goes_first_is_refused_though_we_would_do_something_else(
    language: Language, said: str, why: str
) -> None:
    assert str(language.parse(said, HERE)) == why


def test_a_person_is_no_place_where_somebody_else_may_be(language: Language) -> None:
    found = language.parse("look for Charlie in the kitchen", HERE)
    assert isinstance(found, Understood)
    best = [in_words(reading.plan, language.wording) for reading in best_of(found.readings)]
    assert best == ["go to the kitchen, then go to Charlie"]


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("find Robin and greet him", "go to Robin, then say hello"),
        ("go to Charlie, find Robin and greet her", "go to Charlie, then go to Robin, then say hello"),
    ],
)
def test_him_is_who_was_named_last(language: Language, said: str, means: str) -> None:
    found = language.parse(said, HERE)
    assert isinstance(found, Understood), found
    assert in_words(found.readings[0].plan, language.wording) == means


def test_him_alone_is_nobody_whom_we_know(language: Language) -> None:
    assert str(language.parse("greet him", HERE)) == "I cannot greet people whom I do not know by name."


def test_what_nobody_can_know_is_refused_by_what_is_missing_if_the_pack_knows_it(language: Language) -> None:
    assert str(language.parse("check whether the stove is off", HERE)) == "I cannot check how something is."


def test_what_could_be_said_of_a_person_has_no_article(language: Language) -> None:
    refused = str(language.parse("dance with Robin", HERE))
    assert refused.startswith("I cannot dance with Robin.")
    assert '"look at Robin"' in refused


@pytest.mark.parametrize("folder", ["", "empty"])
def test_a_folder_without_commands_is_no_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DescriptionError, match=r"no commands\.yaml in it; `pilothouse new grammar NAME`"):
        read_packs([folder])


def test_what_a_pack_refuses_is_not_taken_for_something_else(language: Language) -> None:
    said = "say hello to the tall guy in the kitchen"
    assert str(language.parse(said, HERE)) == "I cannot greet people whom I do not know by name."
    assert language_of(action_catalogue()).guess(said, HERE) != ()
    assert language.guess(said, HERE) == ()
    assert language.guess("make your fingers go together", HERE) != ()
