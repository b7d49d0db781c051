"""Questions at the command line: answered at a terminal, beforehand, by somebody else, or not at all."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from framework.errors import PlanError
from pilothouse.cli.status import in_words
from resources.types.whereabouts import Ray
from resources.web.protocol import EventLine, Question, Questions
from tests.pilothouse.cli.serving import MAIN, Scripted, scripted
from tests.pilothouse.cli.terminal import Terminal, terminal
from tests.resources.console.scripted import ScriptedBackend

CUPS = ("the red cup", "the blue cup")


class Asking(ScriptedBackend):
    """Asks which cup is meant, or whether it shall wave; takes a correction; gives up after `patience_s`."""

    def __init__(self) -> None:
        super().__init__()
        self.patience_s = 15.0
        self.answered: asyncio.Queue[int | None] = asyncio.Queue()

    async def say(
        self, text: str, *, who: str, points_at: Ray | None = None, spoken: bool = False
    ) -> AsyncIterator[EventLine]:
        self.asked.append(f"{who}: {'speak' if spoken else 'say'} {text}")
        yield self.line("heard", text)
        if "cup" in text:
            line = self.line("asked", "Which one do you mean? 1: the red cup, 2: the blue cup")
            async for each in self._asking(line, CUPS, who):
                yield each
        elif text == "wave":
            async for each in self._asking(self.line("asked", "Shall I wave? (yes or no)"), (), who):
                yield each
        elif self.questions_.questions and text.startswith("no, "):
            self.questions_ = Questions()
            self.answered.put_nowait(None)
            yield self.line("started", f"I start: {text.removeprefix('no, ')}.")
            yield self._settled("done", plan="8")
        else:
            yield self.line("refused", f"{text!r} was not understood")
            yield self._settled("not done")

    async def _asking(self, line: EventLine, options: tuple[str, ...], who: str) -> AsyncIterator[EventLine]:
        number = f"q{line.number}"
        self.questions_ = Questions((Question(number, line.text, who, options),))
        yield msgspec.structs.replace(
            line, question=number, options=options, who=who, answer_within_s=self.patience_s
        )
        try:
            choice = await asyncio.wait_for(self.answered.get(), self.patience_s)
        except TimeoutError:
            self.questions_ = Questions()
            yield self.line("cancelled", "I leave it: no answer came within 15 s.")
            choice = 0
        if choice:
            yield self.line("started", f"I start with answer {choice}.")
            yield self._settled("done", plan="7")
        else:
            yield self._settled("not done")

    async def answer(self, question: str, choice: int, *, who: str) -> str:
        if choice > 2:
            raise PlanError(f"There is no answer {choice}.")
        words = await super().answer(question, choice, who=who)
        self.answered.put_nowait(choice)
        return words

    def _settled(self, words: str, plan: str = "") -> EventLine:
        return EventLine(0, 1.0, 1.0, "settled", words, plan)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Scripted]:
    with scripted(tmp_path, Asking()) as installation:
        yield installation


def asking(here: Scripted) -> Asking:
    assert isinstance(here.backend, Asking)
    return here.backend


def at_terminal(here: Scripted, *words: str) -> list[str]:
    return [sys.executable, "-c", MAIN, words[0], "--state", str(here.state), *words[1:]]


@contextmanager
def asked(here: Scripted, text: str = "track the cup") -> Iterator[Terminal]:
    """Somebody at a terminal who has said this, and is at the prompt of the question."""
    with terminal(at_terminal(here, "say", text)) as screen:
        screen.until("your answer: ")
        yield screen


# ---------------------------------------------------------------- at a terminal


@pytest.mark.parametrize(
    ("typed", "choice"), [("2", 2), ("the blue cup", 2), ("1", 1), ("no", 0), ("none", 0), ("0", 0)]
)
def test_a_question_is_answered_at_the_prompt(here: Scripted, typed: str, choice: int) -> None:
    with terminal(at_terminal(here, "say", "track the cup")) as screen:
        screen.until("2: the blue cup")
        screen.until("15 s] your answer: ")
        screen.press(f"{typed}\n")
        assert screen.ended() == (0 if choice else 1), screen.screen
        assert (f"I start with answer {choice}." in screen.screen) == bool(choice)
    who = here.backend.asked[0].partition(":")[0]
    assert who.startswith("command line (pts/")
    assert here.backend.asked[1:] == [f"{who}: answer q2 {choice}"]


def test_yes_at_the_prompt(here: Scripted) -> None:
    with asked(here, "wave") as screen:
        screen.press("yes\n")
        assert screen.ended() == 0


def test_an_answer_that_is_none_is_asked_for_again(here: Scripted) -> None:
    with asked(here) as screen:
        screen.press("\n")
        screen.until("your answer: ")
        screen.press("7\n")
        screen.until("There is no answer 7.")
        screen.until("your answer: ")
        screen.press("1\n")
        assert screen.ended() == 0


def test_words_that_are_no_answer_leave_the_question_open(here: Scripted) -> None:
    with asked(here) as screen:
        screen.press("banana\n")
        screen.until("was not understood")
        screen.until("your answer: ")
        screen.press("2\n")
        screen.until("I start with answer 2.")
        assert screen.ended() == 0


def test_other_words_are_a_correction_and_what_comes_of_it_counts(here: Scripted) -> None:
    with asked(here) as screen:
        screen.press("no, the hand\n")
        screen.until("I start: the hand.")
        assert screen.ended() == 0
    assert here.backend.asked[1].endswith(": say no, the hand")


def test_the_seconds_count_and_silence_ends_it(here: Scripted) -> None:
    asking(here).patience_s = 2.0
    with terminal(at_terminal(here, "say", "track the cup")) as screen:
        screen.until("   2 s] your answer: ")
        screen.until("\r[   1 s]")
        screen.until("no answer came within")
        assert screen.ended() == 1


def test_what_was_typed_before_the_question_does_not_answer_it(here: Scripted) -> None:
    asking(here).patience_s = 1.5
    with terminal(at_terminal(here, "say", "track the cup")) as screen:
        screen.press("1\n")
        screen.until("your answer: ")
        screen.until("no answer came within")
        assert screen.ended() == 1


def test_control_d_leaves_the_question_to_others(here: Scripted) -> None:
    asking(here).patience_s = 1.0
    with asked(here) as screen:
        screen.press("\x04")
        screen.until("no answer came within")
        assert screen.ended() == 1


def test_control_c_ends_the_listening(here: Scripted) -> None:
    with asked(here) as screen:
        screen.press("\x03")
        assert screen.ended() == 130
        assert "Traceback" not in screen.screen


def test_at_a_terminal_with_json_nothing_is_asked(here: Scripted) -> None:
    asking(here).patience_s = 0.3
    with terminal(at_terminal(here, "say", "--json", "track the cup")) as screen:
        assert screen.ended() == 1
        lines = [json.loads(line) for line in screen.screen.splitlines()]
    assert [line["kind"] for line in lines] == ["heard", "asked", "cancelled"]


def test_an_installation_that_ends_meanwhile_is_told_and_not_waited_for(here: Scripted) -> None:
    with asked(here) as screen:
        here.cut_off()
        assert screen.ended() in (1, 2)
        assert "has gone" in screen.screen or "ended before the instruction did" in screen.screen
        assert "Traceback" not in screen.screen


# ---------------------------------------------------------------- elsewhere


def test_without_a_terminal_the_question_is_printed_and_waited_for(here: Scripted) -> None:
    asking(here).patience_s = 0.5
    said = here("say", "track the cup")
    assert said.returncode == 1
    assert "Which one do you mean? 1: the red cup, 2: the blue cup" in said.stdout
    assert "no answer came within" in said.stdout


@pytest.mark.parametrize(
    ("text", "answers", "code", "choice"),
    [
        ("track the cup", ["2"], 0, 2),
        ("wave", ["yes"], 0, 1),
        ("wave", ["no"], 1, 0),
        ("wave", ["YES"], 0, 1),
        ("track the cup", ["no"], 1, 0),
    ],
)
def test_scripts_give_the_answer_beforehand(
    here: Scripted, text: str, answers: list[str], code: int, choice: int
) -> None:
    said = here("say", text, *(word for answer in answers for word in ("--answer", answer)))
    assert said.returncode == code, said.stdout + said.stderr
    assert here.backend.asked == [f"command line: say {text}", f"command line: answer q2 {choice}"]


def test_an_answer_that_does_not_fit_is_said_and_the_question_stays(here: Scripted) -> None:
    asking(here).patience_s = 0.5
    said = here("say", "track the cup", "--answer", "7")
    assert "There is no answer 7." in said.stdout
    assert said.returncode == 1


@pytest.mark.parametrize("answer", ["perhaps", "-1", "1.5", ""])
def test_an_answer_that_is_none_is_refused_at_once(here: Scripted, answer: str) -> None:
    said = here("say", "track the cup", f"--answer={answer}")
    assert said.returncode == 2
    assert "give a number, yes or no" in said.stderr
    assert here.backend.asked == []


def test_each_event_is_a_line_of_json_with_what_an_answer_needs(here: Scripted) -> None:
    said = here("say", "--json", "--who", "ann", "--answer", "1", "track the cup")
    events = [json.loads(line) for line in said.stdout.splitlines()]
    assert [event["kind"] for event in events] == ["heard", "asked", "started"]
    assert all({"t_s", "kind", "text"} <= event.keys() for event in events)
    assert (events[1]["question"], events[1]["options"], events[1]["who"]) == ("q2", list(CUPS), "ann")
    assert here.backend.asked == ["ann: say track the cup", "ann: answer q2 1"]


def test_the_status_shows_who_is_asked_what(here: Scripted) -> None:
    question = msgspec.to_builtins(Question("q1", "Which one?", "ann", CUPS, left_s=7.4))
    assert in_words(question) == "Asked of ann: Which one? (1: the red cup, 2: the blue cup; 7 s left)"
    anybody = msgspec.to_builtins(Question("q1", "Take the arm?", ""))
    assert in_words(anybody) == "Asked of anybody: Take the arm? (yes or no; no hurry)"
