"""The words of questions, as a language's core file has them (`questions:` in `english.yaml`). Data only.

    questions:
      heads: {how_far: ["how (far|close) [away]"]}   # how each kind of question begins
      topics: {see: ["see|seen|visible"]}            # what a question can be about, in words of every form

Each text is a template without slots; all ways to say it are written out once, when the file is read.
`reading/questions.py` says how they are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

Words = tuple[str, ...]


class Ways:
    """Ways to say something, found in a row of words: the longest that begins at a place."""

    def __init__(self, ways: Mapping[Words, str]) -> None:
        self._ways = ways
        self._by_first: dict[str, list[tuple[Words, str]]] = {}
        for words, name in sorted(ways.items(), key=lambda each: -len(each[0])):
            self._by_first.setdefault(words[0], []).append((words, name))

    def without(self, is_dropped: Callable[[str], bool]) -> Ways:
        """The same without words that are dropped from texts too, as articles are."""
        left = {tuple(word for word in way if not is_dropped(word)): name for way, name in self._ways.items()}
        return Ways({way: name for way, name in left.items() if way})

    def with_more(self, ways: Mapping[Words, str]) -> Ways:
        """The same with others; what a way stands for in both, it stands for both."""
        merged = dict(self._ways)
        for way, name in ways.items():
            merged[way] = f"{merged[way]} {name}" if way in merged else name
        return Ways(merged)

    @property
    def words(self) -> frozenset[str]:
        """Every word that occurs in one."""
        return frozenset(word for way in self._ways for word in way)

    def at(self, words: Sequence[str], at: int) -> tuple[int, str] | None:
        """Where the longest ends that begins here, and what it stands for (names with spaces between)."""
        for way, name in self._by_first.get(words[at], ()) if at < len(words) else ():
            if tuple(words[at : at + len(way)]) == way:
                return at + len(way), name
        return None

    def begins(self, words: Sequence[str]) -> bool:
        """Whether these words begin with one."""
        return self.at(words, 0) is not None

    def before(self, words: Sequence[str]) -> int:
        """How many words at the end are one; 0 if none are."""
        for at in range(len(words)):
            found = self.at(words, at)
            if found is not None and found[0] == len(words):
                return len(words) - at
        return 0


class QuestionWords(msgspec.Struct, frozen=True):
    """All of them.

    openings, closings: what stands before and behind a question. asking: what makes a question of what
    follows ("tell me"), also behind "whether"; others_asking: the same behind who else asks;
    interrogative: what does so of anything;
    reporting: what asks for all that is known of a topic. never: what begins a
    suggestion. heads: how each kind of question begins; whether: the verbs that one of yes or no begins with.
    elliptical: what asks by itself ("status"); predicates: the same behind "you" or "it" ("you" done yet).
    requests: how a request begins; with one of `abilities` it is a question nevertheless. topics: what a
    question is about. function: words that say nothing by themselves. own, mine, it: the words for the robot,
    for whoever asks, and for what was spoken of; ones: of the same kind as what was asked about.
    colours: their names. adding: what joins two questions. expanded: what is taken apart.
    """

    openings: Ways = Ways({})
    closings: Ways = Ways({})
    asking: Ways = Ways({})
    others_asking: Ways = Ways({})
    interrogative: Ways = Ways({})
    reporting: frozenset[str] = frozenset()
    never: Ways = Ways({})
    heads: Ways = Ways({})
    whether: frozenset[str] = frozenset()
    elliptical: Ways = Ways({})
    predicates: Ways = Ways({})
    requests: Ways = Ways({})
    abilities: frozenset[str] = frozenset()
    topics: Ways = Ways({})
    function: Ways = Ways({})
    own: frozenset[str] = frozenset()
    mine: frozenset[str] = frozenset()
    it: frozenset[str] = frozenset()
    ones: frozenset[str] = frozenset()
    colours: frozenset[str] = frozenset()
    expanded: Mapping[str, str] = {}
    courtesy: frozenset[str] = frozenset()
    modal: frozenset[str] = frozenset()
    wondering: frozenset[str] = frozenset()
    wishing: frozenset[str] = frozenset()
    supposing: frozenset[str] = frozenset()
    denying: frozenset[str] = frozenset()
    excusing: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    asked_to: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    adding: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    hoping: frozenset[str] = frozenset()
    suggesting: Ways = Ways({})
    inviting: Ways = Ways({})

    @property
    def every_word(self) -> frozenset[str]:
        """Each word that occurs in any of them."""
        fields = [getattr(self, name) for name in self.__struct_fields__]
        ways = [each.words for each in fields if isinstance(each, Ways)]
        return frozenset().union(*ways, *(each for each in fields if isinstance(each, frozenset)))
