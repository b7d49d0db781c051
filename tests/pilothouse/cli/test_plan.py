"""Plans at the command line: files run, checked and saved; running plans shown, drawn, paused and changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.plan import Do, Sequence, to_json
from framework.plan.umrf import from_umrf, to_umrf
from pilothouse.cli.main import main
from tests.pilothouse.cli.serving import Scripted, scripted
from tests.resources.console.scripted import PAUSED_TREE, TREE

PLAN = Sequence((Do("show", {"what": "camera"}), Do("track", {"thing": "hand"})))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripted]:
    with scripted(tmp_path_factory.mktemp("state")) as installation:
        yield installation


@pytest.fixture
def here(served: Scripted) -> Scripted:
    served.backend.trees_ = PAUSED_TREE
    served.backend.asked.clear()
    return served


# ---------------------------------------------------------------- files


def test_a_file_is_run_and_followed(here: Scripted, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(to_umrf(PLAN, name="both"))
    ran = here("plan", "run", str(file))
    assert "I start the file's plan." in ran.stdout, ran.stderr
    (asked,) = here.backend.asked
    who, _, content = asked.partition(": run ")
    assert who == "command line"
    assert from_umrf(content) == PLAN
    assert len(content) < file.stat().st_size, "without its spaces, because large graphs are mostly those"


def test_a_plan_comes_in_through_a_pipe(here: Scripted) -> None:
    ran = here("plan", "run", "-", stdin='{"graph_name": "x"}')
    assert here.backend.asked == ['command line: run {"graph_name": "x"}'], ran.stderr


def test_all_that_is_wrong_with_a_file_is_said_at_once(here: Scripted, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"nothing": 1}')
    refused = here("plan", "run", str(file))
    assert refused.returncode == 1
    assert {"there is no graph_name", "there are no actions"} <= set(refused.stderr.splitlines())
    assert here.backend.asked == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"kind":"do"}']
)
def test_nonsense_is_refused_in_words(here: Scripted, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    for command in ("run", "check"):
        refused = here("plan", command, str(file))
        assert refused.returncode == 1, refused.stderr
        assert refused.stderr.strip()
        assert "Traceback" not in refused.stderr
    assert here.backend.asked == []


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_file_that_cannot_be_read_is_named(here: Scripted, tmp_path: Path, command: str) -> None:
    refused = here("plan", command, str(tmp_path / "absent.json"))
    assert refused.returncode == 2
    assert "absent.json cannot be read: No such file" in refused.stderr


def test_a_file_is_checked_without_an_installation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(to_json(PLAN))
    bad.write_bytes(to_umrf(Sequence((Do("fly", {}), Do("track", {"thign": "hand"})))))
    assert main(["plan", "check", str(good), "--state", str(tmp_path)]) == 0
    assert "track" in capsys.readouterr().out
    assert main(["plan", "check", str(bad), "--state", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "fly" in said
    assert "thign" in said


def test_a_plan_is_saved_in_either_form(here: Scripted, tmp_path: Path) -> None:
    for form in ("umrf", "plan"):
        file = tmp_path / f"saved.{form}"
        saved = here("plan", "save", "p2", str(file), "--form", form)
        assert saved.returncode == 0, saved.stderr
        assert json.loads(file.read_text())["graph_name"].startswith("show the scan")
    printed = here("plan", "save", "p2", "-")
    assert json.loads(printed.stdout)["graph_name"].startswith("show the scan")
    nowhere = here("plan", "save", "p2", str(tmp_path / "no" / "folder"))
    assert nowhere.returncode == 2
    assert "cannot be written" in nowhere.stderr


# ---------------------------------------------------------------- running plans


def test_a_plan_is_shown_with_the_names_of_its_nodes(here: Scripted) -> None:
    shown = here("plan", "show", "p2")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == (
        "plan p2: show the scan, then track the hand, then show the camera [paused, console page 1]"
    )
    assert lines[1].split() == ["p2.1", "‖", "sequence", "[paused]"]
    assert lines[2].endswith("‖ show the scan [paused 50 %]: showing front_lidar")
    assert lines[3].split() == ["p2.3", "·", "track", "the", "hand", "[idle]"]
    data = json.loads(here("plan", "show", "p2", "--json").stdout)
    assert data["tree"]["children"][1]["id"] == "p2.3"


@pytest.mark.parametrize("ending", ["txt", "dot", "svg", "png"])
def test_a_plan_is_drawn(here: Scripted, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"tree.{ending}"
    drawn = here("plan", "show", "p2", "--picture", str(file))
    if ending in ("svg", "png") and not shutil.which("dot"):
        assert drawn.returncode == 1
        assert "Graphviz" in drawn.stderr
        return
    assert drawn.returncode == 0, drawn.stderr
    if ending == "png":
        assert file.read_bytes().startswith(b"\x89PNG")
    else:
        assert "track the hand" in file.read_text()


def test_a_picture_that_cannot_be_drawn_is_refused(here: Scripted, tmp_path: Path) -> None:
    refused = here("plan", "show", "p2", "--picture", str(tmp_path / "tree.mp4"))
    assert refused.returncode == 1
    assert ".svg" in refused.stderr


def test_a_plan_is_paused_resumed_and_stopped(here: Scripted) -> None:
    for order in ("pause", "resume", "stop"):
        assert here("plan", order, "p2", "--who", "ann").returncode == 0
    assert here.backend.asked == ["ann: pause p2", "ann: resume p2", "ann: stop p2"]


def test_a_paused_plan_is_changed_in_words(here: Scripted) -> None:
    for words in (
        ["insert", "p2", "--after", "p2.3", "track the red cup"],
        ["insert", "p2", "--before", "p2.3", "show", "the", "scan"],
        ["insert", "p2", "--into", "p2.1", "track the hand"],
        ["remove", "p2", "p2.3"],
        ["replace", "p2", "p2.4", "show the environment"],
    ):
        changed = here("plan", *words)
        assert changed.returncode == 0, changed.stderr
    assert [asked.removeprefix("command line: change p2 ") for asked in here.backend.asked] == [
        "after p2.3 track the red cup",
        "before p2.3 show the scan",
        "into p2.1 track the hand",
        "remove p2.3",
        "replace p2.4 show the environment",
    ]


def test_refusals_are_in_words_and_end_with_one(here: Scripted) -> None:
    here.backend.trees_ = TREE
    for words, said in (
        (["pause", "p9"], "no plan 'p9'"),
        (["save", "p9", "-"], "no plan 'p9'"),
        (["show", "../../status"], "no plan"),
        (["remove", "p1", "p1/1"], "pause it first"),
    ):
        refused = here("plan", *words)
        assert refused.returncode == 1, (words, refused.stderr)
        assert said in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["dance"],
        ["insert", "p2", "show the scan"],
        ["insert", "p2", "--after", "a", "--before", "b", "show"],
        ["save", "p2"],
        ["save", "p2", "x", "--form", "xml"],
    ],
)
def test_wrong_use_says_what_is_right(here: Scripted, words: list[str]) -> None:
    wrong = here("plan", *words)
    assert wrong.returncode == 2
    assert "usage: pilothouse plan" in wrong.stdout + wrong.stderr
    assert here.backend.asked == []


def test_without_an_installation_it_is_said_how_to_start_one(tmp_path: Path) -> None:
    assert main(["plan", "show", "--state", str(tmp_path)]) == 2


# ---------------------------------------------------------------- what could follow


def test_what_could_follow_is_printed_and_nothing_is_told_by_the_exit_code(here: Scripted) -> None:
    found = here("complete", "show", "the", "")
    assert (found.returncode, found.stdout.split()) == (0, ["camera", "environment", "scan"])
    nothing = here("complete", "sing a")
    assert 'nothing could follow "sing a"; an instruction could begin with: ' in nothing.stderr
    after = here("complete", "track the moon now")
    assert 'after "track the" could come: hand' in after.stderr
    assert (nothing.returncode, nothing.stdout) == (1, "")
    whole = here("complete", "track the hand")
    assert (whole.returncode, whole.stdout) == (0, "hand\n")
    assert "as it stands" in whole.stderr
    as_json = here("complete", "--json", "show the c")
    assert json.loads(as_json.stdout) == {"options": ["camera"], "begun": 1, "is_whole": False}
    assert here("complete", "--shell", "sing", "a").returncode == 1
    too_long = here("complete", "x" * 3000)
    assert too_long.returncode == 1
    assert "too long to be completed" in too_long.stderr


# ---------------------------------------------------------------- the world


def test_the_world_is_changed_by_hand(here: Scripted) -> None:
    assert here("world").stdout.splitlines()[0] == "door: closed (can be open, closed)"
    opened = here("world", "open", "door")
    assert (opened.returncode, opened.stdout) == (0, "The door is open.\n")
    refused = here("world", "open", "sun")
    assert refused.returncode == 1
    assert "there is door" in refused.stdout + refused.stderr
    assert here("world", "open").returncode == 1
    assert here.backend.asked == ["command line: open door"]
