"""What a page draws in three dimensions, as its calls of the graphics interface say: meshes, colours, eyes.

Drawing without a graphics card takes a whole core: nothing really is drawn but for pictures that are wanted.
What would be drawn is known all the same, because the page cannot tell.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import msgspec
from playwright.async_api import Page

from tests.resources.operator.seen import GRAPHICS_SPY

ARROW_M_PER_N: Final = 0.006
"""How long the force arrow is (scene/force_arrow.ts)."""

#: To be run before the page's own scripts. `dark`: nothing is drawn really; `drawn`: something was.
SPY: Final = (
    GRAPHICS_SPY
    + """
globalThis.dark = true;
globalThis.watched = null;
(() => {
  const own = WebGL2RenderingContext.prototype;
  const MOST = 12;
  let viewport = [0, 0, 0, 0];
  graphics.before("viewport", (...at) => { if (at.join() !== viewport.join()) viewport = at; });
  const isArrow = ([r, g, b]) => r > 0.99 && g > 0.09 && g < 0.5 && b < 0.1;
  const note = () => {
    const { program } = graphics;
    const m = program.modelViewMatrix;
    if (m === undefined) return;
    const { passes } = watched;
    if (passes.length < MOST && passes.at(-1)?.viewport !== viewport) {
      passes.push({ viewport, at: [m[12], m[13], m[14]] });
    }
    const length = Math.hypot(m[4], m[5], m[6]);
    if (program.diffuse !== undefined && isArrow(program.diffuse) && length < 0.99) {
      const arrow = { length, across: m[12] / -m[14], up: m[13] / -m[14] };
      if (length < (watched.least?.length ?? Infinity)) watched.least = watched.longest = arrow;
      if (length > watched.longest.length) watched.longest = arrow;
    }
  };
  // What is not cleared, either, is not put together anew with the rest of the page.
  for (const name of ["clear", "clearBufferfv", "clearBufferiv", "blitFramebuffer"]) {
    const call = own[name];
    own[name] = function (...given) { if (!dark) call.apply(this, given); };
  }
  for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]) {
    const draw = own[name];
    own[name] = function (...given) {
      if (watched !== null) note();
      if (dark) return;
      draw.apply(this, given);
      globalThis.drawn = true;
    };
  }
})();
"""
)
_BEGIN: Final = "() => { globalThis.watched = { passes: [], least: null, longest: null }; }"
_END: Final = "() => { const found = watched; globalThis.watched = null; return found; }"
_FRAMES: Final = """(left) => new Promise((done) => {
  const next = () => ((left -= 1) < 0 ? done() : requestAnimationFrame(next));
  next();
})"""


class Arrow(msgspec.Struct, frozen=True):
    """The force arrow's shaft: length [m]; where its foot is seen, as tangents from the picture's middle."""

    length: float
    across: float
    up: float


class Pass(msgspec.Struct, frozen=True):
    """Everything, drawn into one part of the picture.

    viewport: x, y, width, height [px]. at: where the first mesh is for the eye [m].
    """

    viewport: tuple[int, int, int, int]
    at: tuple[float, float, float]


class Drawn(msgspec.Struct, frozen=True):
    """What was drawn in a while: the first passes; the shortest arrow, and the longest one after it."""

    passes: list[Pass]
    least: Arrow | None
    longest: Arrow | None

    def has_arrow_grown(self, light_n: float, hard_n: float) -> bool:
        """Whether it has said a light contact, and then a hard one."""
        if self.least is None or self.longest is None:
            return False
        light, hard = ARROW_M_PER_N * light_n, ARROW_M_PER_N * hard_n
        return self.least.length < light < hard < self.longest.length

    @property
    def eyes_apart_m(self) -> list[float]:
        """How far the eye of a pass is to the right of the one before [m]."""
        return [one.at[0] - other.at[0] for one, other in pairwise(self.passes)]


async def begin(page: Page) -> None:
    """Note from now on what it draws."""
    await page.evaluate(_BEGIN)


async def so_far(page: Page) -> Drawn:
    """What it has drawn since `begin`."""
    return msgspec.convert(await page.evaluate("watched"), Drawn)


async def end(page: Page, frames: int = 0) -> Drawn:
    """The same, when so many frames more have been drawn; it is noted no longer."""
    await page.evaluate(_FRAMES, frames)
    return msgspec.convert(await page.evaluate(_END), Drawn)
