"""What the operator's server gives to whoever asks for a page."""

from __future__ import annotations

from pathlib import Path

import aiohttp

from tests.resources.operator.serving import (
    Harness,
    serve,
)

Client = aiohttp.ClientSession


def test_the_page_is_served_with_its_headers_and_nothing_beside_it(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "operator.html").write_text("<p>the operator's")
    (dist / "assets" / "a.js").write_text("1")
    (tmp_path / "secret").write_text("x")

    async def scenario(harness: Harness, client: Client) -> None:
        async with client.get("/") as answer:
            assert (await answer.text()) == "<p>the operator's"
            assert "xr-spatial-tracking=(self)" in answer.headers["Permissions-Policy"]
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with client.get("/assets/a.js") as answer:
            assert answer.status == 200
        for path in ("/secret", "/../secret", "/%2e%2e/secret", "/assets/", "/spes/"):
            async with client.get(path) as answer:
                assert answer.status == 404

    serve(scenario, tmp_path, dist=dist)


def test_a_page_that_was_not_built_says_so(tmp_path: Path) -> None:
    async def scenario(_: Harness, client: Client) -> None:
        async with client.get("/") as answer:
            assert "make page" in await answer.text()

    serve(scenario, tmp_path, dist=tmp_path)
