"""Mutants that nobody thought of: one small change to one place, drawn by lot with a fixed seed.

The catalogue's mutants were written by people who know the code; these were not. They judge the histories
that a campaign plays beside its story (`python -m tests.mutants --drawn SEED --histories N`): as many of each
area as its share says, half of them *shown*, to learn from, the other half *held back*. `drawn.py` says which
of them nobody outside could notice, and why.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.mutants.areas import ROOT

#: Of which files they are drawn, and how many for each half. Of what processes are made of, only what
#: decides; what speaks with the kernel is tried with real ones.
SHARES: Final[dict[str, tuple[tuple[str, ...], int]]] = {
    "registrar": (("framework/registrar/*.py",), 14),
    "tree": (("framework/tree/*.py",), 7),
    "processes": (
        tuple(
            f"framework/processes/{name}.py"
            for name in ("watchdog", "backoff", "escalation", "supervise", "adoption", "emergency")
        ),
        6,
    ),
    "supervisor": (("framework/supervisor/*.py",), 7),
    "interlock": (("framework/interlock.py", "framework/keepers.py"), 3),
    "state": (("framework/state.py",), 3),
}

_SWAPPED: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}

#: Functions that only write down how something looks to whoever debugs it.
_UNHEARD: Final = ("__repr__", "__str__", "__hash__")


class Change(NamedTuple):
    """One change. start, end: which part of the text it replaces, in characters."""

    file: str
    function: str
    operator: str
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """By what is changed, not by its line: it stays when lines are added above."""
        module = self.file.removeprefix("framework/").removesuffix(".py").replace("/", ".")
        digest = hashlib.sha256(f"{self.operator} {self.before} {self.after}".encode()).hexdigest()[:4]
        return f"{module}:{self.function}:{self.operator}:{digest}"

    def unique(self, text: str) -> tuple[str, str]:
        """What stands there and what is to stand there, with as many lines around as make it occur once."""
        start = text.rfind("\n", 0, self.start) + 1
        end = text.find("\n", self.end)
        while text.count(text[start:end]) != 1:
            start = text.rfind("\n", 0, start - 1) + 1
            end = max(text.find("\n", end + 1), end)
        return text[start:end], text[start : self.start] + self.after + text[self.end : end]


def drawn(seed: int, half: int) -> list[Change]:
    """As many of each area as its share says: 0 the shown ones, 1 those held back, with lots of their own.

    None that is near the first lots is held back: those may have been shown before the code changed a little.
    """
    found: list[Change] = []
    for area, (_, share) in SHARES.items():
        first = in_order(area, seed)
        if half == 0:
            found += first[: 2 * share : 2]
        else:
            near = {change.name for change in first[: 3 * share]}
            found += [change for change in in_order(area, seed + 1) if change.name not in near][:share]
    return found


def in_order(area: str, seed: int) -> list[Change]:
    """All changes to an area, each once, in the order of their lots."""
    found = {
        change.name: change
        for pattern in SHARES[area][0]
        for path in sorted(ROOT.glob(pattern))
        if path.name != "__init__.py"
        for change in changes(path)
    }
    return [found[name] for name in sorted(found, key=lambda name: _lot(f"{seed} {name}"))]


def _lot(words: str) -> bytes:
    return hashlib.sha256(words.encode()).digest()


def changes(path: Path) -> list[Change]:
    """All changes to a file."""
    text = path.read_text(encoding="utf-8")
    return list(_Changes(str(path.relative_to(ROOT)), text).of(ast.parse(text), ()))


class _Changes:
    """Walks through a file's functions."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text
        self._lines = [0]
        for line in text.encode().split(b"\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def of(self, node: ast.AST, inside: tuple[str, ...]) -> Iterator[Change]:
        """Changes to what is in this node, function by function."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield from self.of(child, (*inside, child.name))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if child.name not in _UNHEARD:
                    body = ast.Module(child.body, [])
                    yield from self._in_function(body, ".".join((*inside, child.name)))
            elif not inside:
                yield from self.of(child, inside)

    def _in_function(self, body: ast.Module, function: str) -> Iterator[Change]:
        for node in ast.walk(body):
            for operator, place, after in self._at(node):
                start, end = self._place(place)
                before = self._text[start:end]
                if before != after:
                    yield Change(self._file, function, operator, start, end, before, after)

    def _at(self, node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
        """What can be changed at one node: the operator's name, which part, and what it becomes."""
        match node:
            case ast.Compare(left, [operator], [right]):
                yield (
                    "compare",
                    node,
                    f"{self._source(left)} {_SWAPPED[type(operator)]} {self._source(right)}",
                )
            case ast.If(test) | ast.While(test) | ast.IfExp(test) if not isinstance(test, ast.Compare):
                yield "negate", test, f"(not ({self._source(test)}))"
            case ast.BoolOp(operator, [first, *rest]):
                word = " or " if isinstance(operator, ast.And) else " and "
                yield "join", node, f"({word.join(f'({self._source(each)})' for each in (first, *rest))})"
            case ast.Expr(ast.Call()) | ast.Expr(ast.Await(ast.Call())):
                yield "drop", node, "pass"
            case ast.AugAssign():
                yield "drop", node, "pass"
            case ast.Assign([ast.Attribute() | ast.Subscript()]) | ast.Delete():
                yield "drop", node, "pass"
            case ast.Continue() | ast.Break() | ast.Return(None):
                yield "drop", node, "pass"
            case ast.Constant(bool() as value):
                yield "constant", node, str(not value)
            case ast.Constant(int() as number):
                yield "off by one", node, str(number + 1)
            case ast.Call(
                _, [ast.Name() | ast.Attribute() as one, ast.Name() | ast.Attribute() as other], []
            ):
                start, end = self._place(one)[0], self._place(other)[1]
                between = self._text[self._place(one)[1] : self._place(other)[0]]
                swapped = f"{self._source(other)}{between}{self._source(one)}"
                call = self._place(node)
                yield "arguments", node, self._text[call[0] : start] + swapped + self._text[end : call[1]]

    def _source(self, node: ast.AST) -> str:
        start, end = self._place(node)
        return self._text[start:end]

    def _place(self, node: ast.AST) -> tuple[int, int]:
        """From which to which character."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        raw = self._text.encode()
        start = self._lines[node.lineno - 1] + node.col_offset
        end = self._lines[node.end_lineno - 1] + node.end_col_offset
        return len(raw[:start].decode()), len(raw[:end].decode())
