"""A scripted installation for the console: says what a test tells it to, and notes what is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import msgspec

from framework.errors import PilothouseError, PlanError
from framework.plan import Completions, Known
from framework.processes.emergency import is_press
from framework.tree.view import NodeState as TreeState
from framework.tree.view import TreeView
from resources.console.backend import LanguageNow, RingFeed, RunningPlan, SavedPlan, WorldThing
from resources.types.whereabouts import Ray
from resources.web.page_messages import ChangeKind, FailureKind, HandsSeen, PagePoint, PlanForm, PlanOrder
from resources.web.protocol import (
    PROTOCOL,
    DeviceLine,
    Devices,
    DeviceState,
    Emergency,
    EventLine,
    Fingers,
    GesturesSeen,
    Graph,
    GraphLease,
    GraphResource,
    Heard,
    Hello,
    NodeKind,
    NodeState,
    Operators,
    PlanView,
    PointedAt,
    Question,
    Questions,
    Scene,
    SceneBody,
    SceneShape,
    ShapeKind,
    TalkState,
    TreeNode,
    Trees,
    ViewLine,
    Views,
)
from resources.web.sound_packets import SoundPacket

UNTURNED = (0.0, 0.0, 0.0, 1.0)


def box(
    size: tuple[float, float, float],
    rgb: tuple[float, float, float],
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    robot: bool = False,
) -> SceneShape:
    """A box of these edge lengths [m]."""
    return SceneShape(ShapeKind.BOX, size, at, UNTURNED, (*rgb, 1.0), robot=robot)


SCENE = Scene(
    (
        SceneBody(
            "world",
            (SceneShape(ShapeKind.PLANE, (8.0, 6.0, 0.0), (0.0,) * 3, UNTURNED, (0.6, 0.6, 0.6, 1.0)),),
            fixed=True,
        ),
        SceneBody("shelf", (box((0.4, 1.2, 1.6), (0.7, 0.5, 0.3), (0.0, 0.0, 0.8)),), "world", fixed=True),
        SceneBody("base", (box((0.99, 0.67, 0.4), (0.93, 0.72, 0.1), (0.0, 0.0, 0.3), robot=True),), "world"),
    )
)
SCENE_POSES = ((0.0, 0.0, 0.0, *UNTURNED), (2.4, -1.2, 0.0, *UNTURNED), (0.0, 0.0, 0.0, *UNTURNED))

# A small robot in a large room, a long way from its middle: both bodies keep their places in the poses above.
SMALL_SCENE = Scene(
    (
        SceneBody(
            "world",
            (
                box((8.0, 8.0, 0.2), (0.6, 0.6, 0.6), (0.0, 0.0, -0.1)),
                box((8.0, 0.1, 3.0), (0.6, 0.6, 0.6), (0.0, 4.0, 1.5)),
            ),
            fixed=True,
        ),
        SceneBody("arm", (box((0.2, 0.2, 0.2), (0.93, 0.72, 0.1), (0.0, 0.0, 0.1), robot=True),), "world"),
    )
)

# As many as the robot of the world `inspection` has.
DEVICES = Devices(
    tuple(
        DeviceLine(name, kind, DeviceState.IDLE, mount, "free")
        for name, kind, mount in (
            ("front_camera", "rgbd", "front"),
            ("wrist_cloud", "cloud", "right_wrist"),
            ("wrist_lidar", "scan", "right_wrist"),
            ("front_lidar", "scan", "front"),
            ("left_arm", "arm", "left"),
            ("right_arm", "arm", "right"),
            ("left_gripper", "gripper", "left"),
            ("right_gripper", "gripper", "right"),
            ("base", "base", ""),
        )
    )
)

GRAPH = Graph(
    (
        GraphResource(
            "output_manager/1",
            "output_manager",
            "View front_camera",
            "View(…)",
            "ready",
            "",
            ("stream_manager/1", "output_manager/2"),
        ),
        GraphResource(
            "output_manager/2", "output_manager", "Page console", "Page(screen='console')", "ready"
        ),
        GraphResource(
            "stream_manager/1",
            "stream_manager",
            "Stream front_camera",
            "Stream(…)",
            "ready",
            "",
            ("sensor_manager/1",),
        ),
        GraphResource(
            "sensor_manager/1",
            "sensor_manager",
            "Camera front rgbd",
            "Camera(…)",
            "ready",
            "",
            ("sensor_manager/2",),
        ),
        GraphResource(
            "sensor_manager/2",
            "sensor_manager",
            "Device front_camera",
            "Device(…)",
            "retrying",
            "its process died",
            ("process_manager/1",),
            2,
            1.5,
        ),
        GraphResource(
            "process_manager/1", "process_manager", "Process front_camera", "Process(…)", "starting"
        ),
    ),
    (GraphLease("l1", "output_manager/1", "show_environment"),),
)

TREE = Trees(
    (
        PlanView(
            "p1",
            "show the environment",
            "command line",
            NodeState.RUNNING,
            TreeNode(
                "p1/0",
                "",
                NodeKind.SEQUENCE,
                NodeState.RUNNING,
                children=(
                    TreeNode(
                        "p1/1", "show_environment", NodeKind.ACTION, NodeState.READY, "showing front_camera"
                    ),
                    TreeNode(
                        "p1/2",
                        "home",
                        NodeKind.ACTION,
                        NodeState.RUNNING,
                        "moving the arm home",
                        fraction=0.4,
                    ),
                ),
            ),
        ),
    )
)


PAUSED_TREE = Trees(
    (
        PlanView(
            "p2",
            "show the scan, then track the hand, then show the camera",
            "console page 1",
            NodeState.PAUSED,
            TreeNode(
                "p2.1",
                "",
                NodeKind.SEQUENCE,
                NodeState.PAUSED,
                children=(
                    TreeNode(
                        "p2.2",
                        "show the scan",
                        NodeKind.ACTION,
                        NodeState.PAUSED,
                        "showing front_lidar",
                        fraction=0.5,
                    ),
                    TreeNode("p2.3", "track the hand", NodeKind.ACTION, NodeState.IDLE),
                    TreeNode("p2.4", "show the camera", NodeKind.ACTION, NodeState.IDLE),
                ),
            ),
        ),
    )
)

#: What the scripted language knows: the sentences that there are.
SENTENCES = (
    "show the camera",
    "show the environment",
    "show the scan",
    "track the hand",
    "track the red cup",
    "what are you doing",
)


def which(who: str = "console page 1", left_s: float = 15.0) -> Question:
    """A question with two answers."""
    return Question("q1", "Which one do you mean?", who, ("the red cup", "the blue cup"), "", left_s)


class ScriptedVoice:
    """Says of each block how many have come; talk 13 is refused, and so is a block with a number above 99."""

    def __init__(self, asked: list[str], who: str, tell: Callable[[Heard], None]) -> None:
        self._asked, self._who, self._tell = asked, who, tell
        self._blocks = 0

    def begin(self, number: int) -> None:
        if number == 13:
            raise PilothouseError("4 people talk at once already; type it")
        self._asked.append(f"{self._who}: talk {number}")
        self._blocks = 0
        self._tell(Heard(number, TalkState.STARTING))

    def take(self, packet: SoundPacket) -> None:
        if packet.sequence > 99:
            raise PilothouseError(f"block {packet.sequence} is none of this talk")
        self._blocks += 1
        if packet.is_last or packet.is_broken_off:
            how = "said" if packet.is_last else "broken off"
            self._asked.append(f"{self._who}: {how} after {self._blocks} blocks")
            self._tell(Heard(packet.talk, TalkState.OVER))
        else:
            self._tell(Heard(packet.talk, TalkState.LISTENING, f"{self._blocks} blocks"))

    def close(self) -> None:
        self._asked.append(f"{self._who}: gone")


class ScriptedHands:
    """Where a page's hands go: they are kept, and the test shows what is read of them."""

    def __init__(self, show: Callable[[GesturesSeen], None]) -> None:
        self.show = show
        self.seen: list[HandsSeen] = []
        self.refuses = ""
        self.is_closed = False

    def take(self, seen: HandsSeen, arrived_s: float) -> None:
        if self.refuses:
            raise PilothouseError(self.refuses)
        self.seen.append(seen)

    def close(self) -> None:
        self.is_closed = True


class ScriptedBackend:
    """A backend whose answers are its attributes. `asked` lists the commands that came, in words."""

    def __init__(self) -> None:
        self.run = "run-1"
        self.asked: list[str] = []
        self.presses: list[str] = []
        self.completed: list[str] = []
        self.scene_ = SCENE
        self.graph_ = Graph()
        self.trees_ = Trees()
        self.devices_ = Devices((DeviceLine("front_camera", "rgbd", DeviceState.IDLE, "front"),))
        self.views_ = Views()
        self.emergency_ = Emergency()
        self.questions_ = Questions()
        self.operators_ = Operators()
        self.fingers_ = Fingers()
        self.feeds_: dict[str, RingFeed] = {}
        self.events: list[EventLine] = []
        self.answer_with: list[EventLine] = []
        self.hands: list[ScriptedHands] = []
        self.no_hands = ""
        self.points: dict[str, PagePoint | None] = {}
        self.points_at: tuple[str, ...] = ("red cup",)
        self.hold = asyncio.Event()  # while it is clear, `fail` does not come back
        self.hold.set()

    def line(self, kind: str, text: str) -> EventLine:
        """A new event; it is also remembered."""
        number = len(self.events) + 1
        line = EventLine(number, float(number), 1_790_000_000.0 + number, kind, text)
        self.events.append(line)
        return line

    def hello(self) -> Hello:
        return Hello(PROTOCOL, "0", "inspection (simulated)", self.run, ("show the environment", "stop"))

    def scene(self) -> Scene:
        return self.scene_

    def graph(self) -> Graph:
        return self.graph_

    def trees(self) -> Trees:
        return self.trees_

    def devices(self) -> Devices:
        return self.devices_

    def views(self) -> Views:
        return self.views_

    def emergency(self) -> Emergency:
        return self.emergency_

    def questions(self) -> Questions:
        return self.questions_

    def operators(self) -> Operators:
        return self.operators_

    def fingers(self) -> Fingers:
        return self.fingers_

    async def open_pairing(self, *, who: str) -> str:
        self.asked.append(f"{who}: open pairing")
        return "Point the phone's camera at the code."

    async def end_session(self, session: str, *, who: str) -> str:
        self.asked.append(f"{who}: end {session}")
        return f"{session} was sent away."

    async def hand_over(self, session: str, *, who: str) -> str:
        self.asked.append(f"{who}: hand over to {session}")
        return f"{session} drives."

    def feeds(self) -> Mapping[str, RingFeed]:
        return self.feeds_

    def recent_events(self) -> Sequence[EventLine]:
        return self.events[-100:]

    def status(self) -> bytes:
        return msgspec.json.encode({"plans": [], "resources": [], "providers": [], "health": {}})

    async def say(
        self, text: str, *, who: str, points_at: Ray | None = None, spoken: bool = False
    ) -> AsyncIterator[EventLine]:
        self.asked.append(f"{who}: {'speak' if spoken else 'say'} {text}")
        if text == "raise":
            raise PilothouseError("nobody knows what 'raise' means; try: show the environment")
        for line in self.answer_with or [self.line("refused", f"{text!r} was not understood")]:
            yield line

    async def listen(
        self, recording: str, audience: str, *, is_addressed: bool, who: str
    ) -> AsyncIterator[EventLine]:
        addressed = ", all of it" if is_addressed else ""
        self.asked.append(f"{who}: listen {recording or audience}{addressed}")
        if recording == "no such file":
            raise PilothouseError("there is no file 'no such file'; a file of sound is wanted")
        yield self.line("hearing", "show the")
        for line in self.answer_with:
            yield line

    def voice(self, tell: Callable[[Heard], None], *, who: str) -> ScriptedVoice:
        return ScriptedVoice(self.asked, who, tell)

    def point(self, at: PagePoint | None, *, who: str) -> PointedAt:
        if at is not None and not any(at.direction):
            raise PilothouseError("that is no direction")
        self.points[who] = at
        return PointedAt() if at is None else PointedAt(self.points_at)

    def watch_hands(self, *, who: str, show: Callable[[GesturesSeen], None]) -> ScriptedHands:
        if self.no_hands:
            raise PilothouseError(self.no_hands)
        self.asked.append(f"{who}: watch hands")
        self.hands.append(ScriptedHands(show))
        return self.hands[-1]

    def stop(self, *, who: str, press: str) -> str:
        if is_press(press) and press in self.presses:
            return "everything that moves was stopped"
        self.presses.append(press)
        self.asked.append(f"{who}: stop")
        self.emergency_ = Emergency(True, f"stopped by {who}")
        return "everything that moves was stopped"

    async def reset(self, *, who: str) -> str:
        self.asked.append(f"{who}: reset")
        self.emergency_ = Emergency()
        return "reset"

    async def fail(self, resource: str, how: FailureKind, *, who: str) -> str:
        if resource not in {device.name for device in self.devices_.devices}:
            raise PilothouseError(f"there is no device {resource!r}; there is front_camera")
        await self.hold.wait()
        self.asked.append(f"{who}: fail {resource} {how.value}")
        return f"{resource} is failing"

    async def restore(self, resource: str, *, who: str) -> str:
        self.asked.append(f"{who}: restore {resource}")
        return f"{resource} is plugged in again"

    async def retry_now(self, resource: str, *, who: str) -> str:
        self.asked.append(f"{who}: retry {resource}")
        return "trying"

    async def complete(self, text: str) -> Completions:
        self.completed.append(text)
        said = text.split()
        last = "" if text.endswith(" ") or not said else said.pop()
        following = [
            words[len(said)]
            for words in (sentence.split() for sentence in SENTENCES)
            if words[: len(said)] == said and len(words) > len(said) and words[len(said)].startswith(last)
        ]
        return Completions(tuple(dict.fromkeys(following)), len(last), text.strip() in SENTENCES)

    def language(self, kinds: Sequence[str]) -> LanguageNow:
        return LanguageNow((), {kind: (Known("red_cup", "red cup"),) for kind in kinds})

    async def answer(self, question: str, choice: int, *, who: str) -> str:
        for open_ in self.questions_.questions:
            if open_.id == question:
                if open_.who != who:
                    raise PilothouseError(f"{open_.who} is asked, not {who}")
                self.asked.append(f"{who}: answer {question} {choice}")
                self.questions_ = Questions()
                return "answered"
        raise PilothouseError(f"there is no open question {question!r}")

    def plan(self, plan_id: str) -> RunningPlan:
        plan = self._plan(plan_id)
        return RunningPlan(plan.id, plan.text, plan.who, "typed", plan.state.value, "", _tree(plan.root))

    def _plan(self, plan_id: str) -> PlanView:
        for plan in self.trees_.plans:
            if plan.id == plan_id:
                return plan
        raise PlanError(f"there is no plan {plan_id!r}")

    def plan_file(self, plan_id: str, form: PlanForm) -> SavedPlan:
        plan = self._plan(plan_id)
        return SavedPlan(
            f"{plan_id}.{form.value}.json", msgspec.json.encode({"graph_name": plan.text}).decode()
        )

    async def run_plan(self, content: str, *, who: str) -> AsyncIterator[EventLine]:
        if "graph_name" not in content:
            raise PlanError("this is no plan:\nthere is no graph_name\nthere are no actions")
        self.asked.append(f"{who}: run {content}")
        yield self.line("started", "I start the file's plan.")

    async def order_plan(self, plan_id: str, order: PlanOrder, *, who: str) -> str:
        plan = self._plan(plan_id)
        self.asked.append(f"{who}: {order.value} {plan_id}")
        return f"{order.value}: {plan.text}"

    async def change_plan(self, plan_id: str, node: str, how: ChangeKind, text: str, *, who: str) -> str:
        plan = self._plan(plan_id)
        if plan.state is not NodeState.PAUSED:
            raise PlanError("only a paused plan can be changed; pause it first")
        if how is not ChangeKind.REMOVE and text not in SENTENCES:
            raise PlanError(f"{text!r} was not understood")
        self.asked.append(f"{who}: change {plan_id} {how.value} {node} {text}".rstrip())
        return f"changed: {plan.text}"

    def world(self) -> Sequence[WorldThing]:
        return (WorldThing("door", "closed", ("open", "closed")),)

    async def put_world(self, thing: str, state: str, *, who: str) -> str:
        if thing != "door":
            raise PilothouseError(f"there is no {thing!r}; there is door")
        self.asked.append(f"{who}: {state} {thing}")
        return f"The {thing} is {state}."


def _tree(node: TreeNode) -> TreeView:
    kind = "do" if node.kind is NodeKind.ACTION else node.kind.value
    state = TreeState(node.state.value)
    children = tuple(map(_tree, node.children))
    return TreeView(node.id, kind, node.name, state, node.detail, 0.0, children, fraction=node.fraction)


def shown(view: str = "v1", title: str = "Front camera", source: str = "rgbd") -> Views:
    """One view on the screen."""
    return Views((ViewLine(view, title, source, "front_camera", 10.0),))


def large_graph() -> Graph:
    """Thirty-two resources over seven layers, as five shown sensors make them."""
    resources = [
        GraphResource("process_manager/1", "process_manager", "Process world", "Process(…)", "ready"),
        GraphResource(
            "controller_manager/1",
            "controller_manager",
            "Simulation",
            "Simulation(…)",
            "ready",
            "",
            ("process_manager/1",),
        ),
    ]
    for number in range(2, 8):
        chain = [
            ("output_manager", "View", f"stream_manager/{number}"),
            ("stream_manager", "Stream", f"sensor_manager/{number}"),
            ("sensor_manager", "Camera", f"sensor_manager/{10 + number}"),
        ]
        resources += [
            GraphResource(
                f"{registrar}/{number}", registrar, f"{kind} camera_{number}", kind, "ready", "", (needs,)
            )
            for registrar, kind, needs in chain
        ]
        device = GraphResource(
            f"sensor_manager/{10 + number}",
            "sensor_manager",
            f"Device camera_{number}",
            "Device",
            "degraded",
            depends_on=(f"process_manager/{number}", "controller_manager/1"),
        )
        resources.append(device)
        resources.append(
            GraphResource(
                f"process_manager/{number}", "process_manager", f"Process camera_{number}", "Process", "ready"
            )
        )
    leases = [
        GraphLease(f"l{number}", f"output_manager/{number}", "show" if number % 2 else "show_environment")
        for number in range(2, 8)
    ]
    return Graph(tuple(resources), tuple(leases))
