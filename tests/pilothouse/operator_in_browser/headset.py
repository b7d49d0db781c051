"""Somebody who wears a headset: with two controllers, or with bare hands."""

from __future__ import annotations

import asyncio

from numpy.typing import ArrayLike
from playwright.async_api import ViewportSize, expect

from tests.pilothouse.operator_in_browser.person import STEP_S, Person, in_room

_FELT = """() => {
  globalThis.pulses = [];
  for (const { inputSource } of Object.values(device.controllers)) {
    for (const actuator of inputSource.gamepad.hapticActuators) {
      actuator.pulse = async (intensity, ms) => { pulses.push([intensity, ms]); return true; };
    }
  }
}"""
_LEAN_IN = """() => {
  device.stereoEnabled = false;
  device.position.set(0.15, 1.2, -1);
  device.quaternion.set(-0.13, 0, 0, 0.9915);
}"""
#: To and fro by itself, so that it also moves while the test does something else.
_SWAY = """([x, y, z]) => {
  const at = device.controllers.right.position, from = [at.x, at.y, at.z], began = performance.now();
  clearInterval(globalThis.gliding);
  delete globalThis.glides;
  clearInterval(globalThis.swaying);
  globalThis.swaying = setInterval(() => {
    const share = (1 - Math.cos((performance.now() - began) / 400)) / 2;
    at.set(from[0] + share * x, from[1] + share * y, from[2] + share * z);
  }, 10);
}"""
#: Controllers lie there, the hands are where they were; fingers that pinch move the wrist a little.
_PUT_AWAY = """() => {
  const { x, y, z } = device.controllers.right.position;
  device.hands.right.position.set(x, y, z);
  device.primaryInputMode = "hand";
}"""
_TAKE = '() => { device.primaryInputMode = "controller"; }'
_PINCH_STEPS = 8
PULSE_MS = 30
"""Of what lasts (masters/controllers.ts); knocks are longer."""


class AtHeadset(Person):
    """Holds two controllers; the right one drives."""

    held = "controller"

    async def enters(self) -> None:
        """Begin the session; what the controllers are made to do is noted from now on."""
        await self.page.get_by_role("button", name="Enter the scene").click()
        await expect(self.page.locator(".overlay")).to_have_attribute("data-session", "immersive-vr")
        await self.page.evaluate(_FELT)

    async def button(self, name: str, value: float) -> None:
        """Of the right controller."""
        await self.page.evaluate(
            "([name, value]) => device.controllers.right.updateButtonValue(name, value)", [name, value]
        )

    async def press(self) -> None:
        await self.button("squeeze", 1)

    async def release(self) -> None:
        await self.button("squeeze", 0)

    async def sways(self, robot_motion: ArrayLike) -> None:
        """Move the hand to and fro by this, for ever."""
        await self.page.evaluate(_SWAY, in_room(robot_motion))

    async def leans_in(self, size: ViewportSize) -> None:
        """Look at the tool from nearby, with one eye, in a window of this size."""
        await self.page.set_viewport_size(size)
        await self.page.evaluate(_LEAN_IN)

    async def pulses(self) -> list[tuple[float, float]]:
        """What the controllers were made to do so far: intensity, milliseconds."""
        return [(each[0], each[1]) for each in await self.page.evaluate("pulses")]

    async def pressure(self) -> list[float]:
        """How strongly they pulsed while the arm pressed, knocks left out."""
        return [intensity for intensity, ms in await self.pulses() if ms == PULSE_MS]

    async def puts_controllers_away(self) -> BareHanded:
        """And goes on with bare hands."""
        await self.page.evaluate(_PUT_AWAY)
        bare = BareHanded(self.page, self.world)
        await bare.page.locator(".overlay[data-master='bare hand']").wait_for(state="attached")
        return bare

    async def takes_controllers(self) -> None:
        """Up again."""
        await self.release()
        await self.page.evaluate(_TAKE)
        await self.page.locator(".overlay[data-master='headset']").wait_for(state="attached")


class BareHanded(Person):
    """Wears a headset and holds nothing: thumb and index finger are the clutch."""

    held = "hand"

    async def press(self) -> None:
        await self._pinch(range(_PINCH_STEPS + 1))

    async def release(self) -> None:
        await self._pinch(range(_PINCH_STEPS, -1, -1))

    async def _pinch(self, steps: range) -> None:
        """As fingers do: not from one picture to the next."""
        if await self.page.evaluate("device.hands.right.pinchValue") == steps[-1] / _PINCH_STEPS:
            return
        for step in steps:
            await self.page.evaluate(
                "value => device.hands.right.updatePinchValue(value)", step / _PINCH_STEPS
            )
            await asyncio.sleep(STEP_S)
