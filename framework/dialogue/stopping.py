"""What begins or ends like a stop, in whatever company and with a slip of the finger. Pure.

A false stop costs a word, a missed one an arm: where a text is not understood for certain and something
moves, this decides whether that stops first and is talked about afterwards (`framework.supervisor.orders`).
The words are built in, as those of `meta.ALWAYS` are: no grammar file can take them away.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Final

from framework.dialogue.spelling import words_of


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STOPS: Final = ("stop", "halt", "freeze", "whoa", "brake", "abort", "emergency", "estop", "mayday")

#: Words of English that are one slip away from a stop, and mean something else.
_OTHER_WORDS: Final = frozenset(
    _words(
        "step shop top tops slop sop stow stoop strop atop stomp swop shops steps spot stock stope "
        "hat hall half hart hale salt malt shalt hate hilt hats bolt "
        "freezer frieze breeze freezes frees free "
        "who whom whoas woe "
        "bake rake brakes drake brave broke bare bark braked break "
        "about abbot abet abut"
    )
)

#: What may stand before the stop that a text begins with.
_BEFORE: Final = frozenset(
    _words(
        "please pls no nope hey oi oh ah ok okay now just wait quick quickly careful man dude god damn robot "
        "omg goodness gosh jesus christ heavens nej nein nyet non "
        "and but so i said say we must everyone everybody you there all right just immediately at once "
        "can could would will kindly"
    )
)

#: What may stand behind the stop that a text ends with.
_BEHIND: Final = frozenset(
    _words(
        "please pls now immediately it that this there here right at once man dude robot thanks ok okay "
        "everything all moving instantly already"
    )
)

#: The word before "stop" makes another thing of it: "until I say stop", "the emergency stop", "don't stop".
_NO_STOP_AFTER: Final = frozenset(
    _words(
        "say says said saying shout shouts shouted type types word words hear heard call calls emergency "
        "reset release not don't dont never without bus next last first your my his her full until till"
    )
)

#: Beginnings of several words.
_OPENINGS: Final = tuple(
    tuple(each.split())
    for each in (
        "hold it",
        "hold up",
        "haud it",
        "haud on",
        "haud yer horses",
        "hold your horses",
        "hold still",
        "hold right there",
        "hold there",
        "stay right where you are",
        "stay right there",
        "leave off",
        "pack it in",
        "stand down",
        "shut down",
        "shut yourself down",
        "switch off",
        "switch yourself off",
        "turn yourself off",
        "power off",
        "power down",
        "kill the motion",
        "kill the movement",
        "kill switch",
        "don't go on",
        "do not go on",
        "do not move",
        "come to rest",
        "not so fast",
        "watch out",
        "look out",
        "wait wait",
        "no no",
        "enough",
        "that's enough",
        "easy",
        "steady",
        "stay there",
        "stay standing",
        "stand there",
        "stay where you are",
        "don't move",
        "dont move",
        "hang on",
        "hold on",
        "time out",
        "basta",
        "bas",
        "genug",
        "assez",
        "alto",
        "fermo",
        "ferma",
        "halte",
        "arrête",
        "arrete",
        "hands off",
        "cut it out",
        "knock it off",
        "quite enough",
        "that's quite enough",
        "that will do",
        "that'll do",
        "that'll dae",
        "thatll do",
        "stand still",
        "stay still",
        "keep still",
        "cut cut",
        "cease",
        "desist",
        "arrest all",
        "nobody move",
        "nobody moves",
        "don't go any further",
        "no further",
        "no more moving",
        "stay put",
        "back off",
    )
)

#: Typed in a hurry, without marks: "thats enough".
_PLAIN_OPENINGS: Final = tuple(tuple(word.replace("'", "") for word in each) for each in _OPENINGS)
_LONGEST_OPENING: Final = max(map(len, _PLAIN_OPENINGS))

#: Beginnings that ask for a while: what moves rests, and may go on later.
_PAUSES: Final = tuple(
    tuple(each.split())
    for each in (
        "pause",
        "moment",
        "one moment",
        "a moment",
        "a wee moment",
        "one second",
        "a second",
        "a sec",
        "a tick",
        "a minute",
        "one minute",
        "two minutes",
        "short pause",
        "short break",
        "little pause",
        "little break",
        "a pause",
        "a break",
        "a short pause",
        "a short break",
        "a little pause",
        "a little break",
        "a breather",
    )
)

#: The same at the end of what is said.
_HOLDS: Final = (("hold", "up"), ("hang", "on"), ("hold", "on"))
_HOLDING: Final = 2

#: "No further", "dinnae go ony further", "not one more": nothing more is to move.
_NEVER: Final = frozenset(
    _words("no not nae na nay nein nicht nie nej never don't dont do'nt dinnae dinna didnae without")
)
_MORE: Final = frozenset(_words("further farther more mair weiter closer nearer"))
_MOST_BETWEEN: Final = 3
_ENOUGH: Final = frozenset(_words("enough enuff enuf enought enoug genug basta bas sufficient plenty"))

_MOST_WORDS: Final = 40
#: Nobody cries out in more words.
_MOST_CRIED: Final = 14
#: So many words are said twice.
_MOST_REPEATED: Final = 3
#: Said in front of a pause without meaning anything.
_FILLING: Final = frozenset(
    _words("please just now kindly ok okay sorry so oh make take have give me wait us hold hang on stop for")
)
#: A longer word in capitals is shouted.
_SHORT: Final = 3
_NOES: Final = frozenset(_words("no nope nej nein nyet non careful enough danger mind watch"))


#: Cries, as long as they may be: "aaah", "nooo", "argh".
_CRY: Final = re.compile(r"a+h*|a+r+g+h+|o+h+|o+i+|n+o+|e+k+|w+o+a+h*|y+o+|h+e+y+")
#: Typed without a space between: "waitwait".
_TOGETHER: Final = re.compile(r"(\w{2,}?)\1+")
_LAUGHTER: Final = frozenset(
    _words("ha he hi ho ja je la na da du bla blah mwah tut ding dong beep toot woof")
)
#: A letter that is held: "stooop".
_HELD: Final = re.compile(r"(.)\1{2,}")


def is_stop_word(word: str) -> bool:
    """Whether this is a stop, or one with a letter wrong, missing, doubled, swapped or held."""
    return meant_stop(word) in STOPS


def meant_stop(word: str) -> str:
    """The stop that a word is, with such slips put right; any other word as it is."""
    return _MEANT.get(word) or _MEANT.get(_HELD.sub(r"\1", word)) or word


def sounds_like_stop(text: str, *, at_end: bool = True) -> bool:
    """Whether a text begins or ends like a stop, or wants nothing more, whatever else it says.

    at_end: whether how it ends counts: "why did you stop" does not begin like one.
    """
    words = _parted(text)
    if not words:
        return False
    words = words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS // 2] + words[-_MOST_WORDS // 2 :]
    begin = 0
    while (
        begin < len(words) - 1
        and (words[begin] in _BEFORE or _CRY.fullmatch(words[begin]))
        and not _opens(words, begin)
        and not is_stop_word(words[begin])
    ):
        begin += 1
    if is_stop_word(words[begin]) or _opens(words, begin) or _restrains(words):
        return True
    if not at_end:
        return False
    if tuple(words[-_HOLDING:]) in _HOLDS:
        return True
    end = len(words) - 1
    while end > 0 and words[end] in _BEHIND:
        end -= 1
    return is_stop_word(words[end]) and (not end or words[end - 1] not in _NO_STOP_AFTER)


def is_outcry(text: str) -> bool:
    """Whether somebody cries out, whatever that means.

    With a "!", in capitals, with a "no" or an "oh", or saying the same at once again. Of what nobody
    understands while something moves: "omg!!", "MIND THE CAT", "wall wall wall".
    """
    words = _parted(text)
    if not words or len(words) > _MOST_CRIED:
        return False
    if _repeats(words):
        return True
    is_loud = "!" in text or any(len(each) > _SHORT and each.isupper() for each in text.split())
    return is_loud or words[0] in _NOES or (len(words[0]) > 1 and bool(_CRY.fullmatch(words[0])))


def sounds_like_pause(text: str) -> bool:
    """Whether it begins by asking for a while, and says nothing else that sounds like a stop."""
    words = _parted(text)
    count = _pause_at_begin(words)
    rest = " ".join(words[count:])
    if not count and (hold := words[-_HOLDING:]) and tuple(hold) in _HOLDS:  # "brb hold up"
        count, rest = len(hold), " ".join(words[: -len(hold)])
    return count > 0 and (not sounds_like_stop(rest) or sounds_like_pause(rest))


def _parted(text: str) -> list[str]:
    """Its words, and those that were typed as one for haste: "waitwaitwait"."""
    found: list[str] = []
    for word in words_of(text):
        together = _TOGETHER.fullmatch(word)
        if together is None or together[1] in _LAUGHTER:
            found.append(word)
        else:
            found += [together[1]] * (len(word) // len(together[1]))
    return found


def _pause_at_begin(words: list[str]) -> int:
    """How many words a text begins with that ask for a while, with what means nothing before; 0 if none."""
    at = 0
    while at < len(words) and words[at] in _FILLING and not _pause_at(words, at):
        at += 1
    count = _pause_at(words, at)
    return at + count if count else 0


def _pause_at(words: list[str], at: int) -> int:
    """Of how many words what asks for a while is; 0 if there is none."""
    return max((len(each) for each in _PAUSES if tuple(words[at : at + len(each)]) == each), default=0)


def _opens(words: list[str], at: int) -> bool:
    plain = tuple(word.replace("'", "") for word in words[at : at + _LONGEST_OPENING])
    opens = any(plain[: len(each)] == each for each in _PLAIN_OPENINGS)
    return opens or _pause_at_begin(words[at:]) > 0


def _restrains(words: list[str]) -> bool:
    """ "No further", "that's enough": that nothing more is wanted, wherever that is said."""
    for at, word in enumerate(words):
        before = words[max(0, at - _MOST_BETWEEN - 1) : at]
        if word in _MORE and not _NEVER.isdisjoint(before) and words[at + 1 : at + 2] != ["than"]:
            return True
        is_for_that = words[at + 1 : at + 2] in (
            ["to"],
            ["for"],
            ["is"],
            ["are"],
        )  # "long enough to reach it"
        if word in _ENOUGH and not is_for_that and _NEVER.isdisjoint(before):
            return True
    return False


def _repeats(words: list[str]) -> bool:
    """Whether it says the same at once again, wherever: "wall wall", "omg haud it haud it"."""
    return any(
        words[at : at + count] == words[at + count : at + 2 * count]
        for count in range(1, _MOST_REPEATED + 1)
        for at in range(len(words) - 2 * count + 1)
    )


def _slips(word: str) -> Iterator[str]:
    """The word with one letter left out, added, swapped with its neighbour, or another."""
    for at in range(len(word) + 1):
        for letter in string.ascii_lowercase:
            yield word[:at] + letter + word[at:]
            yield word[:at] + letter + word[at + 1 :]
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]


#: As it is also written.
_ALSO: Final = {**dict.fromkeys(_words("stahp staph stahpp stawp stopit stoi stoj"), "stop")}

_MEANT: Final = {
    **_ALSO,
    **{slip: word for word in reversed(STOPS) for slip in _slips(word) if slip not in _OTHER_WORDS},
    **{word: word for word in STOPS},
}
