"""Forms of English verbs: from what is said ("showing") to what a phrase says ("show"), and back."""

from __future__ import annotations

from functools import lru_cache

from framework.plan.words import doing

# What phrases begin with that nobody puts into the -ing form.
_NO_VERBS = frozenset((
    "what", "where", "who", "how", "which", "when", "why", "whose", "is", "are", "was", "were", "am",
    "does", "did", "can", "could", "may", "might", "must", "shall", "should", "will", "would", "i", "you",
    "we", "he", "she", "it", "they", "this", "that", "these", "those", "there", "here", "again", "once",
    "twice", "another", "same", "encore", "please", "all", "any", "some", "no", "not", "so", "as", "if",
    "in", "on", "at", "to", "for", "from", "live", "current", "main", "more", "less", "one", "two",
    "three", "me", "us", "my", "your", "its", "their",
))  # fmt: skip
_VOWELS = frozenset("aeiouy")
# Of verbs that people use for robots and at home; everything regular follows from its ending.
_IRREGULAR: dict[str, tuple[str, ...]] = {
    "began": ("begin",),
    "begun": ("begin",),
    "broken": ("break",),
    "broke": ("break",),
    "brought": ("bring",),
    "caught": ("catch",),
    "came": ("come",),
    "cutting": ("cut",),
    "did": ("do",),
    "done": ("do",),
    "does": ("do",),
    "driven": ("drive",),
    "drove": ("drive",),
    "dying": ("die",),
    "felt": ("feel",),
    "found": ("find", "found"),
    "gave": ("give",),
    "given": ("give",),
    "goes": ("go",),
    "gone": ("go",),
    "got": ("get",),
    "had": ("have",),
    "has": ("have",),
    "heard": ("hear",),
    "held": ("hold",),
    "kept": ("keep",),
    "laid": ("lay",),
    "left": ("leave",),
    "let": ("let",),
    "lost": ("lose",),
    "lying": ("lie",),
    "made": ("make",),
    "met": ("meet",),
    "ran": ("run",),
    "said": ("say",),
    "sat": ("sit",),
    "saw": ("see",),
    "seen": ("see",),
    "sent": ("send",),
    "shown": ("show",),
    "shut": ("shut",),
    "spoke": ("speak",),
    "spoken": ("speak",),
    "stood": ("stand",),
    "taken": ("take",),
    "taught": ("teach",),
    "thrown": ("throw",),
    "threw": ("throw",),
    "told": ("tell",),
    "took": ("take",),
    "tying": ("tie",),
    "went": ("go",),
}


@lru_cache(maxsize=8192)
def base_forms(word: str) -> tuple[str, ...]:
    """What a form of a verb may be a form of, the word itself first; some of them are no words.

    "showing" → "showing", "show", "showe"; "tracked", "tracks" → "track"; "stopping" → "stop".
    """
    found = [word, *_IRREGULAR.get(word, ())]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1 and _VOWELS.intersection(stem):
            found += _stems(stem)
            if ending == "ed" and stem.endswith("i"):
                found.append(stem[:-1] + "y")
    if word.endswith("s") and not word.endswith("ss") and len(word) > 2:
        found.append(word[:-1])
        if word.endswith("es"):
            found.append(word[:-2])
            if word.endswith("ies"):
                found.append(word[:-3] + "y")
    # "Using" is no form of "us".
    return tuple(dict.fromkeys(each for each in found if each == word or each not in _NO_VERBS))


def in_third_person(word: str) -> bool:
    """Whether a word may be a verb with its "-s": "goes"."""
    return word.endswith("s") and not word.endswith("ss")


def can_be_verb(word: str) -> bool:
    """Whether a phrase's first word may be what somebody is doing: "show", but not "what" or "could"."""
    return word.isalpha() and word.casefold() not in _NO_VERBS


def gerund(verb: str) -> str:
    """The -ing form of a verb: "show" → "showing", "move" → "moving", "stop" → "stopping"."""
    return doing(verb)


#: Of verbs that phrases have frames of.
_PARTICIPLES = {
    "bend": "bent", "bring": "brought", "come": "come", "do": "done", "draw": "drawn", "drive": "driven",
    "get": "got", "give": "given", "go": "gone", "have": "had", "hold": "held", "keep": "kept", "lay": "laid",
    "let": "let", "make": "made", "put": "put", "run": "run", "say": "said", "send": "sent", "set": "set",
    "show": "shown", "shut": "shut", "spin": "spun", "spread": "spread", "swing": "swung", "take": "taken",
    "write": "written", "teach": "taught", "tell": "told", "throw": "thrown", "thrust": "thrust",
    "withdraw": "withdrawn",
}  # fmt: skip


def participle(verb: str) -> str:
    """What something is once it is done: "open" → "opened", "put up" → "put up", "bring" → "brought"."""
    word, _, rest = verb.partition(" ")
    if word in _PARTICIPLES:
        done = _PARTICIPLES[word]
    elif word.endswith("e"):
        done = f"{word}d"
    elif word.endswith("y") and word[-2:-1] not in _VOWELS:
        done = f"{word[:-1]}ied"
    else:
        done = f"{doing(word).removesuffix('ing')}ed"
    return f"{done} {rest}" if rest else done


def _stems(stem: str) -> list[str]:
    """What may have stood before -ing or -ed: "mov" → "mov", "move"; "stopp" → "stopp", "stop", "stoppe"."""
    found = [stem]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        found.append(stem[:-1])
    found.append(stem + "e")
    if stem.endswith("y"):
        found.append(stem[:-1] + "ie")
    elif stem.endswith("ck"):
        found.append(stem[:-1])  # "panicking", "picnicking"
    return found
