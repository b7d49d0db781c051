"""What somebody sees of the operator's page, measured in the browser: how much of the picture is covered, by what,
how large what is written is, and where the tool is drawn.
"""

from __future__ import annotations

from typing import Final

import msgspec
from playwright.async_api import Page

#: To be run before the page's own scripts: where the tool's axes are drawn, as the calls of the graphics interface
#: say (also of what is not really drawn, see `SHUTTER`). Two of the three, in full strength, are nobody else's colour.
TOOL_SPY: Final = """
globalThis.toolDrawn = [];
(() => {
  const own = WebGL2RenderingContext.prototype, names = new WeakMap(), said = new WeakMap();
  let program = {};
  const before = (name, note) => {
    const call = own[name];
    own[name] = function (...given) { note(...given); return call.apply(this, given); };
  };
  const named = own.getUniformLocation;
  own.getUniformLocation = function (of, name) {
    const found = named.call(this, of, name);
    if (found !== null) names.set(found, name);
    return found;
  };
  before("useProgram", (next) => {
    if (next !== null && !said.has(next)) said.set(next, {});
    program = next === null ? {} : said.get(next);
  });
  const keep = (where, value) => { program[names.get(where)] = value; };
  before("uniform3f", (where, ...rgb) => keep(where, rgb));
  before("uniform1f", (where, value) => keep(where, value));
  before("uniformMatrix4fv", (where, _, m) => keep(where, Array.from(m)));
  before("clear", () => { globalThis.toolDrawn = []; });
  const AXES = [[0.095, 0.694, 0.254], [0.102, 0.361, 1]], HALF_M = 0.05;
  const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w);
  before("drawElements", () => {
    const { diffuse, opacity, modelViewMatrix, projectionMatrix } = program;
    if (!diffuse || opacity !== 1 || !AXES.some((axis) => axis.every((part, i) => Math.abs(part - diffuse[i]) < 0.01))) return;
    for (const end of [-HALF_M, HALF_M]) {
      const [x, y, , w] = times(projectionMatrix, times(modelViewMatrix, [0, end, 0, 1]));
      toolDrawn.push([(x / w + 1) / 2 * innerWidth, (1 - y / w) / 2 * innerHeight]);
    }
  });
})();
"""

_LOOK: Final = """() => {
  const isPainted = (style) => {
    const alpha = /rgba\\(.*, ([\\d.]+)\\)/.exec(style.backgroundColor);
    return (alpha === null ? style.backgroundColor !== "transparent" : Number(alpha[1]) > 0) || style.backgroundImage !== "none"
      || (style.borderStyle !== "none" && parseFloat(style.borderWidth) > 0);
  };
  const panels = [], texts = [];
  for (const each of document.querySelectorAll(".overlay *")) {
    if (each.closest(".aim, .edge") || !each.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(each), { left, top, right, bottom } = each.getBoundingClientRect();
    if (right <= left || bottom <= top) continue;
    const words = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();
    if (words !== "") texts.push({ words, px: parseFloat(style.fontSize), role: each.closest("button, .whose, .question, .drawer, .scale, .pads") ? "label" : "sentence" });
    if (words !== "" || isPainted(style) || each.tagName === "INPUT") panels.push({ name: each.className || each.tagName, left, top, right, bottom });
  }
  const STEP = 2;
  const across = Math.ceil(innerWidth / STEP), down = Math.ceil(innerHeight / STEP), covered = new Uint8Array(across * down);
  for (const { left, top, right, bottom } of panels) {
    for (let y = Math.max(0, Math.floor(top / STEP)); y < Math.min(down, bottom / STEP); y++) {
      for (let x = Math.max(0, Math.floor(left / STEP)); x < Math.min(across, right / STEP); x++) covered[y * across + x] = 1;
    }
  }
  const prominent = [...document.querySelectorAll(".overlay button")].filter((each) => each.checkVisibility())
    .filter((each) => getComputedStyle(each).backgroundColor === "rgba(31, 102, 112, 0.96)").map((each) => each.textContent);
  return { covered: covered.reduce((sum, each) => sum + each, 0) / covered.length, panels, texts, tool: globalThis.toolDrawn, prominent,
    outside: panels.filter(({ left, top, right, bottom }) => left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1).map(({ name }) => name) };
}"""


class Panel(msgspec.Struct, frozen=True):
    """Something that covers the picture [CSS px]."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


class Text(msgspec.Struct, frozen=True):
    """Something written, how large [CSS px], and whether it says something or only names a button."""

    words: str
    px: float
    role: str


class Seen(msgspec.Struct, frozen=True):
    """covered: share of the picture. outside: what reaches out of the window. prominent: buttons in colour.

    tool: points of its axes [CSS px], as drawn last.
    """

    covered: float
    panels: list[Panel]
    texts: list[Text]
    tool: list[tuple[float, float]]
    prominent: list[str]
    outside: list[str]

    @property
    def sentences(self) -> list[str]:
        """What is said, but for names of buttons and who is who."""
        return [text.words for text in self.texts if text.role == "sentence"]

    def over(self, points: list[tuple[float, float]]) -> list[str]:
        """What lies over these points."""
        return [
            panel.name
            for panel in self.panels
            for x, y in points
            if panel.left <= x <= panel.right and panel.top <= y <= panel.bottom
        ]


async def look(page: Page) -> Seen:
    """Look at it."""
    return msgspec.convert(await page.evaluate(_LOOK), Seen)
