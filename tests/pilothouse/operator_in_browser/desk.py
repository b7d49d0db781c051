"""Somebody at a desk: with a keyboard, a game-pad or a space mouse."""

from __future__ import annotations

import asyncio

from tests.pilothouse.operator_in_browser.person import PATIENCE_S, STEP_S, Person

CLUTCH = 5
"""The right shoulder of a game-pad."""


class AtDesk(Person):
    """With a keyboard."""

    async def press(self) -> None:
        await self.page.keyboard.down("Space")

    async def release(self) -> None:
        await self.page.keyboard.up("Space")

    async def deflects(self) -> None:
        """Have the arm go up."""
        await self.page.keyboard.down("KeyE")

    async def lets_go(self) -> None:
        """Have it go nowhere, whether the clutch is held or not."""
        await self.page.keyboard.up("KeyE")

    async def lifts(self, height_m: float) -> None:
        """Drive the arm up by this; then the clutch is held still, and nothing deflected."""
        await self.rises(height_m)
        await self.lets_go()

    async def rises(self, height_m: float) -> None:
        """The same, and it goes on."""
        goal = self.world.tool()[2] + height_m
        async with asyncio.timeout(PATIENCE_S):
            while self.world.tool()[2] < goal:
                if (await self.look()).tone != "engaged":
                    await self.lets_go()
                    await self.engages()
                    await self.deflects()
                await asyncio.sleep(STEP_S)


class WithGamePad(AtDesk):
    """Whose page says that the standard game-pad is there, once one of its buttons was pressed."""

    async def press(self) -> None:
        await self.page.evaluate("index => pad.press(index, 1)", CLUTCH)

    async def release(self) -> None:
        await self.page.evaluate("index => pad.press(index, 0)", CLUTCH)

    async def deflects(self) -> None:
        await self.page.evaluate("() => { pad.axes[3] = -1; }")  # the right stick, ahead

    async def lets_go(self) -> None:
        await self.page.evaluate("() => { pad.axes[3] = 0.05; }")  # no stick rests in its middle


class WithSpaceMouse(AtDesk):
    """Whose browser knows one."""

    async def press(self) -> None:
        await self.page.evaluate("mouse.buttons(1)")

    async def release(self) -> None:
        await self.page.evaluate("mouse.buttons(0)")

    async def deflects(self) -> None:
        await self.page.evaluate("mouse.push([0, 0, -350])")  # its z points down

    async def lets_go(self) -> None:
        await self.page.evaluate("mouse.push([0, 0, 0])")
