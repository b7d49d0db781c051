"""Other ways to write a text that is not understood as it stands, the nearest first. Pure.

variant       what is changed
apart         contractions are taken apart: "the door's open"
bare          fillers are left out: "um", "please", "about" before a number
unremarked    what is only remarked beside it (`asides`), and the fillers of what is left
elsewhere     where known things are: "the gauges in the cabinet"
plain         words that nobody knows, in front of names: "the bluish drum"
skimmed       all that nobody knows (`skimming`); not among the others, as it is tried after questions

Whoever reads (`grammars.reading.reader`) tries them in turn and takes the first that is understood well
enough. A variant says what that is, and how much less sure a reading of it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from framework.plan.ast import Plan, actions_of
from framework.plan.parser import Correction, Reading, World
from grammars.core import Core
from grammars.reading.asides import THINGS, About, Aside, asides
from grammars.reading.courtesies import idioms
from grammars.reading.grammar import Grammar
from grammars.reading.skimming import corrects, places_of_things, ways
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance
from grammars.reading.warning import Danger

#: How much less sure a reading is that leaves out words like "um", …
WITHOUT_FILLERS = 0.95
#: … words that nobody knows in front of names, …
WITHOUT_ADJECTIVES = 0.7
#: … all that nobody knows; it is never surer than this.
SKIMMED = 0.6
#: What is read without remarks, places or unknown parts has to be so sure.
SURE_ENOUGH = 0.7
#: In front of names so many words may stand that nobody knows.
_MOST_ADJECTIVES = 2
#: In so many places a text is tried with one contraction taken apart.
_MOST_TAKEN_APART = 4


class Variant(msgspec.Struct, frozen=True):
    """A text in another way.

    said: the text in which what is named and quoted stands; tokens of `text` have their places in it.
    share: a reading's sureness is multiplied by it; most: and never more than that.
    least: it has to be so sure. is_single: no other reading may be as sure.
    may_warn: remarks that were left out, if they warn.
    """

    text: str
    said: str
    share: float = 1.0
    most: float = 1.0
    least: float = 0.0
    is_single: bool = False
    corrections: tuple[Correction, ...] = ()
    left_out: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()

    def accepted(self, found: Sequence[Reading], original: str) -> tuple[Reading, ...]:
        """The readings, as unsure as they are; none if they are too unsure, or hand on what nobody said."""
        rest = " ".join(self.text.split())
        kept = [each for each in found if not changes_texts(each.plan, rest, original)]
        if not kept or kept[0] is not found[0] or kept[0].confidence < self.least:
            return ()
        if self.is_single and len(kept) > 1 and kept[1].confidence == kept[0].confidence:
            return ()
        return tuple(self._as_unsure(each) for each in kept)

    def _as_unsure(self, reading: Reading) -> Reading:
        return msgspec.structs.replace(
            reading,
            confidence=round(min(reading.confidence * self.share, self.most), 6),
            corrections=(*reading.corrections, *self.corrections),
            left_out=self.left_out or reading.left_out,
        )


class Variants:
    """Makes them. One that was made never changes.

    read: the tokens of a text.
    """

    def __init__(
        self,
        grammar: Grammar,
        boundaries: Collection[str],
        read: Callable[[str, World], Utterance],
    ) -> None:
        self._grammar = grammar
        self._core: Core = grammar.core
        self._boundaries = boundaries
        self._read = read
        endings = "|".join(re.escape(each) for each in self._core.contractions)
        self._contraction = re.compile(rf"(?<=\w)({endings})(?!\w)", re.IGNORECASE)

    def of(self, utterance: Utterance, text: str, world: World) -> Iterator[Variant]:
        """All but the skimmed ones."""
        yield from self._apart(text, world)
        yield from self._bare(Variant(text, text), utterance)
        yield from self._unremarked(utterance, text, world)
        yield from self._elsewhere(utterance, text)
        yield from self._plain(utterance, text)

    def without_idioms(self, utterance: Utterance) -> str:
        """The text without courtesies that are no part of any instruction; empty if there are none."""
        spans = idioms(utterance, self._core)
        return without(utterance, [Aside(begin, end) for begin, end in spans]) if spans else ""

    def skimmed(self, utterance: Utterance, text: str, world: World) -> Iterator[Variant]:
        """Without the parts that nobody knows, the least first."""
        tokens = utterance.tokens
        strange, words = self._grammar.strange(utterance), self._core.skimming
        values = self._grammar.phrasebook.value_words
        for way in ways(utterance, strange, words, self._grammar.is_verb, values):
            rest, left_out = text, []
            for begin, end in reversed(way):
                start, stop = tokens[begin].start, tokens[end - 1].end
                rest = f"{rest[:start]}{' ' * (stop - start)}{rest[stop:]}"
                left_out.append(text[start:stop].strip(" ,.;:!?"))
            variant = Variant(
                rest, rest, share=SKIMMED, least=SURE_ENOUGH, left_out=tuple(reversed(left_out))
            )
            yield variant
            yield from self._bare(variant, self._read(rest, world))

    def about(self, utterance: Utterance) -> About:
        """What is known of its words."""
        names = [
            (kind, place)
            for kind, places in utterance.names.items()
            for begin, found in places.items()
            for place in range(begin, found[0].end)
        ]
        return About(
            self._grammar.is_verb,
            frozenset(place for kind, place in names if not kind.startswith(THINGS)),
            frozenset(place for _, place in names),
            self._grammar.strange(utterance),
        )

    def _apart(self, text: str, world: World) -> Iterator[Variant]:
        """With "door is" for "door's": everywhere, or else in one place alone."""
        places = list(self._contraction.finditer(text)) if self._core.contractions else []
        several = [places, *([place] for place in places[:_MOST_TAKEN_APART] if len(places) > 1)]
        for way in several if places else ():
            apart = text
            for place in reversed(way):
                word = self._core.contractions[place[1].lower()]
                apart = f"{apart[: place.start()]} {word}{apart[place.end() :]}"
            variant = Variant(apart, apart)
            yield variant
            yield from self._bare(variant, self._read(apart, world))

    def _unremarked(self, utterance: Utterance, text: str, world: World) -> Iterator[Variant]:
        for several in asides(utterance, self._core, self.about(utterance)):
            rest = without(utterance, several)
            variant = Variant(
                rest,
                rest,
                most=WITHOUT_FILLERS,
                least=SURE_ENOUGH,
                warned=self._warnings(utterance, several, rest, world),
            )
            yield variant
            yield from self._bare(variant, self._read(rest, world))

    def _warnings(
        self, utterance: Utterance, several: Sequence[Aside], rest: str, world: World
    ) -> tuple[str, ...]:
        """Those of the remarks that warn of what the rest takes no care of, or cannot."""
        if all(each.danger is Danger.NONE for each in several):
            return ()
        words = f" {' '.join(token.text for token in self._read(rest, world).tokens)} "
        takes_care = any(f" {each} " in words for each in self._core.asides.heeding)
        least = Danger.PRESENCE if takes_care else Danger.NONE
        tokens = utterance.tokens
        return tuple(
            utterance.text[tokens[each.begin].start : tokens[each.end - 1].end].strip(" ,.;:!?")
            for each in several
            if each.danger > least
        )

    def _elsewhere(self, utterance: Utterance, text: str) -> Iterator[Variant]:
        """Only if that leaves nothing open: else the place may tell which one is meant."""
        spans = places_of_things(
            utterance,
            self._core.skimming,
            self.about(utterance),
            self._grammar.phrasebook.value_words,
        )
        if spans:
            rest = without(utterance, [Aside(begin, end) for begin, end in spans])
            yield Variant(rest, text, share=WITHOUT_FILLERS, least=SURE_ENOUGH, is_single=True)

    def _plain(self, utterance: Utterance, text: str) -> Iterator[Variant]:
        """So unsure that it is offered, whatever comes of it: "the blue drum" may be the drum."""
        names = {
            at: max(named.end for places in utterance.names.values() for named in places.get(at, ()))
            for places in utterance.names.values()
            for at in places
        }
        strange = self._grammar.strange(utterance)
        if not strange or len(strange) > _MOST_ADJECTIVES:
            return
        blank, corrections = list(text), []
        for at in strange:
            token, noun = utterance.tokens[at], next((each for each in (at + 1, at + 2) if each in names), -1)
            is_first = at == 0 or utterance.tokens[at - 1].text in self._boundaries
            if is_first or self._grammar.vocabulary.is_spelt(token.text):
                return  # it is a verb: "dump the cloud"
            if noun < 0 or not strange.issuperset(range(at, noun)):
                return
            name = text[utterance.tokens[noun].start : utterance.tokens[names[noun] - 1].end]
            corrections.append(Correction(f"{text[token.start : token.end]} {name}", name))
            blank[token.start : token.end] = " " * (token.end - token.start)
        yield Variant("".join(blank), text, share=WITHOUT_ADJECTIVES, corrections=tuple(corrections))

    def _bare(self, variant: Variant, utterance: Utterance) -> Iterator[Variant]:
        """A variant without "about" in front of numbers or behind; then also without "um" and "please"."""
        text = variant.text
        found: list[str] = []
        for fillers in ((), self._grammar.fillers):
            rest = self._without_fillers(utterance, text, fillers)
            if rest != text and rest.strip(" ,.;:!?") and rest not in found:
                found.append(rest)
                yield msgspec.structs.replace(variant, text=rest, share=variant.share * WITHOUT_FILLERS)

    def _without_fillers(self, utterance: Utterance, text: str, fillers: Collection[tuple[str, ...]]) -> str:
        tokens = utterance.tokens
        words = [token.text for token in tokens]
        named = {at for places in utterance.names.values() for at in places}
        ends = {each.end for several in utterance.quantities.values() for each in several if each.unit}
        blank = list(text)
        at = 0
        while at < len(words):
            sizes = [len(each) for each in fillers if tuple(words[at : at + len(each)]) == each]
            sizes += [
                len(each)
                for each in self._grammar.roughly
                if tuple(words[at : at + len(each)]) == each and at + len(each) in utterance.quantities
            ]
            if at in ends:
                sizes += [
                    len(each)
                    for each in self._grammar.roughly_behind
                    if tuple(words[at : at + len(each)]) == each
                    and (words[at + len(each) : at + len(each) + 1] or [","])[0] in MARKS
                ]
            if words[at] in self._core.adjectives and at + 1 in named and at not in named:
                sizes.append(1)
            end = at + max(sizes, default=0)
            if at and at == corrects(words, self._core.skimming):
                end = at  # "go home, actually drive to the door"
            if end > at and words[end : end + 1] == [","]:
                end += 1
            if end > at and at and words[at - 1] == ",":
                at -= 1
            for token in tokens[at:end]:
                blank[token.start : token.end] = " " * (token.end - token.start)
            at = max(end, at + 1)
        return "".join(blank)


def without(utterance: Utterance, several: Sequence[Aside]) -> str:
    """The text without some asides, or with what they come to; the rest stands where it stood if it can."""
    text = utterance.text
    for aside in reversed(several):
        start, stop = utterance.tokens[aside.begin].start, utterance.tokens[aside.end - 1].end
        said = f", {aside.instead}" if aside.instead else ""
        text = f"{text[:start]}{said}{' ' * max(1, stop - start - len(said))}{text[stop:]}"
    return text


def changes_texts(plan: Plan, now: str, before: str, spelt: Collection[str] = ()) -> bool:
    """Whether words that a plan hands on stand in the one text, and not in the other.

    spelt: words that are the same written out ("right" for "r"), and may.
    """
    texts = {
        _spaced(value)
        for do in actions_of(plan)
        for value in do.parameters.values()
        if isinstance(value, str)
    }
    now, before = _spaced(now), _spaced(before)
    return any(each in now and each not in before for each in texts.difference(spelt))


def _spaced(text: str) -> str:
    """In small letters, with one space between words."""
    return " ".join(text.casefold().split())
