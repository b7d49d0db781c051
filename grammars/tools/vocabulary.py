"""The words that can be said just now, for a recogniser that has to know how each is pronounced."""

from __future__ import annotations

import re

from framework.plan.parser import World
from grammars.language import Language
from grammars.tools.jsgf import jsgf

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|<[^>]*>|([^\s|()\[\]*+;=<>"]+)')


def vocabulary(language: Language, world: World) -> tuple[str, ...]:
    """Every word, sorted; those of the speech grammar, so names and numbers as they are spoken."""
    found: set[str] = set()
    for line in jsgf(language, world).splitlines():
        _, equals, body = line.partition(" = ")
        if not equals or line.startswith("//"):
            continue
        for quoted, plain in _TOKEN.findall(body):
            word = re.sub(r"\\(.)", r"\1", quoted) or plain
            if word:
                found.add(word)
    return tuple(sorted(found))
