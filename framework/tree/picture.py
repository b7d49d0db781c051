"""A running tree as py_trees draws trees: text, dot, and a picture file where Graphviz is installed.

Drawn from a view, not from the live tree: so the command line can draw the tree of a plan that runs in
another process, and drawing can never disturb one. The small text picture of the console is in `view.py`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Composite, Parallel, Selector, Sequence
from py_trees.decorators import Decorator
from py_trees.display import dot_tree, unicode_tree

from framework.errors import PilothouseError
from framework.tree.view import NodeState, TreeView, sign, state_words

_STATUS = {
    NodeState.IDLE: Status.INVALID,
    NodeState.SKIPPED: Status.INVALID,
    NodeState.CANCELLED: Status.INVALID,
    NodeState.SUCCEEDED: Status.SUCCESS,
    NodeState.FAILED: Status.FAILURE,
}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_NOT_IN_DOT = str.maketrans({":": "\N{RATIO}", '"': "'", "\\": "/"})
_DRAW_LIMIT_S = 20.0


class _Leaf(Behaviour):
    """Stands for a node without children."""

    def update(self) -> Status:
        """Never ticked."""
        return self.status


class _Guard(Decorator):
    """Stands for a body under a condition."""

    def update(self) -> Status:
        """Never ticked."""
        return self.status


def behaviours(view: TreeView, *, unique_names: bool = False) -> Behaviour:
    """The tree in py_trees' own classes, at rest, with the states of the view; only to be drawn.

    Sequences are Sequence, branches and graphs Parallel, choices Selector, while and until a Decorator.
    unique_names: put the node's id in front of its name, as dot needs it.
    """
    name = " ".join(view.words.split()) if not view.children else _label(view)
    if view.name:
        name = f"{view.name}: {name}"
    if unique_names:  # pydot takes what follows a colon for a port, and is not sure of the other two
        name = f"{view.id} {sign(view.state)} {name}".translate(_NOT_IN_DOT)
    node = _behaviour(view, name, unique_names)
    node.status = _STATUS.get(view.state, Status.RUNNING)
    node.feedback_message = ": ".join(
        filter(None, (state_words(view.state, view.fraction), " ".join(view.detail.split())))
    )
    return node


def text_picture(view: TreeView) -> str:
    """py_trees' unicode tree with state and detail of each node; no colours: the same on every terminal."""
    return _COLOURS.sub("", unicode_tree(behaviours(view), show_status=True))


def dot_picture(view: TreeView) -> str:
    """The tree in the dot language, coloured by py_trees according to the kinds of the nodes."""
    return str(dot_tree(behaviours(view, unique_names=True)).to_string())


def drawn_picture(view: TreeView, form: str = "svg") -> bytes:
    """The tree as a picture file: "svg" or "png".

    Raises PilothouseError if Graphviz is not installed, or cannot draw it.
    """
    if form not in ("svg", "png"):
        raise PilothouseError(f"A tree cannot be drawn as {form!r}; it can be as 'svg' or 'png'.")
    program = shutil.which("dot")
    if program is None:
        raise PilothouseError(
            f"To draw a tree as {form}, the program `dot` is needed: install Graphviz "
            "(on Debian and Ubuntu: apt install graphviz). Text and dot pictures work without it."
        )
    try:
        drawn = subprocess.run(
            [program, f"-T{form}"],
            input=dot_picture(view).encode(),
            capture_output=True,
            timeout=_DRAW_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PilothouseError(f"`dot` could not draw the tree: {error}") from error
    if drawn.returncode != 0:
        said = drawn.stderr.decode(errors="replace").strip()
        raise PilothouseError(f"`dot` could not draw the tree: {said}")
    return drawn.stdout


def _behaviour(view: TreeView, name: str, unique_names: bool) -> Behaviour:
    children = list(_children(view, unique_names))
    composite: Composite
    match view.kind:
        case "while" | "until" if len(children) == 1:
            return _Guard(name, children[0])
        case "sequence":
            composite = Sequence(name, memory=True)
        case "if":
            composite = Selector(name, memory=True)
        case _ if children:
            composite = Parallel(name, policy=ParallelPolicy.SuccessOnAll(synchronise=False))
        case _:
            return _Leaf(name)
    composite.add_children(children)
    return composite


def _children(view: TreeView, unique_names: bool) -> Iterator[Behaviour]:
    for child in view.children:
        yield behaviours(child, unique_names=unique_names)


def _label(view: TreeView) -> str:
    """A join is called by its kind: its words are those of everything below it."""
    return f"{view.kind} {view.condition}".strip()
