"""Plans in one line, as people write down what they expect: `drive(distance_m=0.5); home() & say(text=hi)`.

    action(parameter=value, …)     an action; parameters that are left out do not count
    A; B          A & B            one after the other; at the same time
    if(C){A}else{B}    wait(C)     until(C){A}    while(C){A}
    (A; B) & C                     groups

Of conditions only their place counts, not their words. A value is a number, "slow", "fast", "low" or "half"
(below or above the default), or words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from framework.dialogue.spelling import words_of
from framework.errors import DescriptionError
from framework.plan import ast
from framework.plan.again import repeated
from framework.plan.ast import Plan

Tree = tuple[object, ...]
"""("do", name, values), ("seq", …), ("par", …), ("if", then, otherwise), ("wait",), ("until", body)."""

Defaults = Callable[[str], Mapping[str, object]]
"""The values of an action's parameters where they are not given."""

#: What these people call things of the simulated room: the same thing under another name is no other plan.
CALLED: Final = {
    "cabinet": "control cabinet",
    "barrel": "drum",
    "blue barrel": "drum",
    "gas bottles": "gas cylinders",
    "gauges": "gauge",
    "green pipe": "pipe",
    "marker board": "target",
}

#: A number may differ from the expected one by this share of it.
_TOLERANCE: Final = 0.02
_BELOW: Final = frozenset(("slow", "low", "half", "gentle"))
_ABOVE: Final = frozenset(("fast", "high"))
_TOKEN: Final = re.compile(r"\s*(\"[^\"]*\"|[(){}=,;&]|[^\s(){}=,;&\"][^(){}=,;&\"]*)")
_BOTH: Final = ("left", "right")
NOTHING: Final[Tree] = ("seq",)


def parsed(text: str) -> Tree:
    """What a line says. Raises DescriptionError."""
    tokens = [each.strip() for each in _TOKEN.findall(text)]
    parser = _Parser(tokens, text)
    found = parser.sequence()
    if parser.at < len(tokens):
        raise DescriptionError(f"{text!r}: {tokens[parser.at]!r} is too much")
    return found


def of_plan(plan: Plan) -> Tree:
    """A plan as such a tree; "it" is the thing that the same plan names before it."""
    return _resolved(_of_plan(plan), [])


def _resolved(tree: Tree, named: list[object]) -> Tree:
    if tree[0] != "do":
        return (tree[0], *(_resolved(each, named) if isinstance(each, tuple) else each for each in tree[1:]))
    values = tree[2]
    assert isinstance(values, dict)
    known = {key: named[-1] if _is_it(value) and named else value for key, value in values.items()}
    named += [value for key, value in known.items() if key == "thing" and isinstance(value, str)]
    return ("do", tree[1], known)


def _is_it(value: object) -> bool:
    return isinstance(value, ast.Reference) and not value.is_pointing


def _of_plan(plan: Plan) -> Tree:
    match plan:
        case ast.Do():
            return ("do", plan.action, dict(plan.parameters))
        case ast.Sequence():
            return _joined("seq", [_of_plan(each) for each in plan.steps])
        case ast.Parallel():
            return _joined("par", [_of_plan(each) for each in plan.branches])
        case ast.Alongside():
            return _joined("par", [_of_plan(plan.body), _of_plan(plan.companion)])
        case ast.Until() | ast.While():
            return ("until", _of_plan(plan.body))
        case ast.If():
            return (
                "if",
                _of_plan(plan.then),
                NOTHING if plan.otherwise is None else _of_plan(plan.otherwise),
            )
        case ast.Wait(condition=ast.Elapsed(duration_s=duration_s)):
            return ("do", "wait", {"duration_s": duration_s})
        case ast.Wait():
            return ("wait",)
        case ast.Graph() if (round_ := repeated(plan)) is not None:
            return _of_plan(round_)
        case ast.Cancel():
            return ("do", "stop", {"what": plan.what})
    return ("other", type(plan).__name__)


def written(plan: Plan) -> str:
    """A plan in this notation, for people."""
    return _line(of_plan(plan))


def _line(tree: Tree) -> str:
    kind, *inner = tree
    if kind == "do":
        name, values = inner
        assert isinstance(values, dict)
        return f"{name}({', '.join(f'{key}={value}' for key, value in values.items())})"
    parts = [_line(each) for each in inner if isinstance(each, tuple)]
    match kind:
        case "seq":
            return "; ".join(parts)
        case "par":
            return f"({' & '.join(parts)})"
        case "if":
            return f"if(…){{{parts[0]}}}else{{{parts[1]}}}"
        case "until":
            return f"until(…){{{parts[0]}}}"
    return f"{kind}(…)"


def fits(wanted: Tree, found: Tree, defaults: Defaults) -> bool:
    """Whether a plan is the expected one."""
    wanted, found = _spread(wanted), _spread(found)
    if wanted[0] != found[0]:
        return False
    if wanted[0] == "do":
        return wanted[1] == found[1] and _values_fit(wanted[2], found[2], defaults(str(wanted[1])))
    mine, theirs = [*wanted[1:]], [*found[1:]]
    if len(mine) != len(theirs):
        return False
    if wanted[0] != "par":
        return all(fits(one, other, defaults) for one, other in zip(mine, theirs, strict=True))  # type: ignore[arg-type]
    for one in mine:
        other = next((each for each in theirs if fits(one, each, defaults)), None)  # type: ignore[arg-type]
        if other is None:
            return False
        theirs.remove(other)
    return True


def _spread(tree: Tree) -> Tree:
    """An action of both sides as two at the same time."""
    if tree[0] == "do" and isinstance(tree[2], dict) and tree[2].get("side") == "both":
        return ("par", *(("do", tree[1], {**tree[2], "side": side}) for side in _BOTH))
    if tree[0] == "do" and tree[1] == "home" and not tree[2]:
        return _spread(("do", "home", {"side": "both"}))
    return tree


def _values_fit(wanted: object, found: object, defaults: Mapping[str, object]) -> bool:
    assert isinstance(wanted, dict)
    assert isinstance(found, dict)
    return all(
        _fits(value, found.get(name, defaults.get(name)), defaults.get(name))
        for name, value in wanted.items()
    )


def _fits(wanted: object, found: object, default: object) -> bool:
    if isinstance(found, bool) or found is None:
        return str(wanted).casefold() in (str(found).casefold(), "")
    if isinstance(found, int | float):
        if wanted in _BELOW | _ABOVE:
            if not isinstance(default, int | float) or default == 0:
                return found > 0  # there is nothing to compare with (0: all the way): it is said at all
            return found < default if wanted in _BELOW else found > default
        try:
            number = float(str(wanted))
        except ValueError:
            return False
        return abs(number - found) <= _TOLERANCE * max(abs(number), 1e-3)
    names = (str(wanted), CALLED.get(str(wanted).casefold(), str(wanted)))
    return any(words_of(name) == words_of(str(found)) for name in names)


class _Parser:
    def __init__(self, tokens: Sequence[str], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self.at = 0

    def sequence(self) -> Tree:
        parts = [self._parallel()]
        while self._takes(";"):
            parts.append(self._parallel())
        return _joined("seq", parts)

    def _parallel(self) -> Tree:
        parts = [self._one()]
        while self._takes("&"):
            parts.append(self._one())
        return _joined("par", parts)

    def _one(self) -> Tree:
        if self._takes("("):
            found = self.sequence()
            self._wants(")")
            return found
        name = self._next()
        self._wants("(")
        if name in ("if", "wait", "until", "while"):
            first = self._tokens[self.at : self.at + 2]
            if name == "wait" and first[1:] == ["="]:
                return ("do", name, self._values())
            seconds = self._condition()
            if name == "wait":
                return ("wait",) if seconds is None else ("do", "wait", {"duration_s": seconds})
            body = self._body()
            if name != "if":
                return ("until", body)
            return ("if", body, self._body() if self._takes("else") else NOTHING)
        return ("do", name, self._values())

    def _body(self) -> Tree:
        self._wants("{")
        found = NOTHING if self._tokens[self.at : self.at + 1] == ["}"] else self.sequence()
        self._wants("}")
        return found

    def _condition(self) -> str | None:
        """Past the end of it. Seconds, if it is only a time."""
        begin, depth = self.at, 1
        while depth:
            token = self._next()
            depth += (token == "(") - (token == ")")
        inside = self._tokens[begin : self.at - 1]
        return inside[2] if inside[:2] == ["elapsed", "("] and len(inside) == 4 else None

    def _values(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while not self._takes(")"):
            name = self._next()
            self._wants("=")
            value = self._next()
            while self._tokens[self.at : self.at + 1] not in ([")"], [","]):  # words with marks in them
                value += f" {self._next()}"
            found[name] = value.strip('"')
            self._takes(",")
        return found

    def _next(self) -> str:
        if self.at >= len(self._tokens):
            raise DescriptionError(f"{self._text!r} ends too early")
        self.at += 1
        return self._tokens[self.at - 1]

    def _takes(self, token: str) -> bool:
        if self._tokens[self.at : self.at + 1] == [token]:
            self.at += 1
            return True
        return False

    def _wants(self, token: str) -> None:
        if not self._takes(token):
            there = self._tokens[self.at] if self.at < len(self._tokens) else "its end"
            raise DescriptionError(f"{self._text!r}: {token!r} is missing before {there!r}")


def _joined(kind: str, parts: Sequence[Tree]) -> Tree:
    """Parts of one kind in one; a single one is itself."""
    flat = [inner for each in parts for inner in (each[1:] if each[0] == kind else (each,))]
    return flat[0] if len(flat) == 1 else (kind, *flat)  # type: ignore[return-value]
