"""The built page as bytes, and the headers that keep it to itself. Only what was built is served.

All files are read once, at the start: a name that is asked for is looked up, never opened.
"""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import InstallationError

DIST: Final = Path(__file__).with_name("dist")
"""Where `make page` puts the built page; the wheel carries it."""

ASSETS: Final = "assets"
HAND_TRACKER: Final = "assets/hands-"
"""How the addresses begin of what the console's hand tracker loads: 16 MB that no other page wants."""

TRACKER_THREAD: Final = "/assets/tracker_worker-"
"""How the address begins of the hand tracker's thread: a thread has a policy of its own."""

_FOR_EVER: Final = "public, max-age=31536000, immutable"  # names in assets/ change with their contents


class PageFile(msgspec.Struct, frozen=True):
    """One file, ready to be sent."""

    body: bytes
    content_type: str
    cache: str


def load(dist: Path = DIST, page: str = "index.html", *, without: str = "") -> dict[str, PageFile]:
    """All files of the built page by their path in the address; "/" is the page itself: `page`.

    without: how the paths begin of those that are not served; "": all are.
    A page that was not built is replaced by one that says so.
    """
    if not (dist / page).is_file():
        return {"/": PageFile(_not_built(), "text/html", "no-store")}
    try:
        found = {
            path.relative_to(dist).as_posix(): path for path in sorted(dist.rglob("*")) if path.is_file()
        }
        files = {
            f"/{name}": PageFile(
                path.read_bytes(),
                mimetypes.guess_type(path.name)[0] or "application/octet-stream",
                _FOR_EVER if name.startswith(f"{ASSETS}/") else "no-cache",
            )
            for name, path in found.items()
            if not (without and name.startswith(without))
        }
    except OSError as error:
        raise InstallationError(
            f"the page in {dist} cannot be read ({error}); build it anew: make page"
        ) from error
    return {"/": files[f"/{page}"], **files}


def security_headers(host: str, *, wasm: bool = False) -> dict[str, str]:
    """What every answer carries; `host` is the name and port it was asked under.

    wasm: it may run WebAssembly of our own; it still may not make scripts of text.
    """
    script = "'self' 'wasm-unsafe-eval'" if wasm else "'self'"
    policy = (
        f"default-src 'none'; script-src {script}; style-src 'self'; img-src 'self' data: blob:; "
        f"font-src 'self'; connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Server": "pilothouse",
    }


def _not_built() -> bytes:
    steps = (
        "In a checkout of the repository run <b>make page</b> (it needs Node 20.19 or newer), "
        "then start Pilothouse again. The command line works meanwhile: "
        "<code>pilothouse say &quot;show the environment&quot;</code>"
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Pilothouse</title>"
        f"<h1>This page has not been built</h1><p>{steps}</p></html>"
    ).encode()
