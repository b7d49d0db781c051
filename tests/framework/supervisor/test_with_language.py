"""Conversations in the real language, over a domain of data alone: asked, answered, corrected."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from framework.events import Event, EventKind, Subject
from framework.plan import Pointing, Source
from framework.testing import VirtualLoop, run_on
from framework.tree import PlanState
from grammars import Language
from grammars.domain import Domain, read_domain
from grammars.reading.grammar import Grammar
from tests.framework.supervisor.desk import Desk
from tests.framework.tree.scripted import Kind
from tests.work import A_SECOND, work_of

DOMAIN = """
names:
  things:
    - {value: cup_1, name: red cup, hint: on the table}
    - {value: cup_2, name: red cup, hint: on the shelf}
    - {value: cup_3, name: blue cup}
    - hand
    - target
  pictures: [camera, scan, cloud]
lists:
  thing: {provider: things}
  what: {provider: pictures}
actions:
  track: {parameters: {thing: text}, continuous: true, say: ["(track|follow) {thing}"]}
  show: {parameters: {what: text}, continuous: true, say: ["show [me] {what}"]}
  cut: {parameters: {thing: text}, risk: dangerous, say: ["cut {thing}"]}
  wait: {parameters: {duration_s: {type: number, unit: s, ge: 0}}, say: ["wait [for] {duration_s}"]}
"""


@cache
def _compiled() -> tuple[Domain, Grammar]:
    with TemporaryDirectory() as directory:
        file = Path(directory) / "domain.yaml"
        file.write_text(DOMAIN)
        domain = read_domain(file)
    return domain, Grammar(domain.actions)


class Harness(Desk):
    """A desk whose language is the real one; the actions are imaginary."""

    def __init__(self) -> None:
        domain, grammar = _compiled()
        self.language = Language(grammar)
        kinds = [
            Kind(
                each.name,
                each.parameters,
                each.continuous,
                each.risk,
                ready_after_s=0.05 if each.continuous else None,
            )
            for each in domain.actions
        ]
        super().__init__(
            *kinds,
            parser=self.language,
            wording=self.language.wording,
            meta=self.language.meta,
            world=domain.world,
            kinds=self.language.kinds,
        )

    @property
    def plans(self) -> list[str]:
        going = (PlanState.RUNNING, PlanState.ESTABLISHED, PlanState.PAUSED)
        return [plan.words for plan in self.supervisor.plans() if plan.state in going]


CONVERSATIONS: list[list[tuple[str, str]]] = [
    [("track the hand", "track the hand"), ("no, the blue cup", "track the blue cup"), ("no, stop!", "")],
    [("show the camera", "show the camera"), ("not the camera, the scan", "show the scan")],
    [("show me the camera", "show the camera"), ("I mean track the target", "track the target")],
    [("show the camera", "show the camera"), ("rather show the cloud", "show the cloud")],
    [("follow the han", "?"), ("yes", "track the hand")],
    [("folow teh hnad", "track the hand"), ("no, teh bleu cup", "track the blue cup")],
    [("track the red cup", "?"), ("teh one on the shlef", "track the red cup on the shelf")],
    [("shwo the camera", "show the camera"), ("no, stpo!", "")],
    [("track the red cup", "?"), ("the one on the shelf", "track the red cup on the shelf")],
    [("track the red cup", "?"), ("no, the target", "track the target")],
    [("track the red cup", "?"), ("neither", "")],
    [("track the red cup", "?"), ("show the scan", "show the scan")],
    [("show the camera until I say done", "show the camera until I say done"), ("Done!", "")],
    [
        ("wait ten seconds then show the scan", "wait 10 seconds, then show the scan"),
        ("no, twenty", "wait 20 seconds, then show the scan"),
        ("sorry, the cloud", "wait 20 seconds, then show the cloud"),
    ],
    [
        ("track the hand", "track the hand"),
        ("show the scan", "track the hand; show the scan"),
        ("pause plan two", "track the hand; show the scan"),
        ("cancel the tracking", "show the scan"),
        ("continue showing the camera", "show the scan; show the camera"),
    ],
    [("track this", "?"), ("the hand", "track the hand")],
    [  # what was refused is what is corrected, and not what went on before it
        ("show the scan", "show the scan"),
        ("show the elephant", "show the scan"),
        ("no, the cloud", "?"),
    ],
    [("track the hand", "track the hand"), ("no need to track the target", "track the hand")],
    [("show the camera", "show the camera"), ("show the scan instead of the camera", "show the scan")],
    [("track this", "?"), ("the red cup", "?"), ("the second", "track the red cup on the shelf")],
]


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda turns: turns[0][0] + " / " + turns[1][0])
def test_conversations(conversation: list[tuple[str, str]]) -> None:
    async def scene() -> None:
        harness = Harness()
        async with harness.supervisor:
            for text, expected in conversation:
                await harness.say_and_settle(text, who="ann")
                await harness.settle()
                asked = bool(harness.supervisor.questions)
                assert asked is (expected == "?"), (text, harness.said[-1].text)
                if not asked:
                    assert "; ".join(harness.plans) == expected, (text, harness.said[-1].text)

    run_on(VirtualLoop(), scene)


def test_pointing_and_danger() -> None:
    async def scene() -> None:
        harness = Harness()
        async with harness.supervisor:
            now_s = harness.now_s()
            pointing = (Pointing("cup_2", now_s, 0.9), Pointing("scan", now_s, 0.9))
            await harness.say_and_settle("cut that", source=Source.SPEECH, pointing=pointing)
            assert harness.plans == []
            assert harness.supervisor.questions[0].text == "Shall I cut the red cup on the shelf?"
            harness.say("yes please", source=Source.SPEECH)
            await harness.settle()
            assert harness.of("cut").parameters == {"thing": "cup_2"}
            harness.of("cut").succeed()
            asked = await harness.say_and_settle(
                "track that", pointing=(Pointing("red cup", harness.now_s()),)
            )
            options = "1: red cup on the table, 2: red cup on the shelf"
            assert asked.events[-1].text == f'What do you mean by "that"? {options}'
            harness.say("the table")
            await harness.settle()
            assert harness.of("track").parameters == {"thing": "cup_1"}

    run_on(VirtualLoop(), scene)


def test_correcting_a_long_instruction_does_not_hold_the_loop_up() -> None:
    async def scene() -> None:
        harness = Harness()
        async with harness.supervisor:
            await harness.say_and_settle(" then ".join(["show the scan", "wait ten seconds"] * 5))
            with work_of() as work:
                harness.say("no, the target")
            assert harness.said[-1].text.startswith('I do not see what "the target" changes')
            assert work.calls < A_SECOND

    run_on(VirtualLoop(), scene)


@pytest.mark.parametrize("said", ["after that show the scan", "once you're there, show the scan"])
@pytest.mark.parametrize("is_done", [True, False])
def test_after_that_waits_for_what_is_going_on(said: str, is_done: bool) -> None:
    """Where that is not done to its end, nothing comes after it."""

    async def scene() -> None:
        harness = Harness()
        async with harness.supervisor:
            await harness.say_and_settle("wait ten seconds", who="ann")
            await harness.say_and_settle(said, who="ann")
            assert harness.plans == ["wait 10 seconds", 'when "wait 10 seconds" is over, show the scan']
            assert harness.running == ["wait"]
            if is_done:
                harness.of("wait").succeed()
            else:
                await harness.say_and_settle("cancel plan 1", who="ann")
            await harness.settle()
            assert harness.running == (["show"] if is_done else [])

    run_on(VirtualLoop(), scene)


def test_after_that_is_now_where_nothing_goes_on_that_will_end() -> None:
    async def scene() -> None:
        harness = Harness()
        async with harness.supervisor:
            await harness.say_and_settle("then track the hand", who="ann")
            await harness.settle()
            await harness.say_and_settle("after that show the scan", who="ann")
            await harness.settle()
            assert harness.plans == ["track the hand", "show the scan"]

    run_on(VirtualLoop(), scene)


@pytest.mark.parametrize(
    ("change", "is_change"),
    [
        ("no, I meant the red one", True),
        ("not the scan, the xyzzy", True),
        ("the same xyzzy with the other", True),
        ("a quarter xyzzy of it back", True),
        ("xyzzy the dock", False),
    ],
)
def test_what_changes_something_beyond_is_beyond(change: str, is_change: bool) -> None:
    async def scene() -> None:
        harness = Harness()

        def last() -> Event:
            return harness.said[-1]

        async with harness.supervisor:
            await harness.say_and_settle("show the camera", who="ann")
            await harness.say_and_settle("fetch the scan from the kitchen", who="ann")
            refused = last()
            assert refused.subject == Subject.NO_ACTION
            await harness.say_and_settle(change, who="bob")
            assert last().subject != Subject.NO_ACTION, "another person's"
            await harness.say_and_settle(change, who="ann")
            again = last()
            assert again.kind is EventKind.REFUSED
            assert (again.subject == Subject.NO_ACTION) == is_change
            assert (refused.text in again.text) == is_change
            assert harness.plans == ["show the camera"]
            await harness.say_and_settle("show the scan", who="ann")
            await harness.say_and_settle("xyzzy it", who="ann")
            assert last().subject != Subject.NO_ACTION, "something was done since"

    run_on(VirtualLoop(), scene)
