"""`pilothouse run` with an option that cannot be meant: refused in words, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli import run
from pilothouse.cli.main import main

ELSEWHERE = "203.0.113.9"
"""Reserved for documentation: no machine's own."""


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """What gets through all the checks would be started here."""

    async def start(*_: object) -> int:
        raise AssertionError("it was not refused")

    monkeypatch.setattr(run, "_run", start)


def refused(state: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What it says, in one line."""
    assert main(["run", "--state", str(state), "--port", "0", *options]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_folder_without_the_open_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    said = refused(tmp_path / "state", capsys, "--open-page", str(empty))
    assert f"{empty} is not the folder of the open phone page: it has no index.html" in said
    assert "pip install teleop" in said
    said = refused(tmp_path / "state", capsys, "--open-page", str(tmp_path / "nowhere"))
    assert f"there is no folder {tmp_path / 'nowhere'}" in said
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("option", ["--port", "--phone-port"])
@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_is_none(
    option: str, port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(tmp_path, capsys, option, port)
    assert f"{option} {port}" in said
    assert "65535" in said and "0 takes any free one" in said


def test_phones_at_an_address_that_is_not_this_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(tmp_path, capsys, "--phones", ELSEWHERE)
    assert ELSEWHERE in said and "port" not in said
    assert "an address of this machine" in said
    assert "an address of this machine" in refused(tmp_path, capsys, "--phones", "no host")


def test_nothing_but_turn_servers_without_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--ice" in refused(tmp_path, capsys, "--relay-only")
    servers = tmp_path / "servers.yaml"
    servers.write_text("- {urls: ['stun:192.168.0.5:3478']}\n")
    assert "turn:" in refused(tmp_path, capsys, "--relay-only", "--ice", str(servers))


@pytest.mark.parametrize(
    "url", ["stun:", "turn:host:", "turn:host:port", "turn:host?transport=sctp", "http:x"]
)
def test_a_server_whose_address_is_none(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = tmp_path / "servers.yaml"
    servers.write_text(f"- {{urls: ['{url}']}}\n")
    said = refused(tmp_path, capsys, "--phones", "--ice", str(servers))
    assert repr(url) in said and "turn:host:3478" in said


def test_a_file_of_servers_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = tmp_path / "servers.yaml"
    said = refused(tmp_path, capsys, "--phones", "--ice", str(nowhere))
    assert f"{nowhere}: --ice: this list" in said and "No such file" in said
    assert "list of STUN and TURN servers" in said and "- {urls: ['turn:" in said
    assert "without --ice" in said and "Errno" not in said


def test_a_file_of_servers_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(tmp_path, capsys, "--phones", "--ice", str(tmp_path))
    assert f"{tmp_path}: --ice: this list" in said and "Is a directory" in said
    assert "list of STUN and TURN servers" in said and "Errno" not in said


@pytest.mark.parametrize("content", ["urls: ['stun:host']", "- {urls: ", "\xff"])
def test_a_file_of_servers_that_is_none(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    servers = tmp_path / "servers.yaml"
    servers.write_bytes(content.encode("latin-1"))
    said = refused(tmp_path, capsys, "--phones", "--ice", str(servers))
    assert str(servers) in said and "list of STUN and TURN servers" in said
    assert "- {urls: ['turn:" in said


@pytest.mark.parametrize("option", ["--actions", "--drivers"])
def test_a_folder_of_plugins_that_is_not_there(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "nowhere"
    said = refused(tmp_path, capsys, option, str(tmp_path), option, str(nowhere))
    assert f"{option} {nowhere}: there is no such folder" in said
    assert f"pilothouse new {option[2:-1]}" in said


@pytest.mark.parametrize("command", [["run"], ["experiment", "show-environment"], ["scenario", "some.yaml"]])
def test_a_seed_that_is_none(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--seed", "-1"])
    assert ended.value.code == 2
    assert "argument --seed: '-1' is no seed; a seed is a whole number, 0 or more" in capsys.readouterr().err


def test_what_can_be_meant_is_started(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("<!doctype html>")
    servers = tmp_path / "servers.yaml"
    servers.write_text("- {urls: ['stun:host', 'turns:host:5349?transport=tcp']}\n")
    for options in (
        ["--open-page", str(page)],
        ["--phones", "127.0.0.1"],
        ["--phones=localhost"],
        ["--phones", "0.0.0.0"],
        ["--phones"],
        ["--phone-port", "65535"],
        ["--relay-only", "--ice", str(servers)],
    ):
        with pytest.raises(AssertionError, match="it was not refused"):
            main(["run", "--state", str(tmp_path / "state"), *options])
