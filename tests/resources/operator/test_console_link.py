"""A session's words through a real console's server: both ways, lost, hanging, back again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec

from framework.events import Subject
from resources.console.backend import Topic
from resources.console.commands import TOO_LATE
from resources.console.server import ConsoleServer
from resources.operator import protocol
from resources.operator.console_link import (
    ANSWERED_WITHIN_S,
    LINES_BEFORE,
    NO_WORD,
    NOT_HEARD,
    OTHERS,
    SILENT_S,
    TOO_OLD,
    ConsoleLink,
)
from resources.operator.protocol import Asked, AskedThing, Done, Line, LookAt, OperatorWords, Replied, Said
from resources.web.page_messages import MEANT_S
from resources.web.protocol import OptionThing, PutView, Questions, TalkState
from resources.web.sound_packets import SoundPacket
from tests.resources.console.scripted import ScriptedBackend, which
from tests.resources.console.serving import TOKEN
from tests.resources.operator.relay import HOST, Relay

T = TypeVar("T", Asked, Done, Line, protocol.Heard)
WHO = "phone 1 (Anna)"


class Heard:
    """A page that remembers what it was told; `first` waits for it."""

    def __init__(self) -> None:
        self.words: list[OperatorWords] = []
        self._news = asyncio.Event()

    def __call__(self, words: OperatorWords) -> None:
        self.words.append(words)
        self._news.set()

    def all(self, kind: type[T]) -> list[T]:
        return [each for each in self.words if isinstance(each, kind)]

    async def first(self, kind: type[T], number: int = 1) -> T:
        await self.until(lambda: len(self.all(kind)) >= number)
        return self.all(kind)[number - 1]

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._news.clear()
            await self._news.wait()


class Desk:
    """A console's server behind a relay, and one session's link to it. `ahead_s` moves that one's clock."""

    def __init__(self, server: ConsoleServer, backend: ScriptedBackend, relay: Relay) -> None:
        self.server, self.backend, self.relay = server, backend, relay
        self.page = Heard()
        self.ahead_s = 0.0
        self.heartbeat_age_s = float("inf")
        self.link = ConsoleLink(
            f"http://{HOST}:{server.port}/",
            TOKEN,
            WHO,
            tell=self.page,
            heard_age_s=lambda: self.heartbeat_age_s,
            monotonic_s=lambda: time.monotonic() + self.ahead_s,
        )

    async def connected(self, yes: bool = True) -> None:
        while self.link.is_connected is not yes:
            await asyncio.sleep(0.005)


@asynccontextmanager
async def desk_of(backend: ScriptedBackend) -> AsyncIterator[Desk]:
    server = ConsoleServer(backend, port=0, token=TOKEN, names=(HOST,))
    async with server, Relay(server) as relay:
        desk = Desk(server, backend, relay)
        running = asyncio.create_task(desk.link.run())
        try:
            await desk.connected()
            yield desk
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def play(scenario: Callable[[Desk], Awaitable[None]], backend: ScriptedBackend | None = None) -> None:
    async def whole() -> None:
        async with asyncio.timeout(30), desk_of(backend or ScriptedBackend()) as desk:
            await scenario(desk)

    asyncio.run(whole())


def test_instructions_go_by_the_session_s_name_and_their_answer_comes_back() -> None:
    async def scenario(desk: Desk) -> None:
        desk.backend.answer_with = [desk.backend.line("started", "I show the camera.")]
        desk.link.say(Said("a", "show the camera"))
        assert await desk.page.first(Done) == Done("a", True, "I show the camera.", 1)
        desk.backend.answer_with = []
        desk.link.say(Said("b", "fly", spoken=True))
        assert await desk.page.first(Done, 2) == Done("b", False, "'fly' was not understood", 2)
        assert desk.backend.asked == [f"{WHO}: say show the camera", f"{WHO}: speak fly"]

    play(scenario)


def test_a_session_s_page_is_told_how_to_look_at_its_picture() -> None:
    async def scenario(desk: Desk) -> None:
        assert desk.server.put_view(WHO, PutView((1.0, 2.0, 0.5), (0.1, 0.1, 0.2), True), draws=False)
        await desk.page.until(lambda: LookAt((1.0, 2.0, 0.5), (0.1, 0.1, 0.2), True) in desk.page.words)

    play(scenario)


def test_others_affairs_are_marked_and_what_concerns_everybody_is_not() -> None:
    async def scenario(desk: Desk) -> None:
        told = [
            ("answered", WHO, (), "You drive.", "answered"),
            ("refused", "desk", (), "I cannot fly.", OTHERS),
            ("heard", "desk", (), "stop", OTHERS),
            ("cancelled", "desk", (WHO,), "I ended: the arm is driven.", "cancelled"),
            ("ended", "phone 10", (f"{WHO}0",), "Done: the arm is driven.", OTHERS),
            ("emergency", "desk", (), "desk stopped everything.", "emergency"),
            ("device", "", (), "The camera is gone.", "device"),
        ]
        for kind, who, people, text, _ in told:
            line = msgspec.structs.replace(desk.backend.line(kind, text), who=who, people=people)
            desk.server.event(line)
        await desk.page.first(Line, len(told))
        assert [line.kind for line in desk.page.all(Line)] == [kind for *_, kind in told]

    play(scenario)


def test_nobody_is_told_in_the_third_person_what_his_page_says_itself() -> None:
    async def scenario(desk: Desk) -> None:
        for session, text in ((WHO, f"{WHO} drives the arm"), ("phone 2", "phone 2 drives the arm")):
            line = desk.backend.line("doing", text)
            desk.server.event(
                msgspec.structs.replace(line, who=WHO, subject=Subject.SEAT, session=session, people=(WHO,))
            )
        assert (await desk.page.first(Line)).text == "phone 2 drives the arm"

    play(scenario)


def test_asides_are_not_for_pages() -> None:
    async def scenario(desk: Desk) -> None:
        for kind, text, aside in (
            ("started", "I start: who drives.", True),
            ("answered", "Nobody drives.", False),
            ("ended", "Done: who drives.", True),
            ("device", "The camera is gone.", False),
        ):
            desk.server.event(msgspec.structs.replace(desk.backend.line(kind, text), aside=aside))
        await desk.page.first(Line, 2)
        assert [line.text for line in desk.page.all(Line)] == ["Nobody drives.", "The camera is gone."]

    play(scenario)


def test_what_happens_is_told_once_the_latest_of_before_first() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.page.first(Line, LINES_BEFORE)
        assert [line.text for line in desk.page.all(Line)] == [f"old {n}" for n in range(30, 50)]
        desk.server.event(desk.backend.line("done", "new"))
        assert await desk.page.first(Line, LINES_BEFORE + 1) == Line("done", "new", 51)
        desk.relay.cut()
        await desk.connected(False)
        desk.backend.line("done", "missed")
        await desk.connected()
        await desk.page.first(Line, LINES_BEFORE + 2)
        assert [line.text for line in desk.page.all(Line)[-2:]] == ["new", "missed"]

    backend = ScriptedBackend()
    for number in range(50):
        backend.line("done", f"old {number}")
    play(scenario, backend)


def test_only_who_is_asked_is_asked_and_the_question_is_taken_back() -> None:
    async def scenario(desk: Desk) -> None:
        desk.backend.questions_ = Questions((which("console page 1"),))
        desk.server.changed(Topic.QUESTIONS)
        desk.backend.questions_ = Questions((which(WHO),))
        desk.server.changed(Topic.QUESTIONS)
        asked = await desk.page.first(Asked)
        assert asked == Asked("q1", "Which one do you mean?", ("the red cup", "the blue cup"))
        desk.link.tell_questions()
        assert desk.page.all(Asked) == [asked, asked], "a page that has just come is asked, too"
        desk.link.answer(Replied("q1", 2))
        await desk.page.first(Done)
        assert desk.backend.asked == [f"{WHO}: answer q1 2"]
        desk.server.changed(Topic.QUESTIONS)
        assert await desk.page.first(Asked, 3) == Asked("q1")

    play(scenario)


def test_things_between_which_is_asked_come_where_they_are_for_the_robot() -> None:
    async def scenario(desk: Desk) -> None:
        world, robot = (3.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0)
        things = (OptionThing(2, world, robot, (0.1, 0.1, 0.2)),)
        desk.backend.questions_ = Questions((msgspec.structs.replace(which(WHO), things=things),))
        desk.server.changed(Topic.QUESTIONS)
        assert (await desk.page.first(Asked)).things == (AskedThing(2, robot, (0.1, 0.1, 0.2)),)

    play(scenario)


def test_while_the_main_process_is_away_instructions_are_refused_at_once_and_not_kept() -> None:
    async def scenario(desk: Desk) -> None:
        desk.relay.refusing = True
        desk.relay.cut()
        await desk.connected(False)
        desk.link.say(Said("a", "home"))
        assert desk.page.all(Done) == [Done("a", False, NOT_HEARD)]
        desk.relay.refusing = False
        await desk.connected()
        desk.link.say(Said("b", "hello"))
        assert (await desk.page.first(Done, 2)).id == "b"
        assert desk.backend.asked == [f"{WHO}: say hello"]

    play(scenario)


def test_while_the_main_process_hangs_instructions_are_refused_at_once() -> None:
    async def scenario(desk: Desk) -> None:
        desk.relay.hold()
        desk.ahead_s += SILENT_S + 0.5
        assert desk.link.heard_age_s > SILENT_S
        desk.link.say(Said("a", "home"))
        assert desk.page.all(Done) == [Done("a", False, NOT_HEARD)]
        desk.heartbeat_age_s = 0.01
        assert desk.link.heard_age_s == 0.01, "a sign of life elsewhere counts, too"
        desk.relay.go_on()

    play(scenario)


def test_what_was_said_just_before_it_hung_is_given_up_and_never_begins_later() -> None:
    async def scenario(desk: Desk) -> None:
        desk.relay.hold()
        desk.ahead_s = -60.0  # it was said a minute before it is read
        desk.link.say(Said("a", "home"))
        assert desk.page.all(Done) == []
        desk.ahead_s = SILENT_S + 0.5
        desk.link.look()
        given_up = desk.page.all(Done)
        assert [(done.id, done.ok) for done in given_up] == [("a", False)]
        assert "stopped answering" in given_up[0].text
        desk.relay.go_on()
        desk.ahead_s = 0.0
        desk.link.say(Said("b", "hello"))
        assert (await desk.page.first(Done, 2)).id == "b"
        assert desk.backend.asked == [f"{WHO}: say hello"]

    play(scenario)


def test_the_answer_to_what_came_too_late_says_so() -> None:
    async def scenario(desk: Desk) -> None:
        desk.ahead_s = -60.0
        desk.link.say(Said("a", "home"))
        assert await desk.page.first(Done) == Done("a", False, TOO_LATE)
        assert desk.backend.asked == []

    play(scenario)


def test_words_that_were_lost_on_their_way_are_said_to_be_though_the_main_process_is_heard() -> None:
    """On a busy machine a send may fail while a heartbeat comes: nothing else would ever tell the person."""

    async def scenario(desk: Desk) -> None:
        desk.relay.hold()
        desk.heartbeat_age_s = 0.01
        desk.ahead_s = 60.0  # so that it is still meant when it is read
        desk.link.say(Said("a", "home"))
        desk.ahead_s += ANSWERED_WITHIN_S - 0.1
        desk.link.look()
        assert desk.page.all(Done) == []
        desk.ahead_s += 0.2
        desk.link.look()
        desk.link.look()
        assert desk.page.all(Done) == [Done("a", False, NO_WORD)]
        desk.relay.go_on()
        desk.backend.answer_with = [desk.backend.line("heard", "home")]
        assert await desk.page.first(Done, 2) == Done("a", True, "home", 1), (
            "what became of it is told late, too"
        )

    play(scenario)


def test_what_was_held_up_on_its_way_here_is_refused_and_so_is_an_old_yes() -> None:
    async def scenario(desk: Desk) -> None:
        old_ms = 1e3 * (time.monotonic() - MEANT_S)
        desk.link.say(Said("a", "home", said_ms=old_ms))
        desk.link.answer(Replied("q1", 1, said_ms=old_ms))
        assert desk.page.all(Done) == [Done("a", False, TOO_OLD), Done("q1", False, TOO_OLD)]
        desk.link.say(Said("b", "hello", said_ms=1e3 * (time.monotonic() + 60.0)))
        assert (await desk.page.first(Done, 3)).id == "b"
        assert desk.backend.asked == [f"{WHO}: say hello"]

    play(scenario)


def test_what_was_held_up_here_has_the_rest_of_its_time_to_begin() -> None:
    async def scenario(desk: Desk) -> None:
        desk.ahead_s = -0.5 * SILENT_S  # it was sent half a second before it is read
        said_s = time.monotonic() + desk.ahead_s - (MEANT_S - 0.25 * SILENT_S)
        desk.link.say(Said("a", "home", said_ms=1e3 * said_s))
        assert await desk.page.first(Done) == Done("a", False, TOO_LATE)
        assert desk.backend.asked == []

    play(scenario)


def test_a_wrong_token_is_no_connection() -> None:
    async def whole() -> None:
        server = ConsoleServer(ScriptedBackend(), port=0, token=TOKEN, names=(HOST,))
        async with asyncio.timeout(10), server, Relay(server) as relay:
            page = Heard()
            link = ConsoleLink(
                f"http://{HOST}:{server.port}/",
                "guessed",
                WHO,
                tell=page,
                heard_age_s=lambda: 0.0,
                monotonic_s=time.monotonic,
            )
            running = asyncio.create_task(link.run())
            while relay.passed < 3:  # asked, refused, and asked again
                assert not link.is_connected
                await asyncio.sleep(0.005)
            link.say(Said("a", "home"))
            assert page.all(Done) == [Done("a", False, NOT_HEARD)]
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(whole())


SOUND = bytes(1024)


def test_a_talk_goes_by_the_session_s_name_and_what_is_heard_comes_back() -> None:
    async def scenario(desk: Desk) -> None:
        for number in range(2):
            desk.link.hear(SoundPacket(7, number, SOUND))
        desk.link.hear(SoundPacket(7, 2, b"", is_last=True))
        over = await desk.page.first(protocol.Heard, 4)
        assert over == protocol.Heard(7, TalkState.OVER)
        assert desk.page.all(protocol.Heard)[2].text == "2 blocks"
        assert desk.backend.asked == [f"{WHO}: talk 7", f"{WHO}: said after 3 blocks"]

    play(scenario)


def test_what_the_console_refuses_ends_the_talk_in_its_words() -> None:
    async def scenario(desk: Desk) -> None:
        desk.link.hear(SoundPacket(13, 0, SOUND))
        heard = await desk.page.first(protocol.Heard)
        assert heard.state is TalkState.OVER and "4 people talk at once" in heard.words

    play(scenario)


def test_what_was_refused_is_not_begun_by_its_first_block_that_comes_after() -> None:
    async def scenario(desk: Desk) -> None:
        desk.link.begin(13)
        await desk.page.first(protocol.Heard)
        desk.link.hear(SoundPacket(13, 0, SOUND))
        desk.link.hear(SoundPacket(14, 0, SOUND))
        await desk.page.until(lambda: f"{WHO}: talk 14" in desk.backend.asked)
        assert len([each for each in desk.page.all(protocol.Heard) if each.talk == 13]) == 1
        desk.link.hush()
        desk.link.hear(SoundPacket(13, 0, SOUND))  # of a page that was loaded anew
        await desk.page.until(
            lambda: [each.talk for each in desk.page.all(protocol.Heard) if each.words] == [13, 13]
        )

    play(scenario)


def test_who_begins_while_nobody_hears_is_told_so_once() -> None:
    async def scenario(desk: Desk) -> None:
        desk.ahead_s = SILENT_S + 1.0
        desk.link.begin(5)
        desk.link.hear(SoundPacket(5, 0, SOUND))
        assert [each.words for each in desk.page.all(protocol.Heard)] == [NOT_HEARD]

    play(scenario)


def test_a_page_that_goes_while_it_talks_breaks_it_off_and_so_does_one_that_begins_anew() -> None:
    async def scenario(desk: Desk) -> None:
        desk.link.hear(SoundPacket(1, 0, SOUND))
        desk.link.hush()
        desk.link.hush()
        desk.link.hear(SoundPacket(1, 1, SOUND))  # of nothing that goes on
        await desk.page.until(lambda: f"{WHO}: broken off after 2 blocks" in desk.backend.asked)
        desk.link.hear(SoundPacket(1, 0, SOUND))  # loaded anew, it counts from 1
        await desk.page.until(lambda: desk.backend.asked.count(f"{WHO}: talk 1") == 2)
        assert len(desk.backend.asked) == 3

    play(scenario)


def test_who_talks_while_nobody_hears_is_told_so_once() -> None:
    async def scenario(desk: Desk) -> None:
        desk.link.hear(SoundPacket(1, 0, SOUND))
        await desk.page.first(protocol.Heard)
        desk.ahead_s = SILENT_S + 1.0
        desk.link.look()
        for number in (1, 2):
            desk.link.hear(SoundPacket(1, number, SOUND))
        desk.link.hear(SoundPacket(2, 0, SOUND))
        told = [each.words for each in desk.page.all(protocol.Heard) if each.words]
        assert len(told) == 2 and "stopped answering" in told[0] and told[1] == NOT_HEARD

    play(scenario)
