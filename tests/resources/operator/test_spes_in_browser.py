"""A page that opens its own WebSocket at /ws, as the open SpesRobotics page does, in a real browser."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest

from resources.operator.spes_link import TRACKING
from tests.resources.console.browser import SHUTTER, chromium
from tests.resources.operator.serving import Harness, serve, until
from tests.resources.operator.test_spes import message

pytestmark = pytest.mark.real

PAGE = """<!doctype html><html><head><title>Open page</title><script>
const way = new WebSocket(`ws://${location.host}/ws`);
way.onopen = () => setInterval(() => way.send(%r), 20);
</script></head><body></body></html>"""

#: The secret, as soon as the page has it. (Playwright's own waiting uses eval, which our pages forbid.)
SECRET = """() => new Promise((resolve) => {
    const look = () => {
        const secret = localStorage.getItem("pilothouse.operator");
        if (secret) resolve(secret);
        else setTimeout(look, 10);
    };
    look();
})"""


def test_it_is_known_by_its_device_s_secret_and_nothing_stands_in_an_address(tmp_path: Path) -> None:
    folder = tmp_path / "teleop"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE % message())

    async def scenario(harness: Harness, _: aiohttp.ClientSession) -> None:
        async with chromium() as browser:
            context = await browser.new_context()
            await context.add_init_script("globalThis.dark = true;" + SHUTTER)
            page = await context.new_page()
            addresses: list[str] = []
            page.on("request", lambda request: addresses.append(request.url))
            page.on("websocket", lambda socket: addresses.append(socket.url))
            await page.goto(f"{harness.server.address}#token={harness.open()}")
            secret = await page.evaluate(SECRET)
            await page.goto(f"{harness.server.address}spes/")
            await until(lambda: harness.operators.lines()[0].tracking == TRACKING)
            await until(lambda: harness.operators.lines()[0].alive)
            assert secret
            assert not [address for address in addresses if secret in address]
            await context.close()

    serve(scenario, tmp_path, open_page=folder)
