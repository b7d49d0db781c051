"""One story's scene: the installation and the browser that all share, who is there, and what the arm does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from playwright.async_api import Browser, BrowserContext, ViewportSize, expect

from pilothouse.experiments.operator_link.browser import divert
from pilothouse.testbed.console_program import ConsoleProgram, console_program
from resources.types.motion import ArmSample
from tests.pilothouse.bench import Bench
from tests.pilothouse.operator_in_browser.desk import AtDesk
from tests.pilothouse.operator_in_browser.headset import AtHeadset
from tests.pilothouse.operator_in_browser.person import PATIENCE_S, Person, opened
from tests.pilothouse.operator_in_browser.phone import WithPhone
from tests.pilothouse.operator_in_browser.relayed import MarkReadingRelay, route_operator
from tests.resources.console.browser import DESK
from tests.resources.operator import emulated_devices

DEADLINE_S = 300.0
WINDOW: ViewportSize = {"width": DESK[0], "height": DESK[1]}
HEADSET: ViewportSize = {"width": 800, "height": 500}
SMALL: ViewportSize = {"width": 400, "height": 300}  # even an empty picture costs time
STANDS_M_S = 0.01
STANDS_WITHIN_S = 1.0  # after a hand has gone as fast as hands do here
HELD_M = 0.01  # an arm that holds stays within this
AT_HOME_M = 0.005
TRIES = 3
ABOVE_M = 0.15

Driver = TypeVar("Driver", bound=AtDesk)


class Scene:
    """What a story plays in."""

    def __init__(
        self,
        world: Bench,
        console: ConsoleProgram,
        browser: Browser,
        pictures: Path | None,
        home: NDArray[np.float64],
        returning: asyncio.Task[None],
    ) -> None:
        self.world = world
        self.console = console
        self.browser = browser
        self.pictures = pictures
        self._begun = len(console.events)
        self.home = home
        self._returning = returning

    @asynccontextmanager
    async def headset(self, relay: MarkReadingRelay | None = None) -> AsyncIterator[AtHeadset]:
        """Somebody who has opened the code's link in a headset, and is in the scene."""
        context = await emulated_devices.headset(self.browser)
        if relay is not None:
            way = relay
            await context.route_web_socket(lambda url: url.endswith("/link"), lambda ws: divert(ws, way))
        async with opened(context, await self.console.code()) as page:
            person = AtHeadset(page, self.world)
            await person.connects()
            await page.set_viewport_size(SMALL if self.pictures is None else HEADSET)
            await person.enters()  # its picture is as large as the window is now
            await page.set_viewport_size(SMALL)
            await self.at_home()
            yield person

    @asynccontextmanager
    async def phone(self, *, has_xr: bool = True) -> AsyncIterator[WithPhone]:
        """Somebody who has opened it on a phone."""
        emulated = emulated_devices.android_phone if has_xr else emulated_devices.iphone
        context = await emulated(self.browser)
        async with opened(context, await self.console.code()) as page:
            person = WithPhone(page, self.world, await context.new_cdp_session(page))
            await person.connects()
            await self.at_home()
            yield person

    @asynccontextmanager
    async def desk(self, link: str = "", relay: MarkReadingRelay | None = None) -> AsyncIterator[AtDesk]:
        """Somebody who has opened it at a desk."""
        context = await self.window()
        if relay is not None:
            await route_operator(context, relay)
        async with opened(context, link or await self.console.code()) as page:
            person = AtDesk(page, self.world)
            await person.connects()
            await self.at_home()
            yield person

    async def at_home(self) -> None:
        """Wait until the arm is at home, and nothing else is carried out any more."""
        await self._returning

    async def window(self) -> BrowserContext:
        """A window at a desk, with a storage of its own."""
        return await emulated_devices.desk(self.browser, (SMALL["width"], SMALL["height"]))

    async def heard(self, words: str) -> None:
        """Wait until the console says this, in this story."""
        await self.console.heard(words, self._begun)

    async def has_it_done(
        self, person: Person, words: str, is_so: Callable[[], bool], *, first: str = ""
    ) -> None:
        """Say it until it is so: again if it did not work, as on a machine whose control loop stood still.

        first: what is said the first time, if that is something else.
        """
        for spoken in (first or words, *(words,) * (TRIES - 1)):
            begun = len(self.console.events)
            await person.say(spoken)
            while not is_so():
                if any(
                    each.startswith(f"That did not work: {words}") for each in self.console.events[begun:]
                ):
                    break
                await asyncio.sleep(0.01)
            else:
                return
        raise AssertionError(f"{words}: {self.console.events[-6:]}")

    async def console_picture(self, name: str) -> None:
        """The console as it is now, for the docs."""
        if self.pictures is None:
            return
        async with opened(await self.window(), self.world.link) as page:
            await expect(page.locator(".operators-driver")).to_contain_text("drives")
            await expect(page.locator(".operators")).to_have_text("Phone")
            await Person(page, self.world).picture(self.pictures, name, WINDOW)


Story = Callable[[Scene], Awaitable[None]]
Act = Callable[[Story], None]


async def play(
    story: Story, world: Bench, browser: Browser, pictures: Path | None, home: NDArray[np.float64]
) -> None:
    """From an arm at home to nobody there."""
    async with asyncio.timeout(DEADLINE_S), console_program(world.running) as console:
        is_there = np.linalg.norm(world.tool() - home) < AT_HOME_M
        returning = asyncio.create_task(asyncio.sleep(0) if is_there else goes_home(console))
        try:
            await story(Scene(world, console, browser, pictures, home, returning))
            await returning
        except Exception as error:
            error.add_note("events: " + "; ".join(console.events[-12:]))
            raise
        finally:
            returning.cancel()
            await console.say("stop")
            for line in console.sessions:
                await console.send_away(line["session"])
            await console.until(lambda: not console.sessions and not console.running)


async def goes_home(console: ConsoleProgram) -> None:
    """Have the arm go home, and wait until it is there; said again if a busy machine's loop stood still."""
    for _ in range(TRIES):
        begun = len(console.events)
        await console.say("go home")
        if await _succeeds(console, begun):
            return
    raise AssertionError(f"the arm does not get home: {console.events[-6:]}")


async def _succeeds(console: ConsoleProgram, begun: int) -> bool:
    """How the instruction ended."""
    done, others = "Done: go home", ("That did not work: go home", "I ended: go home")
    await console.until(lambda: any(each.startswith((done, *others)) for each in console.events[begun:]))
    return any(each.startswith(done) for each in console.events[begun:])


# ---------------------------------------------------------------- what the arm does


async def holds(world: Bench, seconds: float, within_m: float = HELD_M) -> None:
    """The arm stays where it is for so long."""
    before = world.tool()
    samples = await world.arm_samples(seconds)
    away = max(float(np.linalg.norm(np.array(each.base_T_tool[:3]) - before)) for each in samples)
    assert away < within_m, f"it went {1000 * away:.1f} mm"


async def stands(world: Bench) -> None:
    """Soon, by the arm's own clock, and from then on it holds."""
    begun_s = world.arm().time_s
    while np.linalg.norm((arm := world.arm()).tool_twist[:3]) > STANDS_M_S:
        assert arm.time_s - begun_s < STANDS_WITHIN_S, "it has not come to stand"
        await asyncio.sleep(0.01)
    await holds(world, 0.2)


async def is_driven(person: Person, robot_motion: tuple[float, float, float]) -> None:
    """The clutch is pressed, and the arm goes where the hand goes."""
    before = person.world.tool()
    await person.engages()
    await person.reaches(np.array(person.world.arm().base_T_target[:3]) + robot_motion)
    went = person.world.tool() - before
    assert went @ np.array(robot_motion) > 0.5 * np.dot(robot_motion, robot_motion), went


def is_fast(world: Bench) -> bool:
    """Whether the arm is well on its way."""
    return speed(world) > 5 * STANDS_M_S


def speed(world: Bench) -> float:
    """Of the tool [m/s]."""
    return float(np.linalg.norm(world.arm().tool_twist[:3]))


class Stop(msgspec.Struct, frozen=True):
    """How the arm came to stand: after how long [s], by its own clock, and how far it went meanwhile [m]."""

    after_s: float
    went_m: float


class Loss:
    """Something is lost, and the arm has to stand soon. The body of `loss` calls it when it has happened."""

    def __init__(self, world: Bench) -> None:
        self._world = world
        self.at_s = float("nan")  # by the arm's own clock
        self.stop = Stop(float("nan"), float("nan"))  # from when `loss` has ended on

    def __call__(self) -> None:
        self.at_s = self._world.arm().time_s


@asynccontextmanager
async def loss(world: Bench, watched_s: float) -> AsyncIterator[Loss]:
    """Watch the arm from the loss on for so long, by its own clock, and at least to the end of the body."""
    lost = Loss(world)
    async with world.watched() as samples:
        yield lost
        async with asyncio.timeout(PATIENCE_S):
            while not samples[-1].time_s >= lost.at_s + watched_s:
                await asyncio.sleep(0.01)
    lost.stop = stop_of([each for each in samples if 0.0 <= each.time_s - lost.at_s <= watched_s], lost.at_s)


def stop_of(samples: list[ArmSample], lost_s: float) -> Stop:
    """From reports that begin at the loss."""
    moved = [each for each in samples if np.linalg.norm(each.tool_twist[:3]) > STANDS_M_S]
    if not moved:
        return Stop(0.0, 0.0)
    assert moved[-1].time_s < samples[-1].time_s, "it has not come to stand"
    went = np.array(moved[-1].base_T_tool[:3]) - np.array(samples[0].base_T_tool[:3])
    return Stop(moved[-1].time_s - lost_s, float(np.linalg.norm(went)))
