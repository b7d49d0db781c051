"""What is said of what was said before, in English, to two cranes: taken back, turned round, so far instead.

A real language over a yard that is data alone (`yard.yaml`). The ledger is where each crane has to be.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.events import Event, EventKind
from framework.interlock import Permit
from framework.plan.ast import Do
from framework.plan.instruction import Source
from framework.plan.parser import NotUnderstood, Understood, World
from framework.plugins.action import Risk
from framework.plugins.events import Outcome, RunState
from framework.plugins.parameters import ParameterSpec
from framework.plugins.signature import ActionSpec
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from framework.tree.run import PlanState
from grammars import Language
from grammars.domain import Domain, read_domain
from grammars.reading.grammar import Grammar
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import Desk
from pilothouse.testbed.histories.jobs import Job, Work
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
MOVE_STEP_S: Final = 0.05
NEAR_M: Final = 0.001
SIGN: Final = {"up": 1.0, "down": -1.0}
OTHER: Final = {"up": "down", "down": "up", "left": "right", "right": "left"}
TOLD_EVERY_S: Final = 0.5
"""Progress is told no more often."""


class Began(msgspec.Struct):
    """What a move remembers: which crane it moves, and from where. back: it goes back there."""

    device: str = ""
    start_m: float = 0.0
    back: bool = False

    def handed_on(self, *, back: bool) -> Began | None:
        """See `framework.plugins.begun`."""
        return Began(self.device, self.start_m, back) if self.device else None


class Move(Job):
    """A run of "move": it goes on as long as it is not paused, and rests at once when it is to end."""

    async def _work(self) -> Outcome:
        yard = self.work
        assert isinstance(yard, Yard)
        crane, way, far_m = (self.parameters[name] for name in ("crane", "way", "distance_m"))
        memory = self.memory
        if not memory.device:
            memory.device, memory.start_m = crane, yard.at_m[crane]
        goal_m = memory.start_m if memory.back else memory.start_m + SIGN[way] * far_m
        while abs(left_m := goal_m - yard.at_m[crane]) > 1e-9 and not self._told.is_set():
            if await self._gets_on(MOVE_STEP_S):
                step_m = min(abs(left_m), yard.speed_mps * MOVE_STEP_S)
                yard.at_m[crane] += step_m if left_m > 0 else -step_m
        return self._over(Outcome(RunState.CANCELLED if self._told.is_set() else RunState.SUCCEEDED))


class Yard(Work):
    """Two cranes. at_m: how high each is [m]. speed_mps: of both [m/s]."""

    speed_mps = 0.5

    def __init__(self, stage: HistoryStage, signatures: tuple[ActionSpec, ...]) -> None:
        super().__init__(stage)
        self.at_m = {"left": 0.0, "right": 0.0}
        for each in signatures:
            parameters = tuple(_told_apart(parameter) for parameter in each.parameters)
            self.trade(
                each.name, continuous=each.continuous, takes_s=0.1, parameters=parameters, risk=each.risk
            )

    def runner(
        self,
        do: Do,
        parameters: Mapping[str, Any],
        *,
        say: Callable[[Event], None],
        changed: Callable[[], None],
        who: str,
        permit: Permit,
        memory: Any = None,
    ) -> Job:
        make = Move if do.action == "move" else Job
        job = make(self, self.trades[do.action], parameters, say, changed, who, permit)
        job.memory = (memory or Began()) if do.action == "move" else None
        self.jobs.append(job)
        return job


def _told_apart(parameter: ParameterSpec) -> ParameterSpec:
    """What a file does not say: the other way of each way, and of which kind a crane is one."""
    if parameter.name == "way":
        return msgspec.structs.replace(parameter, opposites={"up": "down", "down": "up"})
    return msgspec.structs.replace(parameter, which="cranes") if parameter.name == "crane" else parameter


class YardLanguage(Language):
    """English, of which each text is read once: what is known there never changes."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._by_text: dict[str, Understood | NotUnderstood] = {}

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """What a text means."""
        if text not in self._by_text:
            self._by_text[text] = super().parse(text, world)
        return self._by_text[text]


@cache
def _compiled() -> tuple[Domain, YardLanguage]:
    domain = read_domain(Path(__file__).with_name("yard.yaml"))
    return domain, YardLanguage(Grammar(domain.actions))


class Talk:
    """Somebody who talks, and where the cranes have to be then."""

    def __init__(self, stage: HistoryStage) -> None:
        domain, language = _compiled()
        self.stage = stage
        self.yard = Yard(stage, domain.actions)
        self.desk = Desk(
            stage,
            work=self.yard,
            parser=language,
            wording=language.wording,
            world=domain.world,
            meta=language.meta,
            kinds=language.kinds,
        )
        self.wanted_m = dict(self.yard.at_m)
        self.said: list[str] = []

    async def says(self, text: str, *, rests: bool = True, who: str = "ann") -> Reply:
        """And waits until all has come to rest; or only for a moment."""
        self.said.append(text)
        reply = self.desk.supervisor.say(text, Source.TYPED, who)
        rests_s = 5.0 if self.yard.speed_mps > 0.1 else 30.0
        await asyncio.sleep(rests_s if rests else self.stage.lots.uniform(0.05, 0.15))
        self.stage.judge()
        return reply

    def judge(self) -> None:
        """Each crane is where it has to be."""
        for crane, at_m in self.yard.at_m.items():
            off_m = at_m - self.wanted_m[crane]
            words = f"after {self.said} the {crane} crane is {off_m:+.3f} m off: {self.answers}"
            must(abs(off_m) < NEAR_M, words, MOTION)

    @property
    def answers(self) -> list[str]:
        """What was said last."""
        return [event.text for event in self.desk.events[-3:]]


async def moved(stage: HistoryStage) -> None:
    """Moves, and what is said of the last one: each ends where the words say, counted from where it began."""
    lots = stage.lots
    talk = Talk(stage)
    at_m = talk.wanted_m
    talk.yard.speed_mps = lots.choice((0.5, 0.5, 0.06))
    async with talk.desk:
        for _ in range(lots.randint(1, 3)):
            crane, way = lots.choice(("left", "right")), lots.choice(("up", "down"))
            far_cm = lots.choice((10, 20, 40))
            start_m = at_m[crane]
            is_over = lots.random() < 0.6
            await talk.says(f"move the {crane} crane {way} {far_cm} cm", rests=is_over)
            end_m = start_m + SIGN[way] * far_cm / 100
            at_m[crane] = end_m
            if is_over:
                talk.judge()
            for _ in range(lots.randint(1, 2)):
                how = lots.choice(_SAID_OF_IT)
                if (now := how(lots, way, far_cm / 100)) is None:
                    continue
                text, way, far_m, is_from_there = now
                begins_m = at_m[crane] if is_from_there else start_m
                *before, text = text.split("; ")
                for part in before:
                    await talk.says(part, rests=False)
                await talk.says(text)
                at_m[crane] = begins_m + SIGN[way] * far_m
                start_m, far_cm, is_over = begins_m, round(far_m * 100), True
                talk.judge()
            if lots.random() < 0.5:
                await talk.says(lots.choice(("undo that", "put it back how it was")))
                at_m[crane] = start_m
                talk.judge()
    stage.judge()


def _no(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool]:
    far_cm = lots.choice((5, 15, 30))
    return lots.choice((f"no, {far_cm} cm", f"{far_cm} cm, I mean")), way, far_cm / 100, False


def _half(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool] | None:
    return ("half that", way, far_m / 2, False) if far_m >= 0.1 else None


def _twice(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool] | None:
    return ("twice as far", way, far_m * 2, False) if far_m < 0.9 else None


def _other_way(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool]:
    return lots.choice(("other way", "wrong way")), OTHER[way], far_m, False


def _more(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool]:
    more_cm = lots.choice((2, 6))
    return f"{more_cm} cm more", way, more_cm / 100, True


def _too_far(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool]:
    far_cm = lots.choice((3, 7))
    return f"{lots.choice(('too far', 'not so far'))}; {far_cm} cm", way, far_cm / 100, False


def _too_far_by(lots: Any, way: str, far_m: float) -> tuple[str, str, float, bool]:
    return "too far by 2 cm", OTHER[way], 0.02, True


_SAID_OF_IT: Final = (_no, _no, _half, _twice, _other_way, _more, _more, _too_far, _too_far_by)


async def same(stage: HistoryStage) -> None:
    """The same with the other one; what is said of nothing, or before an emergency stop, moves nothing."""
    lots = stage.lots
    talk = Talk(stage)
    at_m = talk.wanted_m
    async with talk.desk:
        for text in ("undo that", "other way", "half that", "2 cm more", "no, 10 cm"):
            if lots.random() < 0.4:
                await talk.says(text)
                talk.judge()
                must(not talk.yard.jobs, f'"{text}" moves something, of nothing', MOTION)
                if talk.desk.supervisor.questions:
                    await talk.says("no")
        crane, way, far_cm = lots.choice(("left", "right")), lots.choice(("up", "down")), 20
        await talk.says(f"move the {crane} crane {way} {far_cm} cm")
        at_m[crane] += SIGN[way] * far_cm / 100
        talk.judge()
        other = OTHER[crane]
        await talk.says(f"the same with the {lots.choice((other, 'other'))} crane")
        at_m[other] += SIGN[way] * far_cm / 100
        talk.judge()
        if lots.random() < 0.5:
            await talk.says("watch the crate", rests=lots.random() < 0.5)
            reply = await talk.says("the same with the barrel")
            must(reply.succeeded, f"beside what stays it is told as {talk.answers}", Breach.NEVER_ENDED)
            loads = {job.parameters["load"] for job in talk.desk.going()}
            must(loads == {"crate", "barrel"}, f"{loads} are watched", DOING)
        if lots.random() < 0.5:
            await talk.says("undo that", who="bob")
            talk.judge()  # that was not bob's
        await talk.says("emergency stop")
        await talk.says("reset")
        await talk.says("yes")
        must(not talk.desk.button.is_latched, "it is not taken back", DOING)
        for text in lots.sample(("other way", "2 cm more", "undo that", "half that"), 2):
            await talk.says(text)
            talk.judge()  # what is to move now has to be said
            if talk.desk.supervisor.questions:
                await talk.says("no")


class Effect(Enum):
    """What is done with the other crane by what is said of a move. Of "the other one", it is asked."""

    INSTEAD = "it moves instead"
    BESIDE = "it moves as well"
    ASKED = "it moves by a yes"
    AGAIN = "what has moved moves once more"
    BACK = "what has moved moves back"
    ON = "what has moved moves on, in the end"
    NOTHING = "nothing more moves"
    RESTS = "nothing moves any more"
    THEN = "something else is done in the end"


_SAID_OF_THE_OTHER: Final = {
    "use the other crane": Effect.INSTEAD,
    "use the {other} crane": Effect.INSTEAD,
    "with the other crane instead": Effect.INSTEAD,
    "no, the other crane": Effect.INSTEAD,
    "no, the {other} one": Effect.INSTEAD,
    "the same with the {other} crane": Effect.BESIDE,
    "the other one too": Effect.BESIDE,
    "the other crane": Effect.ASKED,
    "and now the {other} one": Effect.ASKED,
    "again": Effect.AGAIN,
    "do that again": Effect.AGAIN,
    "back": Effect.BACK,
    "now {way} 10 cm": Effect.ON,
    "a bit more": Effect.NOTHING,
    "keep going": Effect.NOTHING,
    "both up 10 cm": Effect.NOTHING,
    "not so fast": Effect.RESTS,
    "after that watch the crate": Effect.THEN,
}


async def the_other(stage: HistoryStage) -> None:
    """While a crane moves, or when it has: the other one instead, as well, by a yes; again, back, and on."""
    talk = Talk(stage)
    async with talk.desk:
        for _ in range(3):
            await _says_of_the_other(talk)
            await talk.says("stop", rests=False)


async def _says_of_the_other(talk: Talk) -> None:
    lots = talk.stage.lots
    at_m = talk.wanted_m
    is_moving = lots.random() < 0.6
    talk.yard.speed_mps = 0.06 if is_moving else 0.5
    crane, way = lots.choice(("left", "right")), lots.choice(("up", "down"))
    other, far_m = OTHER[crane], SIGN[way] * 0.4
    start_m, begun = at_m[crane], len(talk.yard.jobs)
    effect = lots.choice((*Effect, *[Effect.INSTEAD] * 3, Effect.BESIDE, Effect.ASKED))
    text = lots.choice([each for each, comes in _SAID_OF_THE_OTHER.items() if comes is effect])
    turn = lots.choice(("up", "down"))
    text = text.format(other=other, way=turn)
    first = await talk.says(f"move the {crane} crane {way} 40 cm", rests=not is_moving)
    by = "bob" if lots.random() < 0.15 and effect in (Effect.BESIDE, Effect.BACK, Effect.AGAIN) else "ann"
    reply = await talk.says(text, rests=False, who=by)
    far_now_m = talk.yard.at_m[crane]
    ends_now = is_moving and effect in (Effect.INSTEAD, Effect.RESTS)
    watches = [job.goes_on for job in talk.yard.jobs[begun:] if job.name == "watch"]
    must(not (is_moving and any(watches)), f"{text!r}: it is not waited for", DOING)
    answer = ""
    if effect is Effect.ASKED:
        must(len(talk.desk.supervisor.questions) == 1, f"{text!r} is not asked about", MOTION)
        must(abs(talk.yard.at_m[other] - at_m[other]) < 1e-6, f"{text!r}: it moves unasked", MOTION)
        answer = lots.choice(("yes", "yes", "no"))
        await talk.says(answer, rests=False)
    await asyncio.sleep(25.0)
    talk.stage.judge()
    if any(plan.state is PlanState.PAUSED for plan in talk.desk.supervisor.plans()):
        # It was not understood, and might have mattered.
        must(is_moving and effect is Effect.NOTHING, f"{text!r}: it is paused", DOING)
        at_m[crane] = far_now_m
        talk.judge()
        await talk.says("carry on", rests=False)
        await asyncio.sleep(25.0)
    at_m[crane] = far_now_m if ends_now else start_m + far_m
    if by == "ann":
        match effect:
            case Effect.INSTEAD | Effect.BESIDE:
                at_m[other] += far_m
            case Effect.ASKED:
                at_m[other] += far_m if answer == "yes" else 0.0
            case Effect.AGAIN if not is_moving:
                at_m[crane] += far_m
            case Effect.BACK:
                at_m[crane] = start_m
            case Effect.ON:
                at_m[crane] += SIGN[turn] * 0.1
    talk.judge()
    must(first.succeeded is not None, f"{text!r}: nobody hears of the end of the first move", UNTOLD)
    taken_back = by == "ann" and is_moving and effect in (Effect.INSTEAD, Effect.RESTS, Effect.BACK)
    must(first.succeeded is not taken_back, f"{text!r}: it is told as {first.succeeded}", UNTOLD)
    ended = [event.text for event in reply.events if event.kind is EventKind.CANCELLED]
    is_said = any(f"move the {crane} crane" in each for each in ended)
    must(is_said is taken_back, f"{text!r}: what it ends is told as {ended}", UNTOLD)
    if effect is Effect.THEN:
        must(talk.yard.alive("watch") == 1, f"{text!r}: it is not done in the end", DOING)
    elif by == "ann" and effect is Effect.NOTHING:
        must(reply.succeeded is False, f"{text!r} is told as {reply.succeeded}", UNTOLD)


async def too_much(stage: HistoryStage) -> None:
    """A number that nobody may ask for is refused with what may be asked, and nothing moves, nor is lost."""
    lots = stage.lots
    desk = Desk(stage)
    unit = lots.choice(("m", "rad", "s"))
    least, most = lots.choice((0.1, 0.5)), lots.choice((2.0, 3.0))
    low: dict[str, Any] = lots.choice(({"ge": least}, {"gt": least}, {}))
    high: dict[str, Any] = lots.choice(({"le": most}, {"lt": most}, {}))
    bound = ParameterSpec("far", float, unit=unit, **low, **high)
    desk.work.trade("lift", takes_s=0.3, parameters=(bound,), risk=Risk.MOVES)
    values = (0.0, least - 0.01, least, least + 0.01, most - 0.01, most, most + 0.01, 5000.0)
    async with desk:
        for value in lots.sample(values, 4):
            desk.learns("that", Do("lift", {"far": value}))
            before = len(desk.work.jobs)
            reply = await desk.says("that")
            is_low = ("ge" in low and value < least) or ("gt" in low and value <= least)
            is_high = ("le" in high and value > most) or ("lt" in high and value >= most)
            has_begun = len(desk.work.jobs) > before
            must(has_begun is not (is_low or is_high), f"{value} of {low}, {high} is lifted, or not", MOTION)
            must(reply.succeeded is has_begun, f"{value}: it is told as {reply.succeeded}", UNTOLD)
            said = reply.events[-1].text
            if is_low or is_high:
                limit = least if is_low else most
                shown = f"{limit:g}" if unit != "rad" else f"{limit * 57.29577951308232:.4g}°"
                must(shown in said, f"{value} is refused, and not what may be said: {said}", UNTOLD)
                word = "too little" if is_low else "too much"
                must(word in said, f"{value} is {word}: {said}", UNTOLD)


async def progress(stage: HistoryStage) -> None:
    """Who gets further tells so often; people hear it twice a second, and the last and all else always."""
    lots = stage.lots
    desk = Desk(stage)
    every_s = lots.choice((0.05, 0.2, 0.7))
    told: list[tuple[float, str]] = []

    async def goes(who: str) -> None:
        (job,) = [job for job in desk.work.jobs if job.goes_on]
        for number in range(1, 21):
            await asyncio.sleep(every_s)
            fraction = number / 20
            words = f"step {number} of {who}"
            told.append((stage.now_s, words))
            data: dict[str, Any] = {"fraction": fraction} if number % 7 else {}
            job._say(Event(EventKind.DOING, words, action="walk", data=data))

    desk.work.trade("walk", does=goes)
    desk.learns("walk", Do("walk"))
    async with desk:
        reply = await desk.says("walk")
        await desk.until(lambda: reply.succeeded is not None, "it never ends", 60.0)
    heard = [event for event in desk.heard(EventKind.DOING) if event.text.startswith("step")]
    texts = [event.text for event in heard]
    must(len(set(texts)) == len(texts), "it is told twice how far it is", Breach.TOLD_TWICE)
    steps = [event for event in heard if "fraction" in event.data]
    for one, other in itertools.pairwise(steps):
        after_s = other.t_s - one.t_s
        is_last = other.data["fraction"] == 1.0
        must(is_last or after_s > TOLD_EVERY_S - 0.01, f"how far it is is told after {after_s:.2f} s", UNTOLD)
        must(after_s < TOLD_EVERY_S + 2.5 * every_s, f"{after_s:.2f} s long nothing is told", UNTOLD)
    wanted = {words for number, (_, words) in enumerate(told, 1) if number % 7 == 0 or number == 20}
    must(wanted <= set(texts), f"of what is said {wanted - set(texts)} are not passed on", UNTOLD)
    must(bool(steps) and steps[0].text == told[0][1], "the first step is not told", UNTOLD)


async def asked_for(stage: HistoryStage) -> None:
    """Whoever asks what is being done hears of every plan what it is at, as it is, and of no other."""
    lots = stage.lots
    talk = Talk(stage)
    async with talk.desk:
        supervisor = talk.desk.supervisor
        must(supervisor.what_is_done() == "I am doing nothing.", "nothing is something", UNTOLD)
        begun: dict[str, str] = {}
        for load in lots.sample(("crate", "barrel", "pallet"), lots.randint(1, 3)):
            await talk.says(f"watch the {load}", rests=False)
            begun[load] = "I am watching"
        for _ in range(lots.randint(1, 3)):
            load = lots.choice(list(begun))
            how = lots.choice(("pause", "carry on with", "stop"))
            await talk.says(f"{how} watching the {load}", rests=True)
            if how == "stop":
                begun.pop(load, None)
            elif load in begun:
                begun[load] = "I have paused watching" if how == "pause" else "I am watching"
            if not begun:
                break
        said = supervisor.what_is_done()
        reply = await talk.says("what are you doing?", rests=False)
        must(reply.succeeded and reply.events[-1].text == said, f"asked, it says {reply.events}", UNTOLD)
        for load in ("crate", "barrel", "pallet"):
            wanted = f"{begun.get(load, '')} the {load}"
            must((wanted in said) if load in begun else (load not in said), f"{begun}: {said}", UNTOLD)
        await talk.says("stop")
        must(supervisor.what_is_done() == "I am doing nothing.", "what has ended is done", UNTOLD)


IN_ENGLISH: Final = (moved, the_other, same, asked_for)

HISTORIES: Final = (
    History(moved, None, 2),
    History(the_other, None, 3),
    History(same, None, 2),
    History(too_much, None, 2),
    History(progress, None, 2),
    History(asked_for, None, 2),
)
