"""The lexicon is loaded when it is told to be, and says what is a verb and what a noun."""

from __future__ import annotations

import subprocess
import sys

from grammars.lexicon import is_noun, is_verb

_LOADS = """
import sys
from grammars import lexicon
assert "lemminflect" not in sys.modules
lexicon.load()
assert "lemminflect" in sys.modules
"""


def test_who_understands_nothing_does_not_load_it() -> None:
    subprocess.run([sys.executable, "-c", _LOADS], check=True)


def test_verbs_and_nouns() -> None:
    assert is_verb("tickle")
    assert not is_verb("tickled")
    assert not is_verb("blue")
    assert is_noun("dinosaurs")
    assert not is_noun("zorp")
