"""Phones, headsets and desks for headless Chromium: contexts in which the page finds what these have.

Poses are set from the test: `page.evaluate("device.position.set(x, y, z)")`, and for a headset
`device.controllers.right.updateButtonValue("squeeze", 1)` and so on (IWER, an npm package of the page).
A desk's `pad` and `mouse` are plugged in, pressed and pushed there, too.
"""

from __future__ import annotations

from typing import Final

from playwright.async_api import Browser, BrowserContext, ViewportSize

from resources.web.static_files import DIST
from tests.resources.console.browser import PHONE

_IWER: Final = DIST.with_name("page") / "node_modules" / "iwer" / "build" / "iwer.min.js"
_ANDROID: Final = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Mobile Safari/537.36"
)
_IPHONE: Final = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
_QUEST: Final = (
    "Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) "
    "OculusBrowser/33.0.0.0 Chrome/126.0.6478.122 VR Safari/537.36"
)

# The emulator knows no page over its picture: it is put beneath, and the session says that there is one.
# A phone has one view, the emulator two of which one has no width.
# It calls each position emulated; whether this one is, the test says by `device.isLost`.
_TRACKED: Final = """
Object.defineProperty(XRPose.prototype, "emulatedPosition", {get: () => device.isLost === true});
"""
_PHONE_RUNTIME: Final = (
    """
globalThis.device = new IWER.XRDevice({
  name: "phone", controllerConfig: undefined, supportedSessionModes: ["inline", "immersive-ar"],
  supportedFeatures: ["viewer", "local", "local-floor", "dom-overlay"], supportedFrameRates: [60],
  isSystemKeyboardSupported: false, internalNominalFrameRate: 60,
  environmentBlendModes: {"immersive-ar": "alpha-blend"},
  interactionMode: "screen-space", userAgent: navigator.userAgent,
}, {stereoEnabled: false, ipd: 0, fovy: 1.1});
device.installRuntime({forceInstall: true});
const views = Object.getOwnPropertyDescriptor(XRViewerPose.prototype, "views").get;
Object.defineProperty(XRViewerPose.prototype, "views", {get() { return views.call(this).slice(0, 1); }});
device.canvasContainer.style.zIndex = "-1";
Object.defineProperty(XRSession.prototype, "domOverlayState", {get: () => ({type: "screen"})});
globalThis.buzz = [];
Navigator.prototype.vibrate = (pattern) => { buzz.push(pattern); return true; };
"""
    + _TRACKED
)
_QUEST_RUNTIME: Final = (
    """
globalThis.device = new IWER.XRDevice(IWER.metaQuest3);
device.installRuntime({forceInstall: true});
device.stereoEnabled = true;
"""
    + _TRACKED
)
_NO_WEBXR: Final = """
Object.defineProperty(navigator, "xr", {value: undefined});
delete Navigator.prototype.vibrate;
"""
# Devices that speak as real ones do: a space mouse again and again while it is pushed, then once more.
_DESK: Final = """
globalThis.pad = {
  connected: true, mapping: "standard", id: "game-pad", index: 0, timestamp: 0, axes: [0, 0, 0, 0],
  buttons: Array.from({length: 17}, () => ({value: 0, pressed: false})), there: false, rumbles: [],
  vibrationActuator: {playEffect: async (kind, how) => { pad.rumbles.push(how); return "complete"; }},
  press(index, value) { pad.there = true; Object.assign(pad.buttons[index], {value, pressed: value > 0.5}); },
};
Navigator.prototype.getGamepads = () => [null, pad.there ? pad : null];
globalThis.mouse = new class extends EventTarget {
  opened = false;
  productName = "SpaceMouse";
  open = async () => { this.opened = true; };
  close = async () => this.unplug();
  unplug() { this.opened = false; clearInterval(this.pushed); }
  buttons(bits) { this.say(3, new DataView(Uint8Array.of(bits, 0).buffer)); }
  push(linear) {
    clearInterval(this.pushed);
    const data = new DataView(new ArrayBuffer(12)), report = () => this.say(1, data);
    linear.forEach((value, axis) => data.setInt16(2 * axis, value, true));
    report();
    if (linear.some((value) => value !== 0)) this.pushed = setInterval(report, 8);
  }
  say(reportId, data) {
    if (this.opened) this.dispatchEvent(Object.assign(new Event("inputreport"), {reportId, data}));
  }
}();
Object.defineProperty(navigator, "hid", {value: {requestDevice: async () => [mouse]}});
"""


async def android_phone(browser: Browser, size: tuple[int, int] = PHONE) -> BrowserContext:
    """A phone with AR. What vibrates is kept in `buzz`."""
    context = await _touched(browser, _ANDROID, size)
    await context.add_init_script(f"{_IWER.read_text()};{{{_PHONE_RUNTIME}}}")
    return context


async def iphone(browser: Browser, size: tuple[int, int] = PHONE) -> BrowserContext:
    """A phone without WebXR and vibration."""
    context = await _touched(browser, _IPHONE, size)
    await context.add_init_script(f"{{{_NO_WEBXR}}}")
    return context


async def headset(browser: Browser) -> BrowserContext:
    """A headset with two controllers, and its own browser's window."""
    context = await browser.new_context(viewport={"width": 1024, "height": 640}, user_agent=_QUEST)
    await context.add_init_script(f"{_IWER.read_text()};{{{_QUEST_RUNTIME}}}")
    return context


async def desk(browser: Browser, size: tuple[int, int]) -> BrowserContext:
    """A window at a desk with a game-pad and a space mouse within reach, and a storage of its own."""
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    context = await browser.new_context(viewport=viewport, reduced_motion="reduce")
    await context.add_init_script(f"{{{_DESK}}}")
    return context


async def _touched(browser: Browser, agent: str, size: tuple[int, int]) -> BrowserContext:
    return await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=True, is_mobile=True, user_agent=agent
    )
