"""A JSGF reader of its own: checks a grammar by the letter of the format, and accepts texts by it.

It shares no code with `grammars.tools.jsgf`. Supported is what the format calls a plain grammar: header,
grammar name, rules with alternatives, groups, optional groups, * and +, <NULL> and <VOID>, quoted tokens,
comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_TOKEN = re.compile(
    r'\s*(?:(//[^\n]*|/\*.*?\*/)|("(?:[^"\\]|\\.)*")|([;=|*+()\[\]])|<([^<>\s]+)>|([^\s;=|*+<>()\[\]{}/"\\]+))',
    re.DOTALL,
)
_HEADER = re.compile(r"#JSGF V1\.0(?: [A-Za-z0-9-]+)?(?: [a-zA-Z_-]+)?;\n")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$+\-:;,=|/\\()\[\]@#%!^&~.]*")


class Word(msgspec.Struct, frozen=True):
    text: str


class Ref(msgspec.Struct, frozen=True):
    name: str


class Row(msgspec.Struct, frozen=True):
    parts: tuple[Node, ...]


class Either(msgspec.Struct, frozen=True):
    options: tuple[Node, ...]


class Repeat(msgspec.Struct, frozen=True):
    part: Node
    least: int


Node = Word | Ref | Row | Either | Repeat


class BadGrammar(AssertionError):
    """The text is no JSGF grammar."""


class Jsgf:
    """A grammar that has been read and found right."""

    def __init__(self, text: str) -> None:
        header = _HEADER.match(text)
        if header is None:
            raise BadGrammar(f"the header is wrong: {text[:40]!r}")
        self._tokens = self._cut(text[header.end() :])
        self._at = 0
        self._expect("word", "grammar")
        self.name = self._take("word")
        self._expect("mark", ";")
        self.rules: dict[str, Node] = {}
        self.public: list[str] = []
        while self._at < len(self._tokens):
            self._rule()
        if not self.public:
            raise BadGrammar("no rule is public")
        for name, node in self.rules.items():
            for ref in _refs(node):
                if ref not in self.rules and ref not in ("NULL", "VOID"):
                    raise BadGrammar(f"<{name}> refers to <{ref}>, which is nowhere")
        self._empty = self._nullable()
        for name in self.rules:
            if name in self._first_refs(self.rules[name], set()):
                raise BadGrammar(f"<{name}> is left-recursive")
        self._beginnings: dict[int, tuple[frozenset[str], bool]] = {}

    def accepts(self, words: Sequence[str]) -> bool:
        """Whether a row of words is an utterance of a public rule."""
        memory: dict[tuple[int, int], frozenset[int]] = {}

        nowhere: frozenset[int] = frozenset()

        def ends(node: Node, at: int) -> frozenset[int]:
            first, is_empty = self._beginning(node)
            if not is_empty and (at >= len(words) or words[at] not in first):
                return nowhere
            key = (id(node), at)
            if key not in memory:
                memory[key] = nowhere
                memory[key] = frozenset(match(node, at))
            return memory[key]

        def match(node: Node, at: int) -> set[int]:
            match node:
                case Word(text=text):
                    return {at + 1} if at < len(words) and words[at] == text else set()
                case Ref(name="NULL"):
                    return {at}
                case Ref(name="VOID"):
                    return set()
                case Ref(name=name):
                    return set(ends(self.rules[name], at))
                case Either(options=options):
                    return set().union(*(ends(option, at) for option in options))
                case Row(parts=parts):
                    places = {at}
                    for part in parts:
                        places = set().union(*(ends(part, place) for place in places))
                    return places
                case Repeat(part=part, least=least):
                    found: set[int] = set() if least else {at}
                    new = {at}
                    while new := set().union(*(ends(part, place) for place in new)) - found:
                        found |= new
                    return found
            raise AssertionError(node)

        return any(len(words) in ends(self.rules[name], 0) for name in self.public)

    def words(self) -> frozenset[str]:
        """Every word that any rule has."""
        return frozenset(word for node in self.rules.values() for word in _words(node))

    # -- reading

    def _cut(self, text: str) -> list[tuple[str, str]]:
        found = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise BadGrammar(f"nothing of a grammar: {text[at : at + 30]!r}")
            at = match.end()
            _, quoted, mark, ref, word = match.groups()
            if quoted is not None:
                found.append(("token", re.sub(r"\\(.)", r"\1", quoted[1:-1])))
            elif mark is not None:
                found.append(("mark", mark))
            elif ref is not None:
                if not _NAME.fullmatch(ref):
                    raise BadGrammar(f"<{ref}> is no name of a rule")
                found.append(("ref", ref))
            elif word is not None:
                found.append(("word", word))
        return found

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _take(self, kind: str) -> str:
        found, text = self._peek()
        if found != kind:
            raise BadGrammar(f"expected a {kind} and not {text!r}, token {self._at}")
        self._at += 1
        return text

    def _expect(self, kind: str, text: str) -> None:
        found = self._take(kind)
        if found != text:
            raise BadGrammar(f"expected {text!r} and not {found!r}, token {self._at}")

    def _rule(self) -> None:
        is_public = self._peek() == ("word", "public")
        self._at += is_public
        name = self._take("ref")
        self._expect("mark", "=")
        if name in self.rules:
            raise BadGrammar(f"<{name}> is defined twice")
        self.rules[name] = self._either()
        self._expect("mark", ";")
        if is_public:
            self.public.append(name)

    def _either(self) -> Node:
        options = [self._row()]
        while self._peek() == ("mark", "|"):
            self._at += 1
            options.append(self._row())
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _row(self) -> Node:
        parts: list[Node] = []
        while True:
            kind, text = self._peek()
            if kind in ("word", "token"):
                self._at += 1
                part: Node = Word(text)
            elif kind == "ref":
                self._at += 1
                part = Ref(text)
            elif (kind, text) in (("mark", "("), ("mark", "[")):
                self._at += 1
                part = self._either()
                self._expect("mark", ")" if text == "(" else "]")
                part = part if text == "(" else Either((part, Ref("NULL")))
            else:
                break
            while self._peek() in (("mark", "*"), ("mark", "+")):
                part = Repeat(part, 1 if self._take("mark") == "+" else 0)
            parts.append(part)
        if not parts:
            raise BadGrammar(f"something is empty before {self._peek()[1]!r}, token {self._at}")
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    # -- checking

    def _beginning(self, node: Node) -> tuple[frozenset[str], bool]:
        """The words that a node can begin with, and whether it can be said by saying nothing."""
        key = id(node)
        if key not in self._beginnings:
            self._beginnings[key] = self._find_beginning(node)
        return self._beginnings[key]

    def _find_beginning(self, node: Node) -> tuple[frozenset[str], bool]:
        nothing: frozenset[str] = frozenset()
        match node:
            case Word(text=text):
                return frozenset((text,)), False
            case Ref(name="NULL" | "VOID" as name):
                return nothing, name == "NULL"
            case Ref(name=name):
                return self._beginning(self.rules[name])
            case Either(options=options):
                found = [self._beginning(option) for option in options]
                return nothing.union(*(words for words, _ in found)), any(empty for _, empty in found)
            case Repeat(part=part, least=least):
                words, empty = self._beginning(part)
                return words, empty or not least
        words = nothing
        for part in node.parts:
            more, empty = self._beginning(part)
            words |= more
            if not empty:
                return words, False
        return words, True

    def _nullable(self) -> frozenset[str]:
        found: set[str] = {"NULL"}
        while more := {
            name for name, node in self.rules.items() if name not in found and _is_empty(node, found)
        }:
            found |= more
        return frozenset(found)

    def _first_refs(self, node: Node, seen: set[str]) -> set[str]:
        for name in _firsts(node, self._empty):
            if name not in seen and name in self.rules:
                seen.add(name)
                self._first_refs(self.rules[name], seen)
        return seen


def _refs(node: Node) -> set[str]:
    match node:
        case Ref(name=name):
            return {name}
        case Row(parts=parts) | Either(options=parts):
            return set().union(*map(_refs, parts))
        case Repeat(part=part):
            return _refs(part)
    return set()


def _words(node: Node) -> set[str]:
    match node:
        case Word(text=text):
            return {text}
        case Row(parts=parts) | Either(options=parts):
            return set().union(*map(_words, parts))
        case Repeat(part=part):
            return _words(part)
    return set()


def _is_empty(node: Node, empty: set[str]) -> bool:
    match node:
        case Ref(name=name):
            return name in empty
        case Row(parts=parts):
            return all(_is_empty(part, empty) for part in parts)
        case Either(options=options):
            return any(_is_empty(option, empty) for option in options)
        case Repeat(part=part, least=least):
            return not least or _is_empty(part, empty)
    return False


def _firsts(node: Node, empty: frozenset[str]) -> set[str]:
    match node:
        case Ref(name=name):
            return {name}
        case Row(parts=parts):
            found: set[str] = set()
            for part in parts:
                found |= _firsts(part, empty)
                if not _is_empty(part, set(empty)):
                    break
            return found
        case Either(options=options):
            return set().union(*(_firsts(option, empty) for option in options))
        case Repeat(part=part):
            return _firsts(part, empty)
    return set()
