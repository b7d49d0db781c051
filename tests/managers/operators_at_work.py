"""A scripted installation, with people who have phones, headsets and desks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from framework.supervisor import Reply
from framework.testing import run
from pilothouse.installation import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation
from pilothouse.testbed.virtual_operators import VirtualSession
from resources.types.arms import ArmState
from resources.types.motion import ArmSample
from resources.types.motion_clients import ArmStateClient


class AtWork:
    """What a test does and sees."""

    def __init__(self, installation: VirtualInstallation) -> None:
        self.installation = installation
        self.managers = installation.managers
        desk = installation.managers.operators
        assert desk is not None
        self.desk = desk

    async def play(self, *sentences: str) -> None:
        """One after the other, a moment apart."""
        for sentence in sentences:
            assert self.installation.launcher.operators is not None
            self.installation.launcher.operators.play(sentence, asyncio.get_running_loop().time())
            await asyncio.sleep(0.1)

    def session(self, name: str) -> VirtualSession:
        """One who is there, as its page sees it."""
        assert self.installation.launcher.operators is not None
        return self.installation.launcher.operators.sessions[name]

    def say(self, text: str, who: str = "console") -> Reply:
        return self.installation.supervisor.say(text, who=who)

    async def done(self, text: str, who: str = "console") -> str:
        """It has to succeed; the last words."""
        reply = self.say(text, who)
        assert await reply.done(), [event.text for event in reply.events]
        return reply.events[-1].text

    async def refused(self, text: str, who: str = "console") -> str:
        """It must not succeed; the last words."""
        reply = self.say(text, who)
        assert not await reply.done(), [event.text for event in reply.events]
        return reply.events[-1].text

    def was_said(self, words: str) -> bool:
        return any(words in event.text for event in self.installation.events.history())

    async def until_said(self, words: str, within_s: float = 3.0) -> None:
        try:
            async with asyncio.timeout(within_s):
                while not self.was_said(words):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            said = "\n".join(event.text for event in self.installation.events.history()[-12:])
            raise AssertionError(f"{words!r} was not said, but:\n{said}") from None

    @asynccontextmanager
    async def watching(self, side: str = "") -> AsyncIterator[Callable[[], ArmSample]]:
        """An arm's newest report."""
        async with self.managers.registrars[0].request(ArmState(side)) as lease:
            client = ArmStateClient("arm", lease)
            await client.first()

            def latest() -> ArmSample:
                sample = client.latest()
                assert sample is not None
                return sample

            try:
                yield latest
            finally:
                client.end()


def at_work(
    directory: Path, play: Callable[[AtWork], Awaitable[None]], world: str = "bench", phones: bool = True
) -> None:
    """Play it on the virtual clock."""

    async def scene() -> None:
        settings = Settings(directory, world, phones="127.0.0.1" if phones else "", phone_port=0)
        installation = VirtualInstallation(settings)
        async with installation:
            async with asyncio.timeout(10.0):
                while installation.managers.simulation is None:
                    await asyncio.sleep(0.1)
                desk = installation.managers.operators
                while phones and not (desk is not None and desk.is_served):
                    await asyncio.sleep(0.1)
            await play(AtWork(installation))

    run(scene)
