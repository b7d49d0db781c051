"""Trees as py_trees draws them: the same on every terminal, whatever is in the words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pydot
import pytest

from framework.errors import PilothouseError
from framework.plan import AllOf, Alongside, Do, Elapsed, If, Parallel, Sequence, State, Until, Wait, While
from framework.tree import NodeState, TreeView
from framework.tree.picture import dot_picture, drawn_picture, text_picture
from tests.framework.tree.graphs import graph
from tests.framework.tree.play import OPEN, STAYS, A, B, C, Play, scene
from tests.framework.tree.scripted import Facts

NASTY = 'say "hi: there"; x -> y\n{} [a] <b> \\ "" 你好 é :1 strict digraph'

#: pydot's parser (not its writer, which is all that we use) calls names that pyparsing has given up.
_parses_dot = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")


def parsed(dot: str) -> pydot.Dot:
    """The only graph in a text in the dot language."""
    graphs = pydot.graph_from_dot_data(dot)
    assert graphs is not None
    (only,) = graphs
    return only


def leaf(words: str, number: int = 1, state: NodeState = NodeState.RUNNING) -> TreeView:
    return TreeView(f"1.{number}", "do", words, state, "it's busy: 50 %", 0.0)


@scene
async def test_the_text_picture_shows_kinds_states_and_details() -> None:
    until = Until(STAYS, AllOf((OPEN, Elapsed(5.0))))
    plan = Sequence((A, Parallel((until, If(State("late"), B))), Alongside(A, C)))
    play = Play(plan, facts=Facts(open=False, late=True))
    await play.settle()
    await play.after(play.of("a").succeed)
    await play.after(play.of("stays").ready)
    assert text_picture(play.tree.view()).splitlines() == [
        "{-} sequence [*] -- running",
        "    --> a [✓] -- succeeded",
        "    /_/ parallel [*] -- running",
        "        -^- until door is open and 5 s have passed [*] -- ready",
        "            --> stays [*] -- ready: stays is ready",
        "        {o} if late is so [*] -- running: late is so",
        "            --> b [*] -- running: b runs",
        "    /_/ alongside [-] -- idle",
        "        --> a [-] -- idle",
        "        --> c [-] -- idle",
    ]
    play.tree.stop("enough")
    await play.task


@_parses_dot
@scene
async def test_every_kind_of_node_can_be_drawn() -> None:
    plan = Parallel((While(A, OPEN), Wait(OPEN), graph("- a", "a b", "b -"), Do("c")))
    play = Play(plan, facts=Facts(open=True))
    await play.settle()
    text, dot = text_picture(play.tree.view()), dot_picture(play.tree.view())
    assert "/_/ graph [*] -- running" in text
    assert "--> a: a [*] -- running: a runs" in text
    assert len(parsed(dot).get_edges()) == len(list(play.tree._root.walk())) - 1
    play.tree.stop("enough")
    await play.task


def test_drawing_changes_nothing_and_is_the_same_each_time() -> None:
    view = TreeView("1.3", "parallel", "both", NodeState.RUNNING, "", 0.0, (leaf("x"), leaf("x", 2)))
    assert text_picture(view) == text_picture(view)
    assert dot_picture(view) == dot_picture(view)


@_parses_dot
@pytest.mark.parametrize("words", [NASTY, "", " ", "graph", "node", "a*", "<b>bold</b>", "a\\", "x" * 5000])
def test_whatever_the_words_are_the_picture_can_be_read_again(words: str) -> None:
    view = TreeView("1.3", "sequence", words, NodeState.RUNNING, words, 0.0, (leaf(words), leaf(words, 2)))
    assert len(text_picture(view).splitlines()) == 3
    drawn = parsed(dot_picture(view))
    names = {node.get_name() for node in drawn.get_nodes()} - {"graph", "node", "edge"}
    ends = {end for edge in drawn.get_edges() for end in (edge.get_source(), edge.get_destination())}
    assert len(drawn.get_edges()) == 2
    assert ends == names
    assert len(names) == 3


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
def test_no_terminal_brings_colours_in(terminal: str) -> None:
    script = (
        "from framework.tree.view import *; from framework.tree.picture import text_picture;"
        "print(ascii(text_picture(TreeView('1.1', 'do', 'a', NodeState.SUCCEEDED, '', 0.0))))"
    )
    environment = {**os.environ, "TERM": terminal, "PYTHONPATH": str(Path(__file__).parents[3])}
    said = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == repr("--> a [\u2713] -- succeeded\n").replace("\u2713", "\\u2713")


def test_without_graphviz_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PilothouseError, match="install Graphviz"):
        drawn_picture(leaf("a"))


def test_a_form_that_there_is_not_is_named() -> None:
    with pytest.raises(PilothouseError, match="'svg' or 'png'"):
        drawn_picture(leaf("a"), "gif")


def program(folder: Path, text: str) -> str:
    """A `dot` of the test's own."""
    script = folder / "dot"
    script.write_text(f"#!{sys.executable}\n{text}\n")
    script.chmod(0o755)
    return str(folder)


def test_graphviz_is_given_the_dot_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = program(tmp_path, "import sys\nprint(sys.argv[1:], sys.stdin.read())")
    monkeypatch.setenv("PATH", path)
    drawn = drawn_picture(leaf(NASTY), "png").decode()
    assert drawn.startswith("['-Tpng'] digraph")
    assert drawn.strip().endswith(dot_picture(leaf(NASTY)).strip().splitlines()[-1])


@pytest.mark.parametrize("text", ["import sys\nsys.exit('syntax error in line 1')", "import os\nos.abort()"])
def test_what_graphviz_does_not_like_is_said(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", program(tmp_path, text))
    with pytest.raises(PilothouseError, match="could not draw the tree"):
        drawn_picture(leaf("a"))
