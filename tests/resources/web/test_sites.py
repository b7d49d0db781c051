"""Where the page is served, under which names, and with which rights. Nothing is sent."""

from __future__ import annotations

import base64
import hashlib
import ipaddress

import pytest

from framework.errors import InstallationError
from resources.operator.page_headers import inline_scripts, page_headers
from resources.web.addresses import Addresses, is_host_name, this_machine
from resources.web.admission import Admission
from resources.web.sites import bracketed, certified_names, sites_for

HERE = Addresses("192.168.0.7", ("192.168.0.7", "10.1.0.2", "fd00::7"), ("robot", "robot.local"))
NOWHERE = Addresses("", (), ("robot", "robot.local"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.5"])
def test_loopback_is_plain_http_and_alone(host: str) -> None:
    (site,) = sites_for(host, (), NOWHERE)
    assert (site.host, site.is_secure) == (host, False)


def test_the_local_network_is_https_with_the_desk_on_loopback() -> None:
    desk, network = sites_for("lan", ("arm.example",), HERE)
    assert desk.address(8301) == "http://127.0.0.1:8301/"
    assert network.address(8301) == "https://192.168.0.7:8301/"
    assert certified_names(network) == (
        "192.168.0.7",
        "robot",
        "robot.local",
        "arm.example",
        "localhost",
        "127.0.0.1",
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_all_addresses_are_https_and_shown_by_the_one_that_others_see(host: str) -> None:
    (site,) = sites_for(host, (), HERE)
    assert site.is_secure
    assert site.host == host
    assert site.address(1) == "https://192.168.0.7:1/"
    assert {"10.1.0.2", "fd00::7", "127.0.0.1"} <= set(certified_names(site))


def test_an_address_of_version_6_stands_in_brackets() -> None:
    _, site = sites_for("[fd00::7]", (), HERE)
    assert site.host == "fd00::7"
    assert site.address(8301) == "https://[fd00::7]:8301/"
    assert bracketed("robot.local") == "robot.local"


@pytest.mark.parametrize("host", ["lan", "0.0.0.0"])
def test_a_machine_on_no_network_says_so(host: str) -> None:
    with pytest.raises(InstallationError, match="no address on a network"):
        sites_for(host, (), NOWHERE)


@pytest.mark.parametrize("name", ["", "a b", "evil.example:80", "x" * 64, "häuser.de", "a..b", "<script>"])
def test_what_is_no_host_name_is_refused(name: str) -> None:
    assert not is_host_name(name)
    with pytest.raises(InstallationError, match="is no host name"):
        sites_for("lan", (name,), HERE)


def test_this_machine_s_addresses_are_neither_loopback_nor_link_local() -> None:
    here = this_machine()
    for each in here.all:
        address = ipaddress.ip_address(each)
        assert not address.is_loopback and not address.is_link_local
    assert here.lan in here.all or here.lan == ""
    assert all(is_host_name(name) for name in here.names)


def test_a_foreign_name_is_not_known_over_either_way() -> None:
    for site in sites_for("lan", (), HERE):
        scheme = "https" if site.is_secure else "http"
        known = Admission(site.host, 8301, names=site.names, scheme=scheme)
        assert known.knows_host({"Host": f"{site.shown}:8301"})
        assert known.is_own_page({"Origin": f"{scheme}://{site.shown}:8301"})
        assert not known.knows_host({"Host": "evil.example:8301"})
        assert not known.is_own_page(
            {"Origin": f"{'http' if site.is_secure else 'https'}://{site.shown}:8301"}
        )


# ---------------------------------------------------------------- headers


def test_pages_may_use_the_device_s_senses_and_no_other_site_may() -> None:
    headers = page_headers("192.168.0.7:8301", is_secure=True)
    # Both, and browsers give the page, and the thread that hears its states, clocks of 5 µs.
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    for sense in ("xr-spatial-tracking", "camera", "microphone", "gamepad", "hid"):
        assert f"{sense}=(self)" in headers["Permissions-Policy"]
    assert "geolocation=()" in headers["Permissions-Policy"]
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "wss://192.168.0.7:8301" in policy and "'wasm-unsafe-eval'" in policy
    assert "unsafe-inline" not in policy and "'unsafe-eval'" not in policy


def test_scripts_inside_a_page_are_allowed_by_their_content_alone() -> None:
    page = b"<html><script src='a.js'></script><script>let a = 1;</script></html>"
    scripts = inline_scripts(page)
    assert scripts == (b"let a = 1;",)
    hashed = base64.b64encode(hashlib.sha256(scripts[0]).digest()).decode()
    policy = page_headers("x:1", is_secure=False, inline=scripts)["Content-Security-Policy"]
    assert f"'sha256-{hashed}'" in policy
    assert "script-src 'self' 'unsafe-inline'" not in policy
