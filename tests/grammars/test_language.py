"""One clause: what is not understood is refused in a way that helps, what is becomes its action."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.plan import Do, Known, NothingKnown, NotUnderstood, Parser, Reference, Understood
from framework.plan.ast import actions_of
from grammars import Language
from grammars.reading.matching import Rank
from grammars.wording.refusing import wanted
from tests.effort import random_inputs
from tests.grammars.kitchen import KITCHEN, LANGUAGE, WORLD, Guests, action, do, parameter, plan_of
from tests.work import A_SECOND, work_of

# -- bad input

FRAGMENTS = st.sampled_from(
    ("boil", "some", "eggs", "for", "it", "to", "ann", "twenty", "two", ".", "3", "-", "and", "then", "if",
     "kettle", "is", "boiling", "until", "while", "watching", "humming", "hum", "otherwise", "stop", ",",
     "announce", "not", "I", "say", '"', "when", "after", "before", "seconds", "the", "please",
     "could", "you"),
)  # fmt: skip


@random_inputs(240)
@given(st.text(max_size=80) | st.lists(FRAGMENTS, max_size=30).map(" ".join))
def test_any_text_is_survived(text: str) -> None:
    result = LANGUAGE.parse(text, WORLD)
    if isinstance(result, NotUnderstood):
        assert result.understood in text
        assert str(result).endswith((".", '"'))
    LANGUAGE.complete(text, WORLD)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "?",
        "😀" * 1000,
        "煮蛋",
        "Bitte koche die Eier",
        "\x00\x1b[2J\x07",
        "1e999",
        "½",
        "." * 9999,
        ", and then , and then",
        "eggs " * 10_000,
        "x" * 100_000,
        "and then " * 60,
        "if " * 190,
        "while " * 190,
        "stop " * 190,
        "announce " * 190,
        "announce stop while " * 60,
        "boil " + "some " * 190,
        "hum and " * 90,
        "(((((" * 40,
        "if the kettle is boiling " * 40,
        "could you please " * 60,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_strange_texts_are_refused_quickly(text: str) -> None:
    with work_of() as work:
        LANGUAGE.complete(text, WORLD)
        result = LANGUAGE.parse(text, WORLD)
    assert work.calls < A_SECOND
    if "announce" not in text and "boil" not in text:
        assert isinstance(result, NotUnderstood)


def test_long_and_nested_instructions_are_answered_in_time() -> None:
    texts = (
        " and ".join(["hum"] * 99),
        " then ".join(["announce this and that"] * 30),
        "if the kettle is boiling " * 20 + "hum",
        "hum until the kettle is boiling and " * 15 + "hum",
        "hum while humming and humming " * 30,
        " or ".join(["hum until the kettle is boiling", *["the kettle is cold and the pan is boiling"] * 12]),
    )
    for text in texts:
        with work_of() as work:
            LANGUAGE.parse(text, WORLD)
        assert work.calls < A_SECOND, text


def test_too_many_words_are_counted_in_the_refusal() -> None:
    result = LANGUAGE.parse("hum and " * 101, WORLD)
    assert isinstance(result, NotUnderstood)
    assert "words are too many" in str(result)


def test_a_template_with_endless_ways_is_no_trap() -> None:
    many = " ".join(["[a1|a1|a1|a1]"] * 30) + " end"
    language = Language((action("bad", (many,)), action("good", ("fine",))))
    with work_of() as work:
        assert isinstance(language.parse("a1 " * 25, NothingKnown()), NotUnderstood)
    assert work.calls < A_SECOND
    assert plan_of("fine", language) == do("good")


def test_a_rule_that_contains_itself_can_never_be_said() -> None:
    language = Language((action("bad", ("go <far>",), rules=(("far", "far [<far>]"),)),))
    assert isinstance(language.parse("go far far", NothingKnown()), NotUnderstood)


@pytest.mark.parametrize(
    ("text", "understood", "expected"),
    [
        ("turn the light", "turn the light", ("off", "on")),
        ("turn the heat to medium", "turn the heat to", ("low", "very high")),
        ("please set the chair", "please set", ("table",)),
        ("serve the soup to", "serve the soup to", ("Ann", "Bob", "it", "Uncle_Bob")),
        ("serve the soup to Carl", "serve the soup to", ("Ann", "Bob", "it", "Uncle_Bob")),
        ("", "", None),
    ],
)
def test_refusals_say_how_far_it_was_and_what_could_follow(
    text: str, understood: str, expected: tuple[str, ...] | None
) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.understood == understood
    if expected is not None:
        assert tuple(sorted(wanted_after(text), key=str.casefold)) == expected


def wanted_after(text: str) -> set[str]:
    """What could have followed at the furthest place, in words for people."""
    matching = LANGUAGE.as_it_stands(text, WORLD).matching
    assert matching is not None
    return {offer.shown for offer in wanted(matching) if offer.rank <= Rank.JOIN}


def test_what_makes_no_sense_at_all_is_answered_with_what_can_be_asked_for() -> None:
    result = LANGUAGE.parse("dance", WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.understood == ""
    assert {"set", "boil", "stir", "watch", "hum"} <= wanted_after("dance")


def test_an_activity_is_expected_as_one() -> None:
    result = LANGUAGE.parse("hum while dancing", WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.understood == "hum while"
    assert {"watching", "boiling", "humming"} <= wanted_after("hum while dancing")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("watch the mug", 'I know no pot called "mug"; I know kettle, red pot and pan.'),
        ("hum then watch the green cup and hum", 'I know no pot called "green cup"; I know kettle'),
        ("wait ten metres", '"ten metres" is a length, but duration is a time, like "10 seconds".'),
        ("move the pan five seconds", '"five seconds" is a time, but way is a length, like "0.5 metres".'),
        ("stir 2.5 times", "times is a whole number"),
        ("set the table for ten seconds", "this ends by itself"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    assert reason in str(result)


@pytest.mark.parametrize(
    "text", ["wait 10 seconds 5 metres", "wait ten seconds metres", "move the pan 3 m 4 s"]
)
def test_contradicting_units_are_refused(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, WORLD), NotUnderstood)


# -- what is understood


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("set the table", do("set_table")),
        ("Lay table!", do("set_table")),
        ("could you please set the table now", do("set_table")),
        ("I'd like you to set the table for me, thank you", do("set_table")),
        ("ok, set the table", do("set_table")),
        ("would you mind setting the table?", do("set_table")),
        ("start setting the table", do("set_table")),
        ("go on humming", do("hum")),
        ("don't stop humming", do("hum")),
        ("let's hum", do("hum")),
        ("make sure to hum", do("hum")),
        ("go ahead and hum", do("hum")),
        ("I want you to keep an eye on the kettle", do("watch", pot="kettle")),
        ("boil eggs", do("boil", food="eggs")),
        ("boil some eggs", do("boil", food="eggs")),
        ("boil the eggs for 90 seconds", do("boil", food="eggs", time_s=90.0)),
        ("boil eggs for twenty five minutes", do("boil", food="eggs", time_s=1500.0)),
        ("boil it for half a minute", do("boil", food=Reference("it"), time_s=30.0)),
        ("boil Ann's socks", do("boil", food="Ann's socks")),
        ("stir it one hundred and three times", do("stir", times=103)),
        ("stir -4 times", do("stir", times=-4)),
        ("stir once", do("stir", times=1)),
        ("turn the heat to very high", do("heat", heat="very_high")),
        ("low heat", do("heat", heat="low")),
        ("turn the light off", do("light", is_on=False)),
        ("serve soup of the day to uncle bob", do("serve", dish="soup_of_day", guest="Uncle_Bob")),
        ("serve ＴＨＥ soup TO ANN", do("serve", dish="soup_of_day", guest="Ann")),
        ("watch that", do("watch", pot=Reference("that", is_pointing=True))),
        ("watch that one", do("watch", pot=Reference("that one"))),
        ("watch this", do("watch", pot=Reference("this", is_pointing=True))),
        ("watch the same one", do("watch", pot=Reference("the same one"))),
        ("announce dinner", do("announce", text="dinner")),
        ("announce that the Soup is ready!", do("announce", text="that the Soup is ready")),
        ('announce "hum and set the table"', do("announce", text="hum and set the table")),
        ("um, could you, please, uh, watch, please, the kettle", do("watch", pot="kettle")),
        ("move the pan by 30 cm", do("move", pot="pan", way_m=0.3)),
    ],
)
def test_texts(text: str, plan: Do) -> None:
    assert plan_of(text) == plan


def test_a_length_without_its_unit_is_no_certainty() -> None:
    result = LANGUAGE.parse("move the pan by 3", WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("move", pot="pan", way_m=3.0)
    assert result.readings[0].confidence < 0.9


def test_a_length_without_its_unit_is_in_one_in_which_it_fits() -> None:
    lift = action("lift", ("lift by {way_m}",), parameter("way_m", float, unit="m", le=1.0))
    assert plan_of("lift by ten", Language((lift,))) == do("lift", way_m=0.1)
    assert plan_of("lift by 800", Language((lift,))) == do("lift", way_m=0.8)


def test_a_time_without_its_unit_is_in_seconds_and_an_angle_in_degrees() -> None:
    assert plan_of("wait ten") == do("wait", duration_s=10.0)
    turn = action("turn", ("turn by {angle_rad}",), parameter("angle_rad", float, unit="rad"))
    plan = plan_of("turn by ninety", Language((turn,)))
    assert isinstance(plan, Do)
    assert plan.parameters["angle_rad"] == pytest.approx(math.pi / 2)


def test_a_number_without_its_unit_is_in_that_of_the_one_before() -> None:
    result = LANGUAGE.parse("move the pan by 30 cm, then move the kettle by 20", WORLD)
    assert isinstance(result, Understood)
    assert [each.parameters["way_m"] for each in actions_of(result.readings[0].plan)] == [0.3, 0.2]
    assert result.readings[0].confidence >= 0.9


def test_angles_are_in_the_units_of_the_signature() -> None:
    turn = action("turn", ("turn by {angle_rad}",), parameter("angle_rad", float, unit="rad"))
    plan = plan_of("turn by ninety degrees", Language((turn,)))
    assert isinstance(plan, Do)
    assert plan.parameters["angle_rad"] == pytest.approx(math.pi / 2)


def test_two_things_with_one_name_are_two_readings() -> None:
    world = Guests(Known("pot_1", "pot", hint="on the stove"), Known("pot_2", "pot", hint="in the sink"))
    result = LANGUAGE.parse("watch the pot and hum", world)
    assert isinstance(result, Understood)
    assert len(result.readings) == 2
    assert result.readings[0].confidence == result.readings[1].confidence
    assert "pot_1" in str(result.readings[0].plan)
    assert "pot_2" in str(result.readings[1].plan)


def test_things_may_be_called_like_what_can_be_done_with_them() -> None:
    world = Guests(pots=("watch", "hum", "then", "set the table", "it"))
    assert plan_of("watch watch", world=world) == do("watch", pot="watch")
    assert plan_of("watch hum and hum", world=world) is not None
    assert plan_of("watch the then then hum", world=world) is not None
    assert plan_of("watch set the table", world=world) == do("watch", pot="set the table")


def test_other_names_of_a_thing_mean_it_too() -> None:
    world = Guests(Known("pot_1", "big pot", says=("cauldron",)))
    assert plan_of("watch the cauldron", world=world) == do("watch", pot="pot_1")


def test_a_known_name_is_preferred_to_free_words() -> None:
    plan = plan_of("boil rice for ten seconds")
    assert plan == do("boil", food="rice", time_s=10.0)


def test_words_of_its_own_are_preferred_to_a_slot() -> None:
    shows = action("a", ("show {what}",), parameter("what", str))
    language = Language((shows, action("b", ("show the sea",))))
    result = language.parse("show the sea", NothingKnown())
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("b")
    assert result.readings[1].confidence < result.readings[0].confidence


def test_the_same_words_for_two_actions_are_both_given() -> None:
    language = Language((action("a", ("go",)), action("b", ("go|run",))))
    result = language.parse("go", NothingKnown())
    assert isinstance(result, Understood)
    found = [(reading.plan, reading.confidence) for reading in result.readings]
    assert found == [(do("a"), 1.0), (do("b"), 1.0)]


def test_actions_that_are_unavailable_or_have_no_phrases_cannot_be_asked_for() -> None:
    from msgspec.structs import replace

    gone = replace(KITCHEN[0], unavailable="it is broken")
    assert isinstance(Language((gone,)).parse("set the table", WORLD), NotUnderstood)


def test_while_nothing_is_known_of_a_kind_any_words_may_name_it() -> None:
    assert plan_of("watch the purple pot", world=NothingKnown()) == do("watch", pot="purple pot")


def test_same_text_same_world_same_plan() -> None:
    texts = ("serve it to bob", "watch the kettle and hum until the pan is boiling", "wach the pan")
    for text in texts:
        assert len({repr(LANGUAGE.parse(text, WORLD)) for _ in range(20)}) == 1


def test_a_changed_world_is_seen() -> None:
    world = Guests(pots=("kettle",))
    assert isinstance(LANGUAGE.parse("watch the wok", world), NotUnderstood)
    world = Guests(pots=("kettle", "wok"))
    assert plan_of("watch the wok", world=world) == do("watch", pot="wok")


def test_it_is_a_parser_and_helps() -> None:
    parser: Parser = LANGUAGE
    found = [each for each in parser.help("", WORLD) if each is not None]
    assert {each.action for each in found} >= {"boil", "watch", "hum"}
    for each in found:
        for example in each.say:
            assert isinstance(LANGUAGE.parse(example, WORLD), Understood), example
    assert LANGUAGE.meta.phrases


# -- work


def test_a_thousand_known_things_cost_little() -> None:
    world = Guests(pots=tuple(f"{colour} pot {n}" for colour in ("red", "blue") for n in range(500)))
    texts = [f"watch the red pot {n} and hum until the blue pot {n + 1} is boiling" for n in range(100)]
    LANGUAGE.parse(texts[0], world)
    with work_of() as work:
        for text in texts:
            assert isinstance(LANGUAGE.parse(text, world), Understood)
    assert work.calls < 100 * 20_000


def test_of_many_things_with_one_name_none_is_left_out() -> None:
    world = Guests(*(Known(f"pot_{number}", "pot") for number in range(9)))
    result = LANGUAGE.parse("watch the pot and hum", world)
    assert isinstance(result, Understood)
    assert {reading.confidence for reading in result.readings} == {1.0}
    assert len(result.readings) == 9


def test_an_author_s_list_takes_no_other_words_where_anything_is_known() -> None:
    world = Guests(people=("anna",))  # and no pot at all
    assert isinstance(LANGUAGE.parse("watch the dragon", world), NotUnderstood)
    assert plan_of("watch the dragon", world=NothingKnown()) == do("watch", pot="dragon")
