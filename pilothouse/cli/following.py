"""Following an instruction at the command line: what happens is printed, what is asked is answered.

At a terminal a question is put at the prompt, with the seconds that are left: a number, yes, no, an option's
words, or any other words (a correction, say). Elsewhere it is printed, and answered by --answer, by another
`pilothouse say`, on the console, or not at all; we go on listening until it is over.
"""

from __future__ import annotations

import argparse
import json
import queue
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from framework.errors import PilothouseError
from pilothouse.cli.answers import Asked, choice_of
from pilothouse.cli.api import Api
from pilothouse.cli.operator import add_who
from pilothouse.cli.prompt import Prompt

#: The kind of the last line: whether the instruction came to something.
SETTLED = "settled"


def add_following(parser: argparse.ArgumentParser) -> None:
    """The options of commands that follow what they began."""
    parser.add_argument("--json", action="store_true", help="print one event a line as JSON, ask nothing")
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="N|yes|no",
        type=_answer,
        help="the answer to what is asked back; may be given several times, for one question each",
    )
    add_who(parser)


def _answer(text: str) -> str:
    if text.isdecimal() or text.lower() in ("yes", "no"):
        return text.lower()
    raise argparse.ArgumentTypeError(f"{text!r} is no answer; give a number, yes or no")


class Stream(msgspec.Struct):
    """The events of one instruction. settled: what its last line said; refused: why there are none."""

    settled: str = ""
    plan: str = ""
    refused: PilothouseError | None = None


class Following:
    """Follows one instruction, and those that are given in answer to its questions.

    asker: who gives them. arguments: those of `add_following`.
    """

    def __init__(self, api: Api, asker: str, arguments: argparse.Namespace) -> None:
        self._api = api
        self._asker = asker
        self._as_json: bool = arguments.json
        self._answers: list[str] = list(arguments.answer)
        self._prompt = Prompt() if not self._as_json and Prompt.is_possible() else None
        self._coming: queue.SimpleQueue[tuple[Stream, dict[str, Any] | None]] = queue.SimpleQueue()
        self._streams: list[Stream] = []
        self._asking: Stream | None = None
        self._open = 0
        self._told: set[int] = set()

    def follow(self, path: str, body: dict[str, object]) -> int:
        """Begin and follow until all is over; the exit code. Raises what the API raises at the beginning."""
        self._begin(path, body)
        try:
            while self._open:
                for stream, event in self._news():
                    self._take(stream, event)
        finally:
            if self._prompt is not None:
                self._prompt.close()
        first = self._streams[0]
        if first.refused is not None:
            raise first.refused
        if not first.settled:
            print("The installation ended before the instruction did.", file=sys.stderr)
        return 0 if _last_word(self._streams) == "done" else 1

    # -- what comes

    def _begin(self, path: str, body: dict[str, object]) -> None:
        stream = Stream()
        self._streams.append(stream)
        self._open += 1
        threading.Thread(target=self._listen, args=(stream, path, body), daemon=True).start()

    def _listen(self, stream: Stream, path: str, body: dict[str, object]) -> None:
        try:
            for event in self._api.lines(path, body):
                self._put(stream, event)
        except PilothouseError as error:
            stream.refused = error
        finally:
            self._put(stream, None)  # whatever happened: nobody waits for this one any more

    def _put(self, stream: Stream, event: dict[str, Any] | None) -> None:
        self._coming.put((stream, event))
        if self._prompt is not None:
            self._prompt.wake()

    def _news(self) -> Iterator[tuple[Stream, dict[str, Any] | None]]:
        """What has come, and at a terminal what was typed meanwhile."""
        if self._prompt is None:
            yield self._coming.get()
            return
        typed = self._prompt.wait()
        if typed is not None:
            self._answered(typed)
        while not self._coming.empty():
            yield self._coming.get()

    def _take(self, stream: Stream, event: dict[str, Any] | None) -> None:
        if event is None:
            self._open -= 1
            if stream.refused is not None and stream is not self._streams[0]:
                self._say(str(stream.refused))
            return
        if event["kind"] == SETTLED:
            stream.settled, stream.plan = event["text"], event.get("plan", "")
            self._goes_on(stream)
            return
        number = int(event.get("number", 0))
        if number and number in self._told:
            return
        self._told.add(number)
        if self._as_json:
            self._say(json.dumps(event))
        elif not event.get("aside"):
            self._say(in_words(event))
        if event["kind"] == "asked" and event.get("question") and event.get("who") in (self._asker, ""):
            self._asking = stream
            self._ask(Asked(event["question"], tuple(event["options"]), event.get("answer_within_s")))
        else:
            self._goes_on(stream)

    def _goes_on(self, stream: Stream) -> None:
        """Whatever happens to an instruction after its question: that is over. Silence may end it, too."""
        if self._prompt is None or self._prompt.asked is None or stream is not self._asking:
            return
        if self._prompt.asked.has_deadline:
            self._prompt.leave()

    # -- questions

    def _ask(self, asked: Asked) -> None:
        if self._answers:
            self._give(asked, self._answers.pop(0))
        elif self._prompt is not None:
            self._prompt.ask(asked)

    def _answered(self, typed: str) -> None:
        """A line was typed at the prompt."""
        if self._prompt is None or self._prompt.asked is None or not typed.strip():
            return
        self._give(self._prompt.asked, typed.strip())

    def _give(self, asked: Asked, words: str) -> None:
        choice = choice_of(words, asked)
        if choice is None:
            # A correction, or another wish: the supervisor knows which, and whether it waits still.
            if self._prompt is not None and not asked.has_deadline:
                self._prompt.leave()
            self._begin("/api/say", {"text": words, "who": self._asker})
            return
        body: dict[str, object] = {"question": asked.question, "choice": choice, "who": self._asker}
        try:
            self._api.post("/api/answer", body)
        except PilothouseError as error:
            self._say(str(error))
        else:
            if self._prompt is not None:
                self._prompt.leave()

    def _say(self, text: str) -> None:
        if self._prompt is not None:
            self._prompt.print(text)
        else:
            print(text, flush=True)


def in_words(event: dict[str, Any]) -> str:
    """One event as a line for people."""
    return f"{event.get('t_s', 0.0):8.2f} s  {event['kind']:<10}  {event['text']}"


def _last_word(streams: Sequence[Stream]) -> str:
    """How it ended: as the instruction did, or as the plan that took its place."""
    words = streams[0].settled
    for stream in streams[1:]:
        if stream.plan and stream.settled:
            words = stream.settled
    return words
