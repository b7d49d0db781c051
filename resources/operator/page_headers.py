"""What every answer to an operator's page carries: what it may load, and what of the device it may use.

More than the console's page needs, and still nothing of other sites: WebAssembly and workers decode clouds,
and WebXR, camera, microphone and input devices are why people hold a phone in the first place.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from typing import Final

from resources.web import static_files

_MAY: Final = (
    "accelerometer",
    "autoplay",
    "camera",
    "fullscreen",
    "gamepad",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "screen-wake-lock",
    "xr-spatial-tracking",
)
_MAY_NOT: Final = ("display-capture", "geolocation", "midi", "payment", "serial", "usb")

_HEAD: Final = re.compile(rb"<head(?:\s[^>]*)?>", re.IGNORECASE)
_DOCTYPE: Final = re.compile(rb"\s*<!doctype[^>]*>", re.IGNORECASE)
_INLINE: Final = re.compile(rb"<script(?:\s[^>]*)?>(.*?)</script>", re.DOTALL | re.IGNORECASE)


def page_headers(host: str, *, is_secure: bool, inline: Iterable[bytes] = ()) -> dict[str, str]:
    """host: the name and port it was asked under. inline: scripts that stand in the page itself."""
    scheme = "wss" if is_secure else "ws"
    hashes = [base64.b64encode(hashlib.sha256(each).digest()).decode() for each in inline]
    scripts = " ".join(["'self'", "'wasm-unsafe-eval'", *(f"'sha256-{each}'" for each in hashes)])
    style = "'self' 'unsafe-inline'" if hashes else "'self'"
    policy = (
        f"default-src 'none'; script-src {scripts}; worker-src 'self' blob:; style-src {style}; "
        "img-src 'self' data: blob:; media-src 'self' blob: mediastream:; font-src 'self'; "
        f"connect-src 'self' blob: {scheme}://{host}; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    allowed = [f"{each}=(self)" for each in _MAY] + [f"{each}=()" for each in _MAY_NOT]
    return {
        **static_files.security_headers(host),
        "Content-Security-Policy": policy,
        # Nothing of other sites is here; whoever says so is given clocks of 5 µs instead of 100.
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Permissions-Policy": ", ".join(allowed),
    }


def with_script(page: bytes, path: str) -> bytes:
    """A page with a script of ours before all of its own, which must not have begun by then."""
    script = f'<script src="{path}"></script>'.encode()
    begins = _HEAD.search(page) or _DOCTYPE.match(page)
    at = begins.end() if begins is not None else 0
    return page[:at] + script + page[at:]


def inline_scripts(page: bytes) -> tuple[bytes, ...]:
    """The scripts that stand in a page's own text."""
    return tuple(each for each in _INLINE.findall(page) if each.strip())
