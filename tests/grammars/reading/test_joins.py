"""What becomes what: every row of docs/language.md's table, on a domain that is no robot's."""

from __future__ import annotations

import pytest

from framework.plan import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Elapsed,
    If,
    NotUnderstood,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Understood,
    Until,
    Wait,
    While,
)
from framework.plugins.phrases import SlotList
from grammars import Language
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import (
    CONDITIONS,
    KITCHEN,
    LANGUAGE,
    WORLD,
    Guests,
    action,
    do,
    parameter,
    plan_of,
)

HUM, TABLE, STIR = do("hum"), do("set_table"), do("stir", times=1)
KETTLE, PAN = do("watch", pot="kettle"), do("watch", pot="pan")
TEN = do("wait", duration_s=10.0)


def boiling(pot: str = "kettle", *, is_so: bool = True) -> State:
    return State("boiling", {"pot": pot}, is_so)


def said(words: str) -> State:
    return State("said", {"words": words})


def then(*steps: Plan) -> Sequence:
    return Sequence(steps)


def both(*branches: Plan) -> Parallel:
    return Parallel(branches)


@pytest.mark.parametrize(
    "text",
    [
        "set the table then hum",
        "set the table, hum",
        "set the table, then hum",
        "set the table and then hum",
        "set the table, and then hum",
        "first set the table then hum",
        "First of all set the table. After that, please hum.",
        "set the table. Hum!",
        "set the table. Then hum.",
        "set the table; hum",
        "set the table; then hum",
        "set the table, after that hum",
        "set the table and after that hum",
        "set the table and afterwards hum",
        "set the table, when you are done hum",
        "set the table and once you're finished, hum",
        "after setting the table, hum",
        "after setting the table hum",
        "after you have set the table, hum",
        "once you have set the table hum",
        "hum after setting the table",
        "before humming, set the table",
        "before you hum set the table",
        "set the table before humming",
        "hum, but first set the table",
        "set the table and hum",  # finite: one after the other
        "could you set the table and then could you hum please",
        "then set the table and then hum",
        "first, set the table; second, hum",
        "please, set the table, please, then please hum",
    ],
)
def test_one_after_the_other(text: str) -> None:
    assert plan_of(text) == then(TABLE, HUM)


def test_sequences_are_flat() -> None:
    assert plan_of("set the table, stir once, then hum. set the table") == then(TABLE, STIR, HUM, TABLE)
    assert plan_of("set the table then after ten seconds hum") == then(TABLE, TEN, HUM)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("hum and watch the kettle", both(HUM, KETTLE)),
        ("hum and also watch the kettle", both(HUM, KETTLE)),
        ("hum as well as watch the kettle", both(HUM, KETTLE)),
        ("hum as well as watching the kettle", both(HUM, KETTLE)),
        ("watch the kettle and watch the pan", then(KETTLE, PAN)),  # one pair of eyes
        ("watch the kettle and hum and watch the pan", then(both(KETTLE, HUM), PAN)),
        ("hum and watch the kettle and set the table", both(HUM, KETTLE, TABLE)),
        ("hum and set the table and watch the kettle", then(both(HUM, TABLE), KETTLE)),
        ("set the table and hum and watch the kettle", then(TABLE, both(HUM, KETTLE))),
        ("stir once, hum and watch the kettle", then(STIR, both(HUM, KETTLE))),
        ("stir once, hum, and watch the kettle", then(STIR, both(HUM, KETTLE))),
        ("set the table and hum at the same time", both(TABLE, HUM)),
        ("watch the kettle and the pan", then(KETTLE, PAN)),
        ("serve the soup to ann and bob", then(
            do("serve", dish="soup_of_day", guest="Ann"), do("serve", dish="soup_of_day", guest="Bob"))),
        ("serve soup, stew and soup of the day", then(
            do("serve", dish="soup_of_day"), do("serve", dish="stew"), do("serve", dish="soup_of_day"))),
        ("watch the kettle, then the pan", then(KETTLE, PAN)),
        ("hum and then set the table", then(HUM, TABLE)),
        ("and hum", HUM),
        ("watch salt and pepper", do("watch", pot="salt and pepper")),
        ("watch the salt and pepper and hum", both(do("watch", pot="salt and pepper"), HUM)),
        ("serve soup and announce dinner and hum", then(
            do("serve", dish="soup_of_day"), do("announce", text="dinner"), HUM)),
        ("wait one minute and ten seconds", do("wait", duration_s=70.0)),
    ],
)  # fmt: skip
def test_and(text: str, plan: Plan) -> None:
    assert plan_of(text) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("set the table while humming", Alongside(TABLE, HUM)),
        ("set the table, while humming", Alongside(TABLE, HUM)),
        ("while humming set the table", Alongside(TABLE, HUM)),
        ("while humming, set the table", Alongside(TABLE, HUM)),
        ("set the table, meanwhile hum", Alongside(TABLE, HUM)),
        ("set the table and meanwhile hum", Alongside(TABLE, HUM)),
        ("set the table. In the meantime, hum.", Alongside(TABLE, HUM)),
        ("set the table and at the same time hum", Alongside(TABLE, HUM)),
        ("set the table while also humming", Alongside(TABLE, HUM)),
        ("stir once then set the table while humming", then(STIR, Alongside(TABLE, HUM))),
        ("watch the kettle and set the table while humming", both(KETTLE, Alongside(TABLE, HUM))),
        ("set the table while humming and watching the kettle", Alongside(TABLE, both(HUM, KETTLE))),
        ("set the table while you hum", Alongside(TABLE, HUM)),
        ("set the table while keeping an eye on the kettle", Alongside(TABLE, KETTLE)),
        ("while humming set the table then stir once", then(Alongside(TABLE, HUM), STIR)),
    ],
)
def test_beside(text: str, plan: Plan) -> None:
    assert plan_of(text) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("hum while the kettle is boiling", While(HUM, boiling())),
        ("hum as long as the kettle is boiling", While(HUM, boiling())),
        ("while the kettle is boiling, hum", While(HUM, boiling())),
        ("as long as the kettle is boiling hum", While(HUM, boiling())),
        ("hum until the kettle is boiling", Until(HUM, boiling())),
        ("hum till you see the kettle boil", Until(HUM, boiling())),
        ("until the kettle is boiling, hum", Until(HUM, boiling())),
        ("hum for ten seconds", Until(HUM, Elapsed(10.0))),
        ("for the next ten seconds hum", Until(HUM, Elapsed(10.0))),
        ("hum until ten seconds have passed", Until(HUM, Elapsed(10.0))),
        ("hum until I say stop", Until(HUM, said("stop"))),
        ('hum until I say "that will do"', Until(HUM, said("that will do"))),
        ("set the table then hum until the kettle is boiling", then(TABLE, Until(HUM, boiling()))),
        ("set the table then watch the kettle and hum until the pan is boiling",
         then(TABLE, Until(both(KETTLE, HUM), boiling("pan")))),
        ("hum until the kettle is boiling then set the table", then(Until(HUM, boiling()), TABLE)),
        ("hum until the kettle is boiling and set the table", then(Until(HUM, boiling()), TABLE)),
        ("hum until the kettle is boiling and watch the pan until the pan is boiling",
         then(Until(HUM, boiling()), Until(PAN, boiling("pan")))),
        ("hum for ten seconds and then watch the pan for 1 minute",
         then(Until(HUM, Elapsed(10.0)), Until(PAN, Elapsed(60.0)))),
        ("set the table while humming until the kettle is boiling", Until(Alongside(TABLE, HUM), boiling())),
        ("hum until the kettle is boiling while watching the pan", Alongside(Until(HUM, boiling()), PAN)),
    ],
)  # fmt: skip
def test_lasting(text: str, plan: Plan) -> None:
    assert plan_of(text) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("if the kettle is boiling hum", If(boiling(), HUM)),
        ("if the kettle is boiling, then hum", If(boiling(), HUM)),
        ("please, if the kettle is boiling, could you hum", If(boiling(), HUM)),
        ("hum if the kettle is boiling", If(boiling(), HUM)),
        ("if the kettle is boiling hum otherwise set the table", If(boiling(), HUM, TABLE)),
        ("if the kettle is boiling, hum, else set the table", If(boiling(), HUM, TABLE)),
        ("If the kettle is boiling, hum. Otherwise, set the table.", If(boiling(), HUM, TABLE)),
        ("hum if the kettle is boiling, otherwise set the table", If(boiling(), HUM, TABLE)),
        ("unless the kettle is boiling, hum", If(boiling(is_so=False), HUM)),
        ("hum unless the kettle is boiling", If(boiling(is_so=False), HUM)),
        ("if the kettle is boiling hum otherwise wait ten seconds then set the table",
         If(boiling(), HUM, then(TEN, TABLE))),
        ("if the kettle is boiling hum then set the table", If(boiling(), then(HUM, TABLE))),
        ("if the kettle is boiling hum. Then set the table", then(If(boiling(), HUM), TABLE)),
        ("set the table then hum if the kettle is boiling", then(TABLE, If(boiling(), HUM))),
        ("set the table, if the kettle is boiling, hum", then(TABLE, If(boiling(), HUM))),
        ("if the kettle is boiling, if the pan is boiling hum otherwise set the table",
         If(boiling(), If(boiling("pan"), HUM, TABLE))),
        ("if the kettle is boiling hum otherwise if the pan is boiling set the table otherwise stir once",
         If(boiling(), HUM, If(boiling("pan"), TABLE, STIR))),
        ("hum and if the kettle is boiling set the table", both(HUM, If(boiling(), TABLE))),
        ("when the kettle is boiling, hum", then(Wait(boiling()), HUM)),
        ("as soon as the kettle is boiling hum", then(Wait(boiling()), HUM)),
        ("once the kettle is boiling, hum then set the table", then(Wait(boiling()), HUM, TABLE)),
        ("hum when the kettle is boiling", then(Wait(boiling()), HUM)),
        ("stir once and when the kettle is boiling hum", then(STIR, Wait(boiling()), HUM)),
        ("wait until the kettle is boiling", Wait(boiling())),
        ("wait for the kettle to be boiling", Wait(boiling())),
        ("wait until the kettle is boiling then hum", then(Wait(boiling()), HUM)),
        ("wait ten seconds", TEN),
        ("after ten seconds hum", then(TEN, HUM)),
        ("in ten seconds, hum", then(TEN, HUM)),
        ("hum in ten seconds", then(TEN, HUM)),
        ("hum after ten seconds", then(TEN, HUM)),
        ("ten seconds later hum", then(TEN, HUM)),
        ("set the table and ten seconds later hum", then(TABLE, TEN, HUM)),
    ],
)  # fmt: skip
def test_conditional(text: str, plan: Plan) -> None:
    assert plan_of(text) == plan


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("the kettle is not boiling", boiling(is_so=False)),
        ("the kettle isn't boiling", boiling(is_so=False)),
        ("the kettle is no longer boiling", boiling(is_so=False)),
        ("you do not see the kettle boil", boiling(is_so=False)),
        ("you can't see the kettle boil", boiling(is_so=False)),
        ("the kettle is cold", boiling(is_so=False)),
        ("the kettle is not cold", boiling()),
        ("it is not the case that the kettle is boiling", boiling(is_so=False)),
        ("it is boiling", State("boiling", {"pot": Reference("it")})),
        ("the kettle is boiling and the pan is boiling", AllOf((boiling(), boiling("pan")))),
        ("the kettle is boiling or the pan is boiling", AnyOf((boiling(), boiling("pan")))),
        ("the kettle is boiling or the pan is boiling and the kettle is cold",
         AnyOf((boiling(), AllOf((boiling("pan"), boiling(is_so=False)))))),
        ("the pan is heavier than 500 grams", Compare("weight", {"pot": "pan"}, Comparison.MORE, 0.5, "kg")),
        ("the pan isn't heavier than 2 kg", Compare("weight", {"pot": "pan"}, Comparison.AT_MOST, 2.0, "kg")),
        ("I say go", said("go")),
        ("you are humming", State("running", {"what": "hum"})),
        ("you are not watching the kettle", State("running", {"what": "watch the kettle"}, False)),
        ("the humming is running", State("running", {"what": "hum"})),
        ("10 seconds have passed", Elapsed(10.0)),
    ],
)  # fmt: skip
def test_conditions(text: str, condition: Condition) -> None:
    assert plan_of(f"if {text} set the table") == If(condition, TABLE)
    assert plan_of(f"wait until {text}, then hum") == then(Wait(condition), HUM)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("set the table and stop humming", "hum"),
        ("set the table and stop watching the kettle", "watch the kettle"),
        ("set the table, then cancel the humming", "hum"),
        ("set the table and don't hum", "hum"),
        ("set the table then stop", ""),
        ("set the table and quit watching", "watch"),
        ("set the table and no more humming please", "hum"),
        ("set the table and stop everything else", ""),
        ("set the table and end everything", ""),
        ("set the table and stop keeping an eye on the pan", "keep an eye on the pan"),
    ],
)
def test_ends_of_other_things(text: str, what: str) -> None:
    assert plan_of(text) == then(TABLE, Cancel(what))


@pytest.mark.parametrize(
    "text", ["stop the music", "set the table and stop the music", "set the table, no more and no less"]
)
def test_an_end_to_something_unheard_of_is_no_instruction(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, WORLD), NotUnderstood)


def test_the_two_examples_of_the_facts() -> None:
    plan = plan_of("set the table then serve the soup while watching the kettle")
    assert plan == then(TABLE, Alongside(do("serve", dish="soup_of_day"), KETTLE))
    assert plan_of("hum and watch it") == both(HUM, do("watch", pot=Reference("it")))


def test_without_an_action_for_waiting_time_is_a_condition() -> None:
    language = Language(KITCHEN, conditions=CONDITIONS)
    assert plan_of("in ten seconds hum", language) == then(Wait(Elapsed(10.0)), HUM)


def test_for_some_time_goes_with_what_goes_on_only() -> None:
    result = LANGUAGE.parse("set the table for ten seconds", WORLD)
    assert isinstance(result, NotUnderstood)
    assert "ends by itself" in str(result)


def test_free_text_leaves_what_follows_alone_if_that_makes_sense() -> None:
    announce = do("announce", text="dinner is ready")
    assert plan_of("announce dinner is ready and hum") == then(announce, HUM)
    assert plan_of("announce dinner is ready. Hum.") == then(announce, HUM)
    assert plan_of("announce dinner is ready until the kettle is boiling") == Until(announce, boiling())
    assert plan_of("announce salt and pepper") == do("announce", text="salt and pepper")


def test_a_deep_sentence_is_understood_whole() -> None:
    text = (
        "first set the table, then if the kettle is boiling or the pan is cold, hum and watch the kettle "
        "until I say enough, otherwise wait half a minute, and then serve the soup to Ann while humming"
    )
    condition = AnyOf((boiling(), boiling("pan", is_so=False)))
    soup = Alongside(do("serve", dish="soup_of_day", guest="Ann"), HUM)
    assert plan_of(text) == then(
        TABLE,
        If(
            condition,
            Until(both(HUM, KETTLE), said("enough")),
            then(do("wait", duration_s=30.0), soup),
        ),
    )


def test_readings_beside_the_best_are_less_likely() -> None:
    result = LANGUAGE.parse("announce dinner and hum", WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].confidence >= 0.9
    assert all(each.confidence < 0.9 * result.readings[0].confidence for each in result.readings[1:])


POTS = (SlotList("pot", "pots"),)
SEAMS = CompiledLater(
    (
        *KITCHEN,
        action("peek", ("peek at {pot}", "now {pot}"), parameter("pot", str), continuous=True, lists=POTS),
        action("spin", ("spin (right{way:=right}|{way:=left})",), parameter("way", str)),
        action("sort", ("sort the red",)),
        action("cover", ("cover {pot}", "sort {pot} out", "{pot} out"), parameter("pot", str), lists=POTS),
    ),
    conditions=CONDITIONS,
)
POT_AND_RED_POT = Guests(pots=("pot", "red pot", "pan"))


def test_the_longest_joining_words_count() -> None:
    def peek(pot: str) -> Plan:
        return do("peek", pot=pot)

    text = "peek at the pot and now the pan until I say go"
    assert plan_of(text, SEAMS, POT_AND_RED_POT) == then(peek("pot"), Until(peek("pan"), said("go")))
    text = "peek at the pot and the pan until I say go"
    assert plan_of(text, SEAMS, POT_AND_RED_POT) == Until(both(peek("pot"), peek("pan")), said("go"))
    assert plan_of("spin right when the pan is boiling", SEAMS, POT_AND_RED_POT) == then(
        Wait(boiling("pan")), do("spin", way="left")
    )
    assert plan_of("spin right", SEAMS, POT_AND_RED_POT) == do("spin", way="right")


def test_what_may_begin_with_a_comma_is_seen_wherever_it_stands() -> None:
    text = "announce supper then watch the kettle, stop it as soon as the pan is boiling"
    assert plan_of(text) == then(do("announce", text="supper"), Until(KETTLE, boiling("pan")))


def test_no_name_is_cut_in_two_by_a_join_of_no_words() -> None:
    cover = do("cover", pot="red pot")
    assert plan_of("while sorting the red pot out, hum", SEAMS, POT_AND_RED_POT) == Alongside(HUM, cover)
    assert plan_of("while sorting the red hum", SEAMS, POT_AND_RED_POT) == Alongside(HUM, do("sort"))
    # Where nothing else can be meant, it is asked about.
    result = SEAMS.parse("while sorting the red pan out", Guests(pots=("pan", "red pan stand", "red pan")))
    assert isinstance(result, Understood)
    assert result.readings[0].plan == Alongside(do("cover", pot="pan"), do("sort"))
    assert result.readings[0].confidence == 0.8
