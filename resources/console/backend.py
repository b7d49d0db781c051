"""What the console's server asks of an installation; tests give it a scripted one.

All calls come from the server's event loop. The ones that are not `async` must return at once:
they are looked at up to ten times a second while a page is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

import msgspec

from framework.plan import Completions, Known
from framework.tree.view import TreeView
from resources.types.streams import StreamFormat
from resources.types.whereabouts import Ray
from resources.web.page_messages import ChangeKind, FailureKind, HandsSeen, PagePoint, PlanForm, PlanOrder
from resources.web.protocol import (
    Devices,
    Emergency,
    EventLine,
    Fingers,
    GesturesSeen,
    Graph,
    Heard,
    Hello,
    Operators,
    PointedAt,
    Questions,
    Scene,
    Trees,
    Views,
)
from resources.web.sound_packets import SoundPacket


class Topic(Enum):
    """What can change; `ConsoleServer.changed(topic)` has it pushed to every page, coalesced."""

    SCENE = auto()
    GRAPH = auto()
    TREES = auto()
    DEVICES = auto()
    VIEWS = auto()
    EMERGENCY = auto()
    QUESTIONS = auto()
    OPERATORS = auto()
    FINGERS = auto()


class RingFeed(msgspec.Struct, frozen=True):
    """A ring whose newest samples are relayed to the pages; `format` is VIEW or POSES."""

    ring: Path
    format: StreamFormat
    most_hz: float = 10.0


class SavedPlan(msgspec.Struct, frozen=True):
    """A plan as a file: a name for it, and what is written there."""

    name: str
    content: str


class RunningPlan(msgspec.Struct, frozen=True):
    """A plan that runs, or has ended lately, for who prints or draws it. detail: why it ended, if it did."""

    id: str
    words: str
    who: str
    source: str
    state: str
    detail: str
    tree: TreeView


class LanguageNow(msgspec.Struct, frozen=True):
    """What this installation's language is made of, for who builds it elsewhere.

    action_folders: of the user's own actions. known: the things known now, by kind.
    """

    action_folders: tuple[str, ...]
    known: dict[str, tuple[Known, ...]]


class WorldThing(msgspec.Struct, frozen=True):
    """A thing of the simulated world that can be put into one of `states` by hand, and the present one."""

    name: str
    state: str
    states: tuple[str, ...] = ()


class Voice(Protocol):
    """What is said at one page while its button is held, as long as that page is there."""

    def begin(self, number: int) -> None:
        """The button is pressed; number: the page's name for this talk. Raises a PilothouseError if not."""
        ...

    def take(self, packet: SoundPacket) -> None:
        """Sound of it. Raises a PilothouseError if that is none of this talk, and changes nothing then."""
        ...

    def close(self) -> None:
        """The page has gone; of what it was saying nothing is done. Idempotent."""
        ...


class PageHandsSink(Protocol):
    """Where the hands of one page go while its gestures are on."""

    def take(self, seen: HandsSeen, arrived_s: float) -> None:
        """One picture. arrived_s: CLOCK_MONOTONIC [s]. Raises a PilothouseError for what are no hands."""
        ...

    def close(self) -> None:
        """Switch them off; does not wait, idempotent."""
        ...


class ConsoleBackend(Protocol):
    """An installation, as the console sees it.

    Commands return what was done, in words, and raise a PilothouseError whose words say why not.
    `who` names the person or program that asked.
    """

    def hello(self) -> Hello:
        """Who this is; asked once for each page that connects."""
        ...

    def scene(self) -> Scene: ...

    def graph(self) -> Graph: ...

    def trees(self) -> Trees: ...

    def devices(self) -> Devices: ...

    def views(self) -> Views: ...

    def emergency(self) -> Emergency: ...

    def questions(self) -> Questions: ...

    def operators(self) -> Operators: ...

    def fingers(self) -> Fingers: ...

    async def open_pairing(self, *, who: str) -> str: ...

    async def end_session(self, session: str, *, who: str) -> str: ...

    async def hand_over(self, session: str, *, who: str) -> str: ...

    def feeds(self) -> Mapping[str, RingFeed]:
        """The rings to relay, by view id (as in `views`), and "scene" for the poses of all bodies."""
        ...

    def recent_events(self) -> Sequence[EventLine]:
        """What a page that has just connected is told, oldest first; some hundred at most."""
        ...

    def status(self) -> bytes:
        """What `pilothouse status --json` prints, as JSON."""
        ...

    def say(
        self, text: str, *, who: str, points_at: Ray | None = None, spoken: bool = False
    ) -> AsyncIterator[EventLine]:
        """Carry out an instruction; gives its events until it has ended or stands (continuous ones).

        points_at: where whoever speaks points meanwhile. spoken: a recogniser has written it down.

        Closing the iterator early only stops the telling, not what was started.
        """
        ...

    def listen(
        self, recording: str, audience: str, *, is_addressed: bool, who: str
    ) -> AsyncIterator[EventLine]:
        """Carry out what is said where there is a microphone ("": anywhere), or in a recording.

        Only what follows the wake phrase is; is_addressed: of a recording all is.
        Gives how far is understood what is being said ("hearing"), and the events of all instructions, until
        a recording has ended and what was said in it is over or stands. Closing it ends the listening.
        Raises a PilothouseError if nothing can be heard.
        """
        ...

    def voice(self, tell: Callable[[Heard], None], *, who: str) -> Voice:
        """The voice of a page; tell: is told how far it is heard."""
        ...

    def point(self, at: PagePoint | None, *, who: str) -> PointedAt:
        """Somebody at a page points there, or not any more; what they say meanwhile may be about it.

        Raises a PilothouseError if it is no direction.
        """
        ...

    def watch_hands(self, *, who: str, show: Callable[[GesturesSeen], None]) -> PageHandsSink:
        """Switch the gestures of a page on. show: is told what is read of its hands, until they are off.

        Raises a PilothouseError if that cannot be done.
        """
        ...

    def stop(self, *, who: str, press: str) -> str:
        """Latch the emergency stop, once for each press of a page. Never waits for anything.

        press: its id; a text that is none counts each time. Raises PilothouseError if it cannot be set.
        """
        ...

    async def reset(self, *, who: str) -> str: ...

    async def fail(self, resource: str, how: FailureKind, *, who: str) -> str: ...

    async def restore(self, resource: str, *, who: str) -> str: ...

    async def retry_now(self, resource: str, *, who: str) -> str: ...

    async def complete(self, text: str) -> Completions:
        """What could follow a text that has just been begun."""
        ...

    def language(self, kinds: Sequence[str]) -> LanguageNow:
        """What the language is made of, with the known things of these kinds."""
        ...

    async def answer(self, question: str, choice: int, *, who: str) -> str:
        """Answer an open question with an option's number, 1 for yes or 0 for no; only who is asked may."""
        ...

    def plan(self, plan_id: str) -> RunningPlan: ...

    def plan_file(self, plan_id: str, form: PlanForm) -> SavedPlan:
        """A plan as a file."""
        ...

    def run_plan(self, content: str, *, who: str) -> AsyncIterator[EventLine]:
        """Carry out the plan of a file, in either form; as `say`.

        Raises PlanError with everything that is wrong with it, a line each.
        """
        ...

    async def order_plan(self, plan_id: str, order: PlanOrder, *, who: str) -> str: ...

    async def change_plan(self, plan_id: str, node: str, how: ChangeKind, text: str, *, who: str) -> str:
        """Change a paused plan at one node, with a step said in words."""
        ...

    def world(self) -> Sequence[WorldThing]:
        """What of the simulated world can be changed by hand; nothing of a real one."""
        ...

    async def put_world(self, thing: str, state: str, *, who: str) -> str: ...
