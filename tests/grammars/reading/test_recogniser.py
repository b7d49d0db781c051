"""Texts become words, quantities and names; any text at all, and quickly."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.plan import Known
from grammars.reading.recogniser import Recogniser
from grammars.reading.tokens import MOST_CHARACTERS, UNREAD, is_article
from tests.effort import random_inputs
from tests.grammars.compiled_later import RecogniserLater
from tests.work import A_SECOND, work_of

RECOGNISER = RecogniserLater()


class Things:
    """A world that knows things and places, and may be changed."""

    def __init__(self, **known: tuple[Known, ...]) -> None:
        self.all = known

    def known(self, kind: str) -> tuple[Known, ...]:
        return self.all.get(kind, ())

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(known.name for known in self.known(kind))


WORLD = Things(
    thing=(
        Known("red_cup", "red cup"),
        Known("c2", "camera 2"),
        Known("c7", "RGB-D camera", ("depth camera",)),
        Known("box", "toolbox"),
        Known("shelf", "shelf"),
    ),
    place=(Known("pa", "point A"), Known("p", "point"), Known("shelf", "shelf")),
    nothing=(Known("x", "😀"), Known("", "")),
)
KINDS = ("thing", "place", "nothing", "unknown")


def words(text: str) -> list[str]:
    return [token.text for token in RECOGNISER.read(text, WORLD, KINDS).tokens]


def named(text: str, kind: str = "thing") -> list[tuple[int, str, int]]:
    names = RECOGNISER.read(text, WORLD, KINDS).names[kind]
    return [(at, each.known.value, each.end) for at, found in names.items() for each in found]


# -- bad input

STRANGE = (
    *(
        "",
        " ",
        "\x00",
        "\x1b[2J",
        "\ud800",
        "a\ud800b",
        "😀" * 3000,
        "👩‍👩‍👧 family",
        "\u202ehand\u202c",
        "שלום עולם",
    ),
    *(
        "a" * 100_000,
        "a " * 50_000,
        "." * 100_000,
        "#$" * 50_000,
        "-+" * 50_000,
        "9" * 100_000,
        "9," * 50_000,
    ),
    *(
        "one and " * 12_500,
        "1 m " * 25_000,
        "a" + "\u0301\u0316" * 50_000,
        "ﷺ" * 50_000,
        ".5" * 50_000,
        "'" * 99_999,
    ),
    *(
        "\ud800" * 50_000,
        "_" * 100_000,
        "hundred " * 12_500,
        "half of a " * 10_000,
        "煮蛋",
        "ＴＨＥ ｈａｎｄ",
        "½" * 9999,
    ),
)


@pytest.mark.parametrize("text", STRANGE, ids=lambda text: ascii(text[:12]))
def test_strange_texts_are_read_in_bounded_time(text: str) -> None:
    with work_of() as work:
        utterance = RECOGNISER.read(text, WORLD, KINDS)
        RECOGNISER.respaced([token.text for token in utterance.tokens])
    assert work.calls < A_SECOND
    assert utterance.text == text


@random_inputs(300)
@given(
    st.text(st.characters(exclude_categories=()))
    | st.lists(
        st.sampled_from(
            (
                "red",
                "cup",
                "1,5",
                "half",
                "a",
                "-",
                "m",
                "½",
                "٣",
                "\u200d",
                "ß",
                "İ",
                "point",
                "and",
                ".",
                "'",
                "e\u0301",
                "ﬁ",
            )
        )
    ).map("".join)
)
def test_any_text_is_survived_and_places_are_right(text: str) -> None:
    utterance = RECOGNISER.read(text, WORLD, KINDS)
    last = 0
    for token in utterance.tokens:
        assert token.text
        assert last <= token.start < token.end <= len(text)
        last = token.start
        if token.text.isascii() and text.isascii() and token.text.isalpha() and text[token.start] not in "%&":
            assert text[token.start : token.end].lower() == token.text
    for at, quantities in utterance.quantities.items():
        assert all(at < each.end <= len(utterance.tokens) for each in quantities)


def test_what_is_too_long_ends_in_a_token_that_nothing_means() -> None:
    text = "hand" + " " * MOST_CHARACTERS
    assert words(text) == ["hand"]
    assert words(text + "stop") == ["hand", UNREAD]
    assert words("é" + " " * MOST_CHARACTERS + "stop") == ["é", UNREAD]


def test_what_is_said_leaves_nothing_behind() -> None:
    recogniser = Recogniser()
    recogniser.read("hello there", WORLD, KINDS)
    strings = len(recogniser._nlp.vocab.strings)
    for number in range(300):
        recogniser.read(f"never{number}heard unheard{number}of q{number}", WORLD, KINDS)
    assert len(recogniser._nlp.vocab.strings) == strings


# -- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Move the RED cup 10cm, then don't wait!", "move red cup 10 cm , then don't wait !"),
        ("RGB-D camera_2 twenty-five", "rgb d camera 2 twenty five"),
        ("it isn’t “so” (is it?)", "it isn't so is it ?"),
        ("show — then wait", "show , then wait"),
        ("hand...  wait?!", "hand . wait ?"),
        ("90° & 50%", "90 degrees and 50 percent"),
        ("go to point A then a hand", "go to point a then hand"),
        ("point a", "point a"),
        ("my hand, your camera, an eye", "hand , camera , eye"),
        ("10-20 --3 -4 a-4", "10 - 20 - - 3 - 4 a 4"),
        ("ＴＨＥ ｈａｎｄ ﬁts Straße", "hand fits strasse"),
        ("cam\u00adera h\u200band", "camera hand"),
        ("2½ 10² ٣", "2 ½ 10 ² 3"),
        ("the", ""),
        ("€5", "€ 5"),
        ("👋 hand 😀", "hand"),
        ("h\ud800and", "h � and"),
        ("1.5.2 1,250 .5 5.", "1.5.2 1,250 .5 5 ."),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize("word", ["the", "A", "your"])
def test_articles_of_templates(word: str) -> None:
    assert is_article(word)
    assert not is_article("this")


# -- names


def test_names_are_found_as_they_are_known() -> None:
    assert named("the Red  CUP beside red cup") == [(0, "red_cup", 2), (3, "red_cup", 5)]
    assert named("camera two and camera 2 and camera2") == [(0, "c2", 2), (3, "c2", 5), (6, "c2", 8)]
    assert named("rgb-d camera, RGBD camera, depth camera") == [
        (0, "c7", 3),
        (4, "c7", 6),
        (7, "c7", 9),
    ]
    assert named("red_cup") == [(0, "red_cup", 2)]


def test_the_longest_name_comes_first() -> None:
    assert named("go to point A now", "place") == [(2, "pa", 4), (2, "p", 3)]


def test_two_things_with_one_name_are_both_given() -> None:
    world = Things(thing=(Known("one", "cup"), Known("two", "cup", hint="on the table"), Known("cup", "mug")))
    found = RECOGNISER.read("the cup", world, ("thing",)).names["thing"][0]
    assert [each.known.value for each in found] == ["one", "two"]


def test_names_that_are_known_no_more_are_not_found() -> None:
    recogniser = Recogniser()
    world = Things(thing=(Known("a", "hand"),), place=(Known("b", "hand"),))
    assert recogniser.read("hand", world, ("thing",)).names["thing"]
    world.all = {"thing": (Known("c", "left hand"),), "place": world.all["place"]}
    utterance = recogniser.read("the left hand", world, ("thing", "place"))
    assert [each.known.value for each in utterance.names["thing"][0]] == ["c"]
    assert [each.known.value for each in utterance.names["place"][1]] == ["b"]
    world.all = {}
    assert recogniser.read("left hand", world, ("thing", "place")).names == {"thing": {}, "place": {}}


NAME = st.lists(st.sampled_from(("red", "blue", "cup", "box", "2", "two")), min_size=1, max_size=3).map(
    " ".join
)
WORLDS = st.lists(st.lists(NAME, max_size=6), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(WORLDS, st.lists(NAME, max_size=5).map(" ".join))
def test_a_world_that_changes_is_as_one_that_never_did(worlds: list[list[str]], text: str) -> None:
    world = Things()
    for names in worlds:
        world.all = {"thing": tuple(Known(f"{at}", name) for at, name in enumerate(names))}
        found = RECOGNISER.read(text, world, ("thing",)).names
    assert found == FRESH.read(text, world, ("thing",)).names


FRESH = RecogniserLater()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("show redcup", ((1, 1, ("red", "cup")),)),
        ("show tool box", ((1, 2, ("toolbox",)),)),
        ("the shelf", ()),
    ],
)
def test_names_with_one_space_wrong(
    text: str, expected: tuple[tuple[int, int, tuple[str, ...]], ...]
) -> None:
    RECOGNISER.read("", WORLD, KINDS)
    assert RECOGNISER.respaced(text.split()) == expected


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("cpu", ()),  # three letters are known or they are not
        ("shlef", ("shelf",)),
        ("shef", ("shelf",)),
        ("shelff", ("shelf",)),
        ("shwlf", ("shelf",)),
        ("shxlf", ()),
        ("hselv", ()),
        ("shelf", ()),
        ("dapth", ("depth",)),
    ],
)
def test_words_of_names_with_one_misspelling(said: str, meant: tuple[str, ...]) -> None:
    RECOGNISER.read("", WORLD, KINDS)
    assert RECOGNISER.near_words(said) == meant


# -- work


def test_twelve_words_are_little_work_beside_a_thousand_names() -> None:
    random = Random(1)
    vocabulary = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(1500)]
    world = Things(thing=tuple(Known(f"{at}", " ".join(random.sample(vocabulary, 2))) for at in range(1000)))
    first, second = world.names("thing")[:2]
    text = f"please go to the {first} and pick up the {second} for ten seconds"
    utterance = RECOGNISER.read(text, world, KINDS)
    assert len(utterance.names["thing"]) == 2
    with work_of() as work:
        RECOGNISER.read(text, world, KINDS)
    assert work.calls < 4_000


def test_spacy_is_imported_only_for_a_recogniser() -> None:
    imports = "import sys; from grammars.reading import names, quantities, tokens"
    code = f"{imports}; assert 'spacy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# -- aliases


def test_a_thing_is_called_by_other_nouns_too_unless_they_are_names() -> None:
    recogniser = Recogniser(("drum, barrel, oil cask", "cup, mug"))
    blue, mug, cup = Known("d1", "blue drum"), Known("m", "mug"), Known("c", "red cup", ("cup",))
    world = Things(thing=(blue, mug, cup))

    def meant(text: str) -> list[str]:
        named = recogniser.read(text, world, ("thing",)).names["thing"]
        return [each.known.value for found in named.values() for each in found]

    assert meant("the blue barrel") == meant("a blue oil cask") == ["d1"]
    assert meant("the mug") == ["m"], "what is called a mug is meant, and not the cup"
    assert meant("the red mug")[0] == "c"
    assert meant("the barrel") == [], "which one of several is for whoever knows them to say"
