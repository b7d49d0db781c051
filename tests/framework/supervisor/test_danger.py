"""No dangerous action ever starts from an unconfirmed source, whatever is said, by whom, and when.

Operators say, point, click, correct, repeat and propose at random, dangerous
things among them. The judge listens to the events alone, and knows what was said.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import Iterator

import msgspec

from framework.dialogue.spelling import words_of
from framework.errors import PlanError
from framework.plan import Do, Plan, Pointing, Sequence, Source, World
from framework.supervisor import Event, EventKind
from framework.testing import VirtualLoop, run_on
from framework.tree.view import TreeView
from tests.effort import seeds
from tests.framework.supervisor.lab import BLUE, HAND, RED_ON_SHELF, RED_ON_TABLE, LabDesk

STEPS = 60
DANGEROUS = ("grab", "danger")
SURE = (Source.TYPED, Source.PHONE, Source.PROGRAM)
WORDS = (
    *(
        "grab",
        "danger",
        "grab",
        "danger",
        "go",
        "track",
        "show",
        "put",
        "wait",
        "again",
        "then",
        "and",
        "until",
    ),
    *("I", "say", "the", "red", "blue", "cup", "cub", "hand", "that", "there", "dock", "it", "ten", "twenty"),
    *("no", "not", "mean", "rather", "yes", "ok", "1", "2", "second", "stop", "cancel", "pause", "blah", ","),
)
SAYINGS = (
    *("danger", "grab the hand", "grab the red cup", "grab the blue cub", "grab that", "go then danger"),
    *("danger and track the hand", "go until I say ok", "wait until I say go then danger", "track the hand"),
    *("no, the blue cup", "no, danger", "rather grab the hand", "I mean the red cup", "not go, danger"),
    *("not the hand, the red cup", "again", "again", "go", "yes", "yes", "yes", "ok", "1", "2", "the hand"),
    *("the second one", "that", "on the shelf", "no", "none", "carry on", "cancel", "stop", "pause"),
)
YES = ("yes", "yes", "ok", "1", "2", "the second one", "number one", "the hand", "go", "blah", "no")
PLANS = (Do("danger"), Do("go"), Sequence((Do("go"), Do("grab", {"thing": "hand"}))))
HAPPENINGS = (
    "ends",
    "ends",
    "ends",
    "asks",
    "vanishes",
    "comes",
    "comes",
    "latch",
    "reset",
    "repeats",
    "repeats",
)


class Say(msgspec.Struct, frozen=True):
    text: str
    source: Source
    who: str
    confidence: float
    things: tuple[str, ...] = ()


class Click(msgspec.Struct, frozen=True):
    choice: int
    who: str
    question: str


class CarryOut(msgspec.Struct, frozen=True):
    plan: Plan
    source: Source
    who: str


class Pass(msgspec.Struct, frozen=True):
    time_s: float


class Happen(msgspec.Struct, frozen=True):
    what: str


def random_say(chance: random.Random, text: str, who: str) -> Say:
    origin = chance.choice((*SURE, *tuple(Source)))
    confidence = chance.choice((1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.89, 0.5, 0.0, math.nan))
    things = ("hand", "blue cup", "red cup", "red_1", "dock", "nothing")
    pointed = tuple(chance.sample(things, chance.choice((0, 0, 1, 1, 2))))
    return Say(text, origin, who, confidence, pointed)


def random_step(chance: random.Random, desk: LabDesk) -> object:
    who = chance.choice(("ann", "ann", "bob", ""))
    asked = desk.supervisor.questions
    kind = chance.random()
    if asked and kind < 0.35:
        question = chance.choice(asked)
        by = chance.choice((question.who, question.who, who))
        if kind < 0.1:
            return Click(chance.choice((1, 1, 1, 2, 0, 3, -1)), by, question.id)
        return random_say(chance, chance.choice(YES), by)
    if kind < 0.7:
        return random_say(chance, chance.choice(SAYINGS), who)
    if kind < 0.8:
        words = (chance.choice(WORDS) for _ in range(chance.randint(1, 6)))
        return random_say(chance, " ".join(words), who)
    if kind < 0.84:
        return CarryOut(chance.choice(PLANS), chance.choice(tuple(Source)), who)
    if kind < 0.88:
        return Pass(chance.choice((0.5, 0.5, 8.0, 14.0, 16.0, 61.0)))
    return Happen(chance.choice(HAPPENINGS))


class Proposals:
    """Proposes something dangerous, quickly."""

    async def propose(self, text: str, world: World) -> Plan:
        return Do("danger") if len(text) % 2 else Do("grab", {"thing": "hand"})


class Judge:
    """Knows who has said what, and listens to what starts."""

    def __init__(self, desk: LabDesk) -> None:
        self.desk = desk
        self.said: list[tuple[int, Say]] = []  # with the number of the last event before it
        self.starts = 0

    def hear(self, event: Event) -> None:
        if event.kind is not EventKind.STARTED:
            return
        tree = next(plan.tree for plan in self.desk.supervisor.plans() if plan.id == event.plan)
        actions = [node.words for node in leaves(tree) if node.kind == "do"]
        verbs = [verb for verb in DANGEROUS if any(words.startswith(verb) for words in actions)]
        if not verbs:
            return
        self.starts += 1
        assert not self.desk.latch.is_latched
        words = plain(event.text.removeprefix("I start: ").removesuffix("."))
        own = [(number, say) for number, say in self.said if say.who == event.who]
        named = [say for _, say in own if is_sure(say) and all(verb in say.text for verb in verbs)]
        # What is repeated may start long after that was said: when the first run is over.
        again = [say for _, say in own if say.text == "again"]
        if own and named and any(map(is_sure, (own[-1][1], *again))):
            return
        asked = [
            each
            for each in self.desk.said
            if each.kind is EventKind.ASKED
            and each.who == event.who
            and f"Shall I {words}?" in plain(each.text)
        ]
        assert asked, f"{words} has started, and nobody was asked: {own[-3:]}"
        answers = [
            say
            for number, say in own
            if number >= asked[-1].sequence
            and words_of(say.text)[:1] in (["yes"], ["ok"])
            and say.source is not Source.PROPOSER
            and say.confidence >= 0.9
        ]
        assert answers, f"{words} has started, and nobody has said yes: {own[-3:]}"


def leaves(tree: TreeView) -> Iterator[TreeView]:
    if not tree.children:
        yield tree
    for child in tree.children:
        yield from leaves(child)


def plain(words: str) -> str:
    """Without the hints: they come and go with other things of the name."""
    return words.replace(" on the table", "").replace(" on the shelf", "")


def is_sure(say: Say) -> bool:
    return say.source in SURE and say.confidence >= 0.9


async def play(desk: LabDesk, judge: Judge, chance: random.Random) -> None:
    repetitions: list[asyncio.Task[str]] = []
    for _ in range(STEPS):
        now_s = desk.now_s()
        each = random_step(chance, desk)
        match each:
            case Say(said, origin, by, sureness, things):
                judge.said.append((desk.bus.last_sequence, each))
                pointing = tuple(Pointing(name, now_s, 0.9) for name in things)
                desk.say(said, source=origin, who=by, confidence=sureness, pointing=pointing)
                if said == "again":
                    await asyncio.sleep(0.1)
                    happen(desk, "repeats", repetitions)
            case Click(choice, by, asked):
                # A click on "yes" is a yes, on an option the choice of it.
                words = "yes" if choice == 1 else "a click"
                judge.said.append((desk.bus.last_sequence, Say(words, Source.TYPED, by, 1.0)))
                desk.supervisor.answer(asked, choice, by)
            case CarryOut(wanted, origin, by):
                judge.said.append((desk.bus.last_sequence, Say(desk.in_words(wanted), origin, by, 1.0)))
                desk.supervisor.carry_out(wanted, origin, by)
            case Pass(time_s):
                await asyncio.sleep(time_s)
            case Happen(what):
                happen(desk, what, repetitions)
        await asyncio.sleep(0.1)
    for task in repetitions:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*repetitions, return_exceptions=True)


def happen(desk: LabDesk, what: str, repetitions: list[asyncio.Task[str]]) -> None:
    running = [runner for runner in desk.stage.made if runner.is_running]
    match what:
        case "ends" if running:
            running[0].succeed("hand")
        case "asks" if running:
            running[-1].ask("what now?")
        case "vanishes":
            desk.lab.things["things"] = [BLUE]
        case "comes":
            desk.lab.things["things"] = [RED_ON_TABLE, RED_ON_SHELF, BLUE, HAND]
        case "latch":
            desk.latch.latch("the button")
        case "reset":
            desk.supervisor.reset_emergency("carl")
        case "repeats" if "again" in desk.running:
            repetitions.append(asyncio.create_task(repeat(desk)))


async def repeat(desk: LabDesk) -> str:
    assert desk.stage.service is not None
    try:
        return await desk.stage.service.repeat(2, asked_by="again")
    except PlanError as error:
        return str(error)


@seeds("seed", 240)
def test_nothing_dangerous_starts_unconfirmed(seed: int) -> None:
    play_scene(seed)


def play_scene(seed: int) -> int:
    """One random conversation; how many dangerous plans have started in it."""
    judges: list[Judge] = []

    async def main() -> None:
        chance = random.Random(seed)
        desk = LabDesk(proposer=Proposals() if seed % 2 else None)
        judge = Judge(desk)
        judges.append(judge)
        wrong: list[AssertionError] = []

        def hear(event: Event) -> None:
            try:
                judge.hear(event)
            except AssertionError as error:  # the bus would only log it
                wrong.append(error)

        desk.bus.listen(hear)
        async with desk.supervisor:
            await play(desk, judge, chance)
        assert desk.running == []
        if wrong:
            raise wrong[0]

    loop = VirtualLoop(seed=seed)
    run_on(loop, main)
    assert loop.leftovers == ()
    return judges[0].starts


def test_the_test_is_worth_something() -> None:
    """Dangerous things do start in these conversations: when they may."""
    assert sum(play_scene(seed) for seed in range(20)) > 40
