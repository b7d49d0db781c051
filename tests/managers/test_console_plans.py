"""Plans between console and supervisor: files read and written, words that become a change, their views."""

from __future__ import annotations

import json
import math

import pytest

from framework.clock import LoopClock
from framework.errors import PlanError
from framework.plan import (
    Completions,
    Correction,
    Do,
    NothingKnown,
    NotUnderstood,
    Reading,
    Reference,
    Sequence,
    Understood,
    World,
    to_json,
)
from framework.plan.umrf import from_umrf, to_umrf
from framework.plan.words import plain_wording
from framework.plugins.catalogue import ActionCatalogue
from framework.plugins.service import Help
from framework.supervisor import Event, EventKind, PlanView, Question
from framework.supervisor.questions import Questions
from framework.testing import run
from framework.tree.actions import CatalogueSignatures
from framework.tree.change import Insert, Remove, Replace
from framework.tree.run import PlanState
from framework.tree.view import NodeState, TreeView
from managers import console_views
from managers.console_plans import change_of, read_plan, understood, written
from pilothouse.catalogue import ACTIONS
from resources.types.context import KnownThing, ThingKind
from resources.web.page_messages import ChangeKind, PlanForm

SHOW = Do("show", {"what": "camera"})
TRACK = Do("track", {"thing": "hand"})
BOTH = Sequence((SHOW, TRACK))


@pytest.fixture(scope="module")
def signatures() -> CatalogueSignatures:
    return CatalogueSignatures(ActionCatalogue.discover((ACTIONS,), entry_points=False))


class Told:
    """A language that answers what it was told to."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = readings

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        return Understood(self.readings) if self.readings else NotUnderstood("show the", ("camera", "scan"))

    def complete(self, text: str, world: World) -> Completions:
        return Completions(())

    def condition(self, text: str, world: World) -> None:
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        return ()


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("content", [to_umrf(BOTH), to_json(BOTH), to_json(BOTH).decode()])
def test_a_plan_is_read_in_either_form(content: bytes | str, signatures: CatalogueSignatures) -> None:
    assert read_plan(content, signatures).plan == BOTH


@pytest.mark.parametrize("form", list(PlanForm))
def test_what_is_written_is_read_back_equal(form: PlanForm, signatures: CatalogueSignatures) -> None:
    saved = written(BOTH, "show the camera, then track the hand", form)
    assert saved.name == f"show_the_camera_then_track_the_hand.{form.value}.json"
    assert read_plan(saved.content, signatures).plan == BOTH
    assert saved.content.endswith("}\n")


@pytest.mark.parametrize("words", ["", "…", "../../etc/passwd", "é" * 500, "a" * 500])
def test_a_files_name_is_harmless_whatever_the_plan_is_called(words: str) -> None:
    name = written(SHOW, words, PlanForm.PLAN).name
    assert len(name) < 80
    assert "/" not in name
    assert not name.startswith(".")


def test_all_that_is_wrong_is_said_at_once_in_either_form(signatures: CatalogueSignatures) -> None:
    wrong = Sequence((Do("fly", {}), Do("track", {"thign": "hand"}), Do("wait", {"duration_s": "long"})))
    for content in (to_json(wrong), to_umrf(wrong)):
        with pytest.raises(PlanError) as caught:
            read_plan(content, signatures)
        assert all(word in str(caught.value) for word in ("fly", "thign", "duration_s")), str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "null",
        "[]",
        "7",
        "{",
        '{"kind":"do"}',
        '{"kind":"dance"}',
        '{"kind":7}',
        "[" * 50_000,
        "\x00",
        "😀",
    ],
)
def test_nonsense_is_a_plan_error(content: str, signatures: CatalogueSignatures) -> None:
    with pytest.raises(PlanError):
        read_plan(content, signatures)


def test_a_umrf_file_says_what_was_left_out(signatures: CatalogueSignatures) -> None:
    graph = json.loads(to_umrf(SHOW, name="one"))
    assert from_umrf(json.dumps(graph)) == SHOW
    assert read_plan(json.dumps(graph), signatures).form is PlanForm.UMRF


# ---------------------------------------------------------------- words


def test_words_that_are_clear_are_a_plan() -> None:
    assert understood("show the camera", Told(Reading(SHOW)), NothingKnown(), plain_wording) == SHOW


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        ((), 'after that could come "camera" or "scan"'),
        ((Reading(SHOW), Reading(TRACK)), "more than one thing: show camera; track hand"),
        ((Reading(SHOW, 0.8),), 'if you mean "show camera"'),
        ((Reading(SHOW, corrections=(Correction("camra", "camera"),)),), 'if you mean "show camera"'),
        ((Reading(Do("track", {"thing": Reference("that", is_pointing=True)})),), "points at something"),
    ],
)
def test_where_nobody_can_be_asked_back_unclear_words_are_refused(
    readings: tuple[Reading, ...], said: str
) -> None:
    with pytest.raises(PlanError) as caught:
        understood("show the camra", Told(*readings), NothingKnown(), plain_wording)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_no_words_are_no_plan(text: str) -> None:
    with pytest.raises(PlanError, match="say what is to be done"):
        understood(text, Told(Reading(SHOW)), NothingKnown(), plain_wording)


def test_changes_are_those_of_the_tree() -> None:
    assert change_of("3.2", ChangeKind.BEFORE, lambda: SHOW) == Insert(SHOW, before="3.2")
    assert change_of("3.2", ChangeKind.AFTER, lambda: SHOW) == Insert(SHOW, after="3.2")
    assert change_of("3.2", ChangeKind.INTO, lambda: SHOW) == Insert(SHOW, into="3.2")
    assert change_of("3.2", ChangeKind.REPLACE, lambda: SHOW) == Replace("3.2", SHOW)

    def never() -> Do:
        raise AssertionError("to remove needs no plan")

    assert change_of("3.2", ChangeKind.REMOVE, never) == Remove("3.2")


# ---------------------------------------------------------------- views


@pytest.mark.parametrize(
    "kind",
    ["do", "sequence", "parallel", "alongside", "while", "until", "if", "wait", "decide", "cancel", "graph"],
)
@pytest.mark.parametrize("state", list(NodeState))
def test_every_kind_and_state_of_a_tree_is_shown(kind: str, state: NodeState) -> None:
    for plan_state in PlanState:
        tree = TreeView("1.1", kind, "words", state, "", 0.0)
        shown = console_views.page_plan(PlanView("1", "words", plan_state, "ann", "typed", 0.0, "", tree))
        assert shown.root.state.value == state.value
        assert shown.state.value in (plan_state.value, "ready")


@pytest.mark.parametrize(
    ("kind", "condition", "name"),
    [
        ("sequence", "", ""),
        ("until", "the door is open", "until the door is open"),
        ("while", "you see the hand", "while you see the hand"),
        ("if", "the door is open", "if the door is open"),
    ],
)
def test_a_join_is_not_called_by_all_that_is_below_it(kind: str, condition: str, name: str) -> None:
    below = TreeView("1.1", "do", "show the camera", NodeState.RUNNING, "", 0.0)
    tree = TreeView("1.2", kind, "all", NodeState.RUNNING, "", 0.0, (below,), condition=condition)
    shown = console_views.page_plan(PlanView("1", "all", PlanState.RUNNING, "", "typed", 0.0, "", tree))
    assert (shown.root.name, shown.root.children[0].name) == (name, "show the camera")


def test_how_much_is_done_is_told_no_finer_than_it_can_be_shown() -> None:
    tree = TreeView("1.1", "do", "home", NodeState.RUNNING, "moving the arm home", 0.0, fraction=0.41234)
    shown = console_views.page_plan(PlanView("1", "home", PlanState.RUNNING, "", "typed", 0.0, "", tree))
    assert shown.root.fraction == 0.41


def asked(question: Question, at_s: float) -> Event:
    return Event(EventKind.ASKED, question.full_text, data=question.data, t_s=at_s, wall_s=0.0, sequence=3)


def question_of(who: str = "ann", options: tuple[str, ...] = ("one", "two")) -> Question:
    question = Question("Which?", who, options)
    question.id = "q1"
    return question


def test_a_question_without_a_deadline_waits_as_long_as_it_takes() -> None:
    question = question_of()
    shown = console_views.page_question(question, (asked(question, 10.0),), 100.0)
    assert (shown.id, shown.who, shown.options, shown.left_s) == ("q1", "ann", ("one", "two"), None)
    line = console_views.event_line(asked(question, 10.0), 4.0, (question,))
    assert (line.t_s, line.question, line.options, line.answer_within_s) == (6.0, "q1", ("one", "two"), None)


def test_where_the_things_are_that_answers_are_about_is_told_in_both_frames() -> None:
    question = Question("Which?", "ann", ("the red cup", "the blue cup"), things=("red cup", "blue cup"))
    question.id = "q1"
    cups = {
        "red cup": KnownThing(
            "red cup", ThingKind.OBJECT, (3.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.2)
        ),
        "blue cup": KnownThing("blue cup", ThingKind.OBJECT),  # nobody knows where
    }
    half = math.sqrt(0.5)
    shown = console_views.page_question(
        question, (), 100.0, lambda name: (cups[name],), (1.0, 2.0, 0.0, 0.0, 0.0, half, half)
    )
    (red,) = shown.things
    assert (red.choice, red.world_T_thing[:3], red.size) == (1, (3.0, 2.0, 0.5), (0.1, 0.1, 0.2))
    # The robot looks along the world's y: what is on the world's x side of it is on its right.
    assert red.robot_T_thing[:3] == pytest.approx((0.0, -2.0, 0.5))

    def told(x: float, half_turn: float) -> object:
        turn = (0.0, 0.0, math.sin(half_turn), math.cos(half_turn))
        stands = (x, 2.0, 0.0, *turn)
        return console_views.last_told(
            (console_views.page_question(question, (), 100.0, lambda name: (cups[name],), stands),)
        )

    # Told anew when the base has driven, or turned, so that a box would stand on another thing.
    assert told(1.0, 0.4) == told(1.0, 0.4)
    assert told(1.05, 0.4) != told(1.0, 0.4) != told(1.0, 0.4 + math.radians(1.5))


def test_the_seconds_that_are_left_are_counted_from_the_asking() -> None:
    async def scenario() -> None:
        clock = LoopClock()
        questions, question = Questions(clock), question_of()
        questions.ask(question)
        event = asked(question, clock.now_s())
        await clock.sleep(5.0)
        shown = console_views.page_question(question, (event,), clock.now_s())
        assert (shown.id, shown.within_s) == ("q1", 15.0)
        assert shown.left_s == pytest.approx(10.0)
        assert console_views.event_line(event, 0.0, questions.open).answer_within_s == 15.0
        await clock.sleep(11.0)
        assert questions.open == ()

    run(scenario)


def test_an_event_that_asks_nothing_has_no_question() -> None:
    event = Event(EventKind.DOING, "Working.", data={"question": "q1"}, t_s=1.0, wall_s=0.0)
    assert console_views.event_line(event, 0.0, ()).question == ""
