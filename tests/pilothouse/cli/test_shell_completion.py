"""Completion in real shells: bash always, zsh and fish where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pilothouse.cli.serving import Scripted, scripted
from tests.pilothouse.cli.terminal import terminal

BASH = shutil.which("bash") or ""
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripted]:
    with scripted(tmp_path_factory.mktemp("state")) as installation:
        yield installation


#: Where the script is that bash runs when it starts, as one that is installed.
SCRIPT = "PILOTHOUSE_SCRIPT"


@pytest.fixture(scope="module")
def environment(here: Scripted, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One in which `pilothouse` is a command, and finds the scripted installation."""
    programs = tmp_path_factory.mktemp("bin")
    command = programs / "pilothouse"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m pilothouse.cli.main "$@"\n'.replace(
            "-m pilothouse.cli.main",
            '-c "import sys; from pilothouse.cli.main import main; sys.exit(main())"',
        )
    )
    command.chmod(0o755)
    # The default state folder is below this one.
    base = tmp_path_factory.mktemp("base")
    (base / "pilothouse").symlink_to(here.state)
    script = programs / "completion.bash"
    script.write_bytes(subprocess.check_output([str(command), "completion", "bash"], timeout=120))
    return {
        SCRIPT: str(script),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "XDG_STATE_HOME": str(base),
        "LANG": "C.UTF-8",
    }


def replies(environment: dict[str, str], *words: str) -> list[str]:
    """What bash would offer for the last of these words."""
    script = """
        . "$PILOTHOUSE_SCRIPT"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
        _pilothouse
        ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
        exit 0
    """
    found = subprocess.run(
        [BASH, "--norc", "-c", script, "bash", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert found.stderr == ""
    return found.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pilothouse", "sa"], ["say"]),
        (["pilothouse", "compl"], ["complete", "completion"]),
        (["pilothouse", "completion", ""], ["bash", "zsh", "fish"]),
        (["pilothouse", "plan", "re"], ["resume", "remove", "replace"]),
        (["pilothouse", "plan", "save", "--fo"], ["--form"]),
        (["pilothouse", "say", "--j"], ["--json"]),
        (["pilothouse", "say", "sh"], ["show"]),
        (["pilothouse", "say", "show", "the", ""], ["camera", "environment", "scan"]),
        (["pilothouse", "say", "show", "the", "e"], ["environment"]),
        (["pilothouse", "say", "--answer", "yes", "--json", "show", "the", "e"], ["environment"]),
        (["pilothouse", "say", '"show the e'], ["show the environment"]),
        (["pilothouse", "say", "'show the e"], ["show the environment"]),
        (["pilothouse", "say", "show", '"the e'], ["the environment"]),
        (["pilothouse", "say", "sing", "a"], []),
        (["pilothouse", "complete", "tr"], ["track"]),
        (["pilothouse", "plan", "insert", "3", "--after", "3.2", "track", "the", ""], ["hand", "red"]),
        (["pilothouse", "plan", "replace", "3", "3.2", "w"], ["what"]),
        (["pilothouse", "nonsense", "x"], []),
    ],
)
def test_bash_offers(environment: dict[str, str], words: list[str], offered: list[str]) -> None:
    assert replies(environment, *words) == offered


def test_bash_asks_the_installation_that_was_named(environment: dict[str, str], tmp_path: Path) -> None:
    with scripted(tmp_path) as other:
        assert replies(environment, "pilothouse", "say", "--state", str(tmp_path), "tr") == ["track"]
        assert other.backend.completed == ["tr"]


def test_what_a_shell_would_misread_is_escaped(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.resources.console.scripted.SENTENCES", ("don't $(rm) `x` now",))
    assert replies(environment, "pilothouse", "say", "") == ["don\\'t"]
    assert replies(environment, "pilothouse", "say", "don\\'t", "") == ["\\$\\(rm\\)"]
    assert replies(environment, "pilothouse", "say", "\"don't ") == ["don't $(rm)"]


def test_keys_at_a_real_bash(environment: dict[str, str], here: Scripted) -> None:
    with terminal([BASH, "--norc", "-i"], environment) as shell:
        shell.press('PS1="ready> "; eval "$(pilothouse completion bash)"\n')
        shell.until("ready> ")
        shell.until("ready> ")
        for keys in ("pilothouse sa\tsh\tthe\tenv\t\n", 'pilothouse say "track the h\t\n'):
            shell.press(keys)
            shell.until("refused")
            shell.until("ready> ")
    who, _, first = here.backend.asked[-2].partition(": say ")
    assert who.startswith("command line (pts/")
    assert (first, here.backend.asked[-1]) == ("show the environment", f"{who}: say track the hand")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_keys_at_a_real_zsh(environment: dict[str, str], here: Scripted) -> None:
    zsh = shutil.which("zsh") or ""
    with terminal([zsh, "-f", "-i"], environment) as shell:
        shell.press(
            'PS1="ready> "; autoload -Uz compinit; compinit -u; eval "$(pilothouse completion zsh)"\n'
        )
        shell.until("ready> ")
        shell.until("ready> ")
        for keys in ("pilothouse sa\tsh\tthe env\t\n", 'pilothouse say "track the h\t\n'):
            shell.press(keys)
            shell.until("refused")
            shell.until("ready> ")
    said = [asked.partition("say ")[2] for asked in here.backend.asked[-2:]]
    assert said == ["show the environment", "track the hand"]


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pilothouse sa", ["say"]),
        ("pilothouse plan rem", ["remove"]),
        ("pilothouse say show the ", ["camera", "environment", "scan"]),
        ('pilothouse say "show the e', ["show the environment"]),
        ("pilothouse plan insert 3 --after 3.2 tr", ["track"]),
    ],
)
def test_fish_offers(environment: dict[str, str], line: str, offered: list[str]) -> None:
    fish = shutil.which("fish") or ""
    found = subprocess.run(
        [fish, "--no-config", "-c", "pilothouse completion fish | source; complete -C $argv[1]", line],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert [each.partition("\t")[0] for each in found.stdout.splitlines()] == offered
