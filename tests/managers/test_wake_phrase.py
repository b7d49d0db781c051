"""An open microphone of the robot hears everybody: who says the wake phrase is meant, and who says stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from framework.events import EventKind
from managers.listening import ATTENDS_S
from resources.types.speech import Phase, Reading, Speech, TranscriptKind
from tests.managers.test_listening import Talk, talking

Play = Callable[[Any], None]
WRITTEN, PARTIAL, LOST = TranscriptKind.WRITTEN, TranscriptKind.PARTIAL, TranscriptKind.LOST

OPEN = Speech()
"""What is heard by an open microphone of the robot."""


def hearings(talk: Talk) -> list[str]:
    """What is shown to whoever listens, but for the first line."""
    return [each.text for each in talk.heard if each.kind is EventKind.HEARING][1:]


def said(talk: Talk, text: str, **more: Any) -> None:
    """Just now."""
    talk.mouth.said(talk.now_s, talk.now_s + 1.0, text, **more)


def test_what_is_said_without_it_is_nobodys_and_is_neither_done_nor_told_nor_shown(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        talk.mouth.mark(Phase.BEGAN, talk.now_s, talk.now_s + 0.3)
        talk.mouth.write(PARTIAL, talk.now_s, talk.now_s + 0.5, partial="go")
        said(talk, "go home", confidence=0.99)
        await asyncio.sleep(1)
        talk.mouth.mark(Phase.BEGAN, talk.now_s, talk.now_s + 0.3)
        talk.mouth.write(LOST, talk.now_s, talk.now_s + 15.0, why="it went on for too long")
        said(talk, "")
        await asyncio.sleep(1)
        assert talk.texts == [] and talk.refused() == [] and hearings(talk) == []

    talking(play, scene, OPEN)


def test_what_is_said_after_it_is_done(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        assert 'Say "hey pilot house" first.' in talk.heard[0].text
        said(talk, "go home", confidence=0.9, is_woken=True)
        await asyncio.sleep(1)
        assert talk.texts == ["go home"]
        said(talk, "show the environment")  # the next one needs it again
        await asyncio.sleep(1)
        assert talk.texts == ["go home"]

    talking(play, scene, OPEN)


def test_a_stop_needs_none(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said(talk, "stop", confidence=0.3)
        await asyncio.sleep(1)
        assert talk.texts == ["stop"]

    talking(play, scene, OPEN)


def test_after_it_alone_whoever_said_it_may_breathe_and_then_speak_once(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said(talk, "", is_woken=True)
        await asyncio.sleep(2)
        assert hearings(talk) == ["Yes?"] and talk.refused() == []
        said(talk, "go home")
        await asyncio.sleep(1)
        said(talk, "show the environment")
        await asyncio.sleep(1)
        assert talk.texts == ["go home"]
        said(talk, "", is_woken=True)
        await asyncio.sleep(ATTENDS_S + 2.0)
        said(talk, "show the environment")
        await asyncio.sleep(1)
        assert talk.texts == ["go home"]  # who waits for longer is not waited for

    talking(play, scene, OPEN)


def test_what_says_no_to_what_is_done_or_asked_needs_none_and_nothing_else_of_it_is_told(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said(talk, "don't")  # to nothing
        await asyncio.sleep(1)
        talk.supervisor.noes = ("don't",)
        said(
            talk,
            "go home",
            confidence=0.99,
            readings=(Reading("go home", 0.0, 0.0), Reading("don't", 0.0, 0.4)),
        )
        await asyncio.sleep(1)
        assert talk.texts == ["don't"]  # as one of both heard it

    talking(play, scene, OPEN)


def test_an_answer_needs_it_nobody_knows_to_whom_it_was_said(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        talk.supervisor.answer = "the red one"
        talk.supervisor.events.emit(EventKind.ASKED, "Which one?", who="ann")
        said(talk, "the red one")
        await asyncio.sleep(1)
        said(talk, "go home", others=("the red one",), confidence=0.99)
        await asyncio.sleep(1)
        assert talk.texts == []
        said(talk, "the red one", is_woken=True, confidence=0.99)
        await asyncio.sleep(1)
        assert talk.texts == ["the red one"]

    talking(play, scene, OPEN)


def test_a_stop_in_what_was_taken_for_the_phrase_alone_counts(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said(talk, "", is_woken=True, whole=("a pilot stop", "stop"))
        await asyncio.sleep(1)
        assert talk.texts == ["stop"]

    talking(play, scene, OPEN)


def test_what_began_before_anybody_listened_is_told_it_may_have_been_for_the_robot(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        talk.mouth.mark(Phase.BEGAN, talk.now_s, talk.now_s + 0.3)
        talk.mouth.write(LOST, talk.now_s, talk.now_s + 1.0, why="sound is missing from it", is_cut=True)
        await asyncio.sleep(1)
        (refusal,) = talk.refused()
        assert refusal.startswith("Somebody spoke just now, perhaps to me: sound is missing")

    talking(play, scene, OPEN)


def test_of_two_who_listen_one_has_it_done(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        async def listens_too() -> None:
            async for _ in talk.listening.listen(OPEN, "bob"):
                pass

        other = asyncio.create_task(listens_too())
        await asyncio.sleep(0.2)
        said(talk, "go home", is_woken=True, confidence=0.99)
        await asyncio.sleep(1)
        said(talk, "stop")
        await asyncio.sleep(1)
        assert sorted(talk.texts) == ["go home", "stop"]
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)

    talking(play, scene, OPEN)


def test_who_said_it_and_is_lost_with_the_microphone_is_told_with_what_was_heard_so_far(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        mouth, now_s = talk.mouth, talk.now_s
        mouth.mark(Phase.BEGAN, now_s, now_s + 0.3)
        mouth.write(PARTIAL, now_s, now_s + 0.5, partial="drive to the", is_woken=True)
        mouth.mark(Phase.BEGAN, now_s + 5.0, now_s + 5.3)  # somebody else, to somebody else
        await asyncio.sleep(0.2)
        assert hearings(talk) == ["drive to the"]
        assert talk.supply is not None
        feed = mouth.feed
        other = replace(
            feed, utterances=replace(feed.utterances, audio=replace(feed.utterances.audio, device="x"))
        )
        talk.supply.update(other, "what is said is heard by x now")
        await asyncio.sleep(0.2)
        refusal, perhaps = talk.refused()
        assert perhaps.startswith("Somebody spoke just now, perhaps to me: its microphone")
        assert refusal.startswith(
            'What you said just now ("drive to the …") was not understood: its microphone'
        )
        assert "Listening: what is said is heard by x now." in [each.text for each in talk.heard]

    talking(play, scene, OPEN)


def test_while_a_page_stands_in_its_talks_are_shown_and_are_its_own_instructions(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        feed = talk.mouth.feed
        audio = replace(feed.utterances.audio, since_s=0.0)
        assert talk.supply is not None
        talk.supply.update(replace(feed, utterances=replace(feed.utterances, audio=audio)))
        await asyncio.sleep(0.2)
        talk.mouth.mark(Phase.BEGAN, talk.now_s, talk.now_s + 0.3)
        talk.mouth.write(PARTIAL, talk.now_s, talk.now_s + 0.5, partial="go")
        said(talk, "go home")
        await asyncio.sleep(1)
        assert talk.texts == [] and hearings(talk) == ["go"] and talk.refused() == []

    talking(play, scene, OPEN)


def test_a_recording_that_is_heard_like_a_room_needs_it_too(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said(talk, "go home")
        await asyncio.sleep(1)
        assert talk.texts == []

    talking(play, scene, Speech(recording="room.wav"))
