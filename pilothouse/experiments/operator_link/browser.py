"""The operator's page in headless Chromium with an emulated headset, and what it measures: round trips.

Playwright, Chromium and IWER (the page's own development package) are for development: without one of them
there is no page, and `why_none` says which one is missing.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pilothouse.experiments.operator_link.relay import UdpRelay, relayed_offer, without_candidates
from pilothouse.testbed.headless_chromium import COMMANDS, command
from resources.operator.packets import HAND_BYTES
from resources.operator.protocol import Offer, encode_words
from resources.web.static_files import DIST

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, WebSocketRoute

PATIENCE_S: Final = 40.0

WIDTH, HEIGHT = 160, 120
"""So small that drawing it without a graphics card leaves most of the time to the link [px]."""

IWER: Final = DIST.with_name("page") / "node_modules/iwer/build/iwer.min.js"

_HEADSET: Final = """
globalThis.device = new IWER.XRDevice(IWER.metaQuest3);
device.installRuntime({ forceInstall: true });
"""

# Beside the page: `sent` and `held` of the echo stand at 16 and 24 of a StatePacket, the side of each
# HandPacket at 2 (resources/operator/packets.py). The first state that echoes a hand is its answer. It is
# heard on the page's thread, or on one of its own, which says when it came
# (resources/web/page/src/operator/link/states_worker.ts); `used` is when the page had it.
_LISTEN: Final = (
    """
globalThis.measured = { trips: [], used: [], hands: 0 };
(() => {
  let newest = 0;
  const hear = (data, came) => {
    const now = performance.now();
    const view = new DataView(data);
    const [sent, held] = [view.getFloat64(16, true), view.getFloat32(24, true)];
    if (sent > newest) {
      newest = sent;
      measured.trips.push((came ?? now) - sent - held);
      measured.used.push(now - sent - held);
    }
  };
  const count = (channel) => {
    const send = channel.send.bind(channel);
    channel.send = (data) => {
      const bytes = new Uint8Array(data);
      for (let at = 2; at < bytes.length; at += HAND_BYTES) if (bytes[at] === 0) measured.hands += 1;
      send(data);
    };
  };
  globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...how) {
      super(...how);
      this.addEventListener("datachannel", ({ channel }) => {
        if (channel.label === "hands") count(channel);
        if (channel.label === "states") channel.addEventListener("message", ({ data }) => hear(data));
      });
    }
  };
  globalThis.Worker = class extends Worker {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", ({ data: told }) => {
        if (told.data instanceof ArrayBuffer) hear(told.data, told.came);
      });
    }
  };
})();
"""
).replace("HAND_BYTES", str(HAND_BYTES))
_BEGIN: Final = "() => { measured.trips = []; measured.used = []; measured.hands = 0; }"

# The emulated headset's picture is the page's canvas. A headset's browser shows no window beside the session.
_NO_WINDOW: Final = """() => {
  const rule = new CSSStyleSheet();
  rule.replaceSync("canvas { display: none }");
  document.adoptedStyleSheets = [rule];
}"""


class Heard(msgspec.Struct, frozen=True):
    """trips: round trips of the page's packets [ms], on its own clock. used: the same, until the page's own
    thread has the answer, which may be drawing. hands: packets of the right hand.
    """

    trips: list[float]
    used: list[float]
    hands: int


class HeadsetPage:
    """The page, connected, with a headset that is put on with `enter`."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def enter(self) -> None:
        """Begin the session: from now on the page draws, and sends hands with each picture.

        What it draws is not shown in the window, too.
        """
        # By a click that needs no place: in so small a window the button lies outside.
        await self._page.get_by_role("button", name="Enter the scene").dispatch_event("click")
        await self._page.wait_for_selector("[data-session]", state="attached")
        await self._page.evaluate(_NO_WINDOW)

    async def begin(self) -> None:
        """Forget what was measured."""
        await self._page.evaluate(_BEGIN)

    async def measured(self) -> Heard:
        """What was since."""
        return msgspec.convert(await self._page.evaluate("measured"), Heard)


def why_none() -> str:
    """Why there can be no page here; "" if there can."""
    if importlib.util.find_spec("playwright") is None:
        return "there is no playwright here: pip install 'pilothouse[experiments]'"
    if command() is None:
        return f"no Chromium is installed: none of {', '.join(COMMANDS)}"
    if not IWER.is_file():
        return "the page's development packages are not there (`npm ci` in resources/web/page)"
    return ""


@asynccontextmanager
async def headset_page(chromium: Browser, code: str, relay: UdpRelay | None) -> AsyncIterator[HeadsetPage]:
    """Opened with the link of a code, and connected: directly, or through a relay."""
    context = await chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
    try:
        page = await context.new_page()
        page.set_default_timeout(1e3 * PATIENCE_S)
        await page.add_init_script(IWER.read_text(encoding="utf-8") + _HEADSET + _LISTEN)
        if relay is not None:
            way = relay
            await page.route_web_socket(lambda url: url.endswith("/link"), lambda ws: divert(ws, way))
        await page.goto(code)
        await page.wait_for_selector('[data-link="connected"]', state="attached")
        yield HeadsetPage(page)
    finally:
        await context.close()


def divert(socket: WebSocketRoute, relay: UdpRelay) -> None:
    """Have the page's signalling say that the process is where the relay is, and nothing of the page.

    While the relay is cut, so is the signalling.
    """
    server = socket.connect_to_server()

    def down(message: str | bytes) -> None:
        if relay.is_cut:
            return
        if json.loads(message)["type"] == "offer":
            offer = relayed_offer(msgspec.json.decode(message, type=Offer), relay)
            message = encode_words(offer).decode()
        socket.send(message)

    def up(message: str | bytes) -> None:
        if relay.is_cut:
            return
        said: dict[str, Any] = json.loads(message)
        if said["type"] == "answer":
            said["sdp"] = without_candidates(said["sdp"])
        if said["type"] != "candidate":
            server.send(json.dumps(said))

    server.on_message(down)
    socket.on_message(up)
