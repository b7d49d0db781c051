"""Understanding goes on in a thread: the loop is not held, order is kept, and a stop waits for nothing."""

from __future__ import annotations

import asyncio
import threading

from framework.events import EventKind
from framework.plan import Completions, Do, Known, NotUnderstood, Understood
from framework.plan.parser import World
from framework.plugins.service import Help
from tests.framework.supervisor.lab import LabDesk, SmallLanguage, lab_scene


class Pondering(SmallLanguage):
    """Notes where it works, and whose words were understood in which order; "crash" has a mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[str] = set()
        self.worlds: list[tuple[Known, ...]] = []

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        self._notes()
        self.worlds.append(world.known("things"))
        return super().parse(text, world)

    def complete(self, text: str, world: World) -> Completions:
        self._notes()
        return super().complete(text, world)

    def condition(self, text: str, world: World) -> None:
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        self._notes()
        return super().help(topic, world)

    def wording(self, do: Do) -> str:
        if do.action == "danger":
            raise ZeroDivisionError("scripted")
        return super().wording(do)

    def _notes(self) -> None:
        self.threads.add(threading.current_thread().name.partition("_")[0])


def pondering(desk: LabDesk) -> Pondering:
    assert isinstance(desk.language, Pondering)
    return desk.language


@lab_scene(language=Pondering(), thinks=True)
async def test_nothing_of_the_language_runs_on_the_loop(desk: LabDesk) -> None:
    say = desk.supervisor.say
    assert await say("track the hand").done()
    for text in ("no, the blue cup", "stop dancing then go", "done", "reset", "nonsense", "go on dancing"):
        await desk.say_and_settle(text)
    assert (await desk.supervisor.complete("tra")).options == ("track",)
    asked = await desk.say_and_settle("show the red cup")
    assert asked.events[-1].kind is EventKind.ASKED
    await desk.say_and_settle("track the hand")  # is an instruction, and no answer
    assert pondering(desk).threads == {"language"}
    await say("stop").done()


@lab_scene(language=Pondering(), thinks=True)
async def test_what_is_said_first_is_understood_and_begun_first(desk: LabDesk) -> None:
    say = desk.supervisor.say
    texts = ("track the hand", "show the hand", "track the blue cup")
    replies = [say(text, who=who) for text, who in zip(texts, ("Ann", "Bob", "Ann"), strict=True)]
    for reply in replies:
        assert await reply.done()
    assert tuple(text for text in desk.language.parsed if text in texts) == texts
    assert [reply.plan for reply in replies] == ["1", "2", "3"]
    await say("stop").done()


@lab_scene(language=Pondering(), thinks=True)
async def test_what_ends_something_waits_until_that_was_understood_and_names_it(desk: LabDesk) -> None:
    tracking = desk.supervisor.say("track the hand")
    ending = desk.supervisor.say("stop tracking the hand")
    assert await ending.done()
    assert tracking.plan == "1"
    assert desk.supervisor.plans() == ()


@lab_scene(language=Pondering(), thinks=True)
async def test_a_stop_waits_for_nothing_and_ends_what_is_being_understood(desk: LabDesk) -> None:
    going = desk.supervisor.say("go")
    waiting = desk.supervisor.say("track the hand", who="Bob")
    assert (going.succeeded, waiting.succeeded) == (None, None)
    desk.supervisor.stop_everything()
    assert (going.succeeded, waiting.succeeded) == (False, False)
    assert desk.supervisor.plans() == ()
    assert await desk.supervisor.say("track the hand").done(), "the next one has its turn"
    await desk.supervisor.say("stop").done()


@lab_scene(language=Pondering(), thinks=True)
async def test_it_reads_the_names_that_were_known_when_it_began(desk: LabDesk) -> None:
    before = tuple(desk.lab.things["things"])
    reply = desk.supervisor.say("track the hand")
    await asyncio.sleep(0)
    desk.lab.things["things"].clear()
    await reply.done()
    assert pondering(desk).worlds[0] in (before, ())
    desk.lab.things["things"].extend(before)
    assert await desk.supervisor.say("show the hand").done()
    assert pondering(desk).worlds[-1] == before
    await desk.supervisor.say("stop").done()


@lab_scene(language=Pondering(), thinks=True)
async def test_a_mistake_of_the_language_is_told_and_the_next_one_has_its_turn(desk: LabDesk) -> None:
    failed = desk.supervisor.say("danger")
    assert not await failed.done()
    assert "ZeroDivisionError" in failed.events[-1].text
    assert await desk.supervisor.say("track the hand").done()
    await desk.supervisor.say("stop").done()
