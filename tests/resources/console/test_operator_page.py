"""The operator's page without a browser: its generated half of the protocol, and its own tests in Node."""

from __future__ import annotations

import os
import subprocess

from resources.web.static_files import DIST
from scripts import page_protocols

PAGE = DIST.with_name("page")
PATIENCE_S = 120.0


def test_the_generated_typescript_is_that_of_the_present_protocol() -> None:
    written = (PAGE / "src" / "operator" / "link" / "protocol.ts").read_text()
    assert written == page_protocols.generate_operator(), (
        "the operator's protocol.py has changed; run: python -m scripts.page_protocols operator > "
        "resources/web/page/src/operator/link/protocol.ts"
    )


def test_view_clutch_packets_and_words_of_the_page() -> None:
    ended = subprocess.run(
        ["npm", "test", "--silent"],
        cwd=PAGE,
        env={**os.environ, "NO_COLOR": "1", "npm_config_loglevel": "error"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "# fail 0" in ended.stdout
