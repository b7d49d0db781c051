"""What became of a sentence: right, asked, refused in a way that helps or is untrue, or wrong."""

from __future__ import annotations

import pytest

from framework.plan.ast import Do, Plan
from pilothouse.experiments.people.judge import Judged, Knows, Verdict, judge
from pilothouse.experiments.people.talk import Came
from pilothouse.experiments.people.trials import Ends, Right, Trial

DRIVE, LOOK = Do("drive", {"distance_m": 1.0}), Do("look_around", {})
KNOWS = Knows(
    defaults=lambda action: {},
    only_answers=lambda action: action == "look_around",
    understands=lambda text: text == "go home",
)
HELPFUL = 'I did not understand "xyz". You could say "go home" or "dance".'


def trial(
    *right: Right,
    kind: str = "do",
    may_move: tuple[str, ...] = ("base",),
    needs: tuple[str, ...] = (),
    things: tuple[str, ...] = (),
    ends: Ends | None = None,
) -> Trial:
    return Trial("x-1", (), "say", kind, "", "", needs, right, may_move, things, ends)


def verdict(trial: Trial, came: Came) -> Judged:
    return judge(trial, came, KNOWS)


def begun(*plans: Plan, moved: frozenset[str] = frozenset(("base",))) -> Came:
    return Came(begun=plans, moved=moved)


def refused(sentence: str, kind: str, unknown: str = "") -> Came:
    return Came(refused=(sentence,), kind=kind, unknown=unknown)


DRIVES = Right(plan="drive(distance_m=1)")


def test_the_expected_plan_is_right_and_another_one_wrong() -> None:
    assert verdict(trial(DRIVES), begun(DRIVE)).verdict is Verdict.RIGHT
    other = verdict(trial(DRIVES), begun(Do("drive", {"distance_m": 2.0})))
    assert (other.verdict, other.never) == (Verdict.WRONG, False)


def test_what_moves_and_must_not_never_was_to_happen() -> None:
    strayed = verdict(trial(DRIVES), begun(DRIVE, moved=frozenset(("base", "left arm"))))
    assert (strayed.verdict, strayed.never) == (Verdict.WRONG, True)
    assert "left arm" in strayed.why


@pytest.mark.parametrize("kind", ["ask", "refuse", "answer"])
def test_nothing_is_begun_where_nothing_was_to_be_done(kind: str) -> None:
    nobody = frozenset[str]()
    assert verdict(trial(kind=kind, may_move=()), begun(DRIVE, moved=nobody)).never
    assert not verdict(trial(kind=kind, may_move=()), begun(LOOK, moved=nobody)).never


def test_a_question_is_asked_if_a_yes_begins_what_is_right() -> None:
    asked = Came(asked=("Shall I drive?",), offered=(DRIVE,))
    assert verdict(trial(DRIVES), asked).verdict is Verdict.ASKED
    assert verdict(trial(Right(plan="home()")), asked).verdict is Verdict.WRONG
    assert verdict(trial(DRIVES), Came(asked=("Which one?",))).verdict is Verdict.ASKED


def test_a_question_with_the_right_words_is_right() -> None:
    which = trial(Right(asks=("which", "arm")))
    assert verdict(which, Came(asked=("Which arm do you mean?",))).verdict is Verdict.RIGHT
    assert verdict(which, Came(asked=("Which one?",))).verdict is Verdict.ASKED


def test_a_refusal_of_the_right_kind_that_names_it_is_right() -> None:
    pours = trial(Right(refuses="no_action", names=("pour", "fill")), kind="refuse", needs=("pour",))
    assert verdict(pours, refused("I cannot fill it.", "no_action")).verdict is Verdict.RIGHT
    assert verdict(pours, refused("I cannot do it.", "no_action")).verdict is Verdict.REFUSED
    assert verdict(pours, refused("I cannot fill it.", "not_now")).verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    ("sentence", "kind", "helps"),
    [
        (HELPFUL, "not_understood", True),
        ("I did not understand that.", "not_understood", False),
        ('You could say "dance".', "not_understood", False),
        ("Something moves there.", "not_now", True),
        (HELPFUL, "", False),
    ],
)
def test_a_refusal_helps_with_its_kind_and_a_sample(sentence: str, kind: str, helps: bool) -> None:
    found = verdict(trial(DRIVES), refused(sentence, kind))
    assert (found.verdict, found.helps, found.is_untrue) == (Verdict.REFUSED, helps, False)


def test_that_there_is_no_such_action_is_untrue_where_there_is_one() -> None:
    sentence = 'I cannot drive. You could say "go home".'
    assert verdict(trial(DRIVES), refused(sentence, "no_action")).is_untrue
    beyond = verdict(trial(DRIVES, needs=("drive",)), refused(sentence, "no_action"))
    assert (beyond.is_untrue, beyond.helps) == (False, True)
    assert not verdict(trial(DRIVES, needs=("pour",)), refused(sentence, "no_action")).helps


def test_that_a_thing_is_not_known_is_untrue_where_it_is() -> None:
    sentence = 'I know no blue barrel. You could say "go home".'
    there = trial(DRIVES, things=("barrel",))
    assert verdict(there, refused(sentence, "no_thing", "blue barrel")).is_untrue
    assert not verdict(there, refused(sentence, "no_thing", "blue cup")).is_untrue
    assert not verdict(trial(DRIVES), refused(sentence, "no_thing", "blue barrel")).is_untrue


def test_nothing_at_all_is_a_refusal_that_does_not_help() -> None:
    found = verdict(trial(DRIVES), Came())
    assert (found.verdict, found.helps) == (Verdict.REFUSED, False)


@pytest.mark.parametrize(
    ("end", "is_right"), [((1.0, 0.0, 0.0), True), ((1.05, 0.0, 0.0), False), ((0.0, 1.0, 0.0), False)]
)
def test_where_a_device_ends_counts(end: tuple[float, ...], is_right: bool) -> None:
    ahead = trial(DRIVES, ends=Ends("base", forward_m=1.0))
    came = Came(
        begun=(DRIVE,), moved=frozenset(("base",)), began={"base": (0.0, 0.0, 0.0)}, ended={"base": end}
    )
    assert (verdict(ahead, came).verdict is Verdict.RIGHT) is is_right


def test_a_stop_is_right_if_something_stopped_or_there_was_nothing_to_stop() -> None:
    stops = trial(Right(meta="stop"), kind="stop")
    assert verdict(stops, Came(happened=frozenset(("cancelled",)))).verdict is Verdict.RIGHT
    assert verdict(stops, refused("Nothing is being done.", "not_now")).verdict is Verdict.RIGHT
    assert verdict(stops, refused(HELPFUL, "not_understood")).verdict is Verdict.REFUSED
