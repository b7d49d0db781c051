"""The core of a language, read from its file (`english.yaml`): what every domain shares, as data.

Everything that is wrong with such a file is said with file and line. What the parts mean is in
`grammars/reading` (`clauses`, `joins`); commands about the supervisor itself become its `MetaPhrases`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec
import yaml

from framework.dialogue.meta import MetaKind, MetaPhrases
from framework.dialogue.referring import Sign
from framework.errors import DescriptionError
from framework.plugins import template as syntax
from framework.plugins.described import Described, Entry, Text
from framework.plugins.template import Template, can_be_empty, parse_template, slots_of, ways_of
from grammars.question_words import QuestionWords, Ways, Words

ENGLISH = Path(__file__).with_name("english.yaml")
_QUESTION = "?"
#: Slots of the core's own templates.
DURATION, WORDS, WHAT, VALUE, COUNTED = "duration_s", "words", "what", "value", "times"


class Marker(StrEnum):
    """A kind of words that belongs to no action. The value is where they stand in the file."""

    CALLING = "clause.calling"
    COMMANDING = "clause.commanding"
    STARTING = "clause.starting"
    SUPPOSING = "clause.supposing"
    DONE = "clause.done"
    DOING = "clause.doing"
    CLOSING = "clause.closing"
    CLOSING_SPEECH = "clause.closing_speech"
    PASSING = "clause.passing"
    THEN = "joins.then"
    AFTERWARDS = "joins.afterwards"
    ORDER = "joins.order"
    FIRST = "joins.first"
    AND = "joins.and"
    AND_DOING = "joins.and_doing"
    WHILE_DOING = "joins.while_doing"
    MEANWHILE = "joins.meanwhile"
    WHILE_THAT = "joins.while_that"
    AT_ONCE = "joins.at_once"
    IN_ORDER = "joins.in_order"
    UNTIL = "joins.until"
    LIMIT = "joins.limit"
    LIMIT_BEHIND = "joins.limit_behind"
    AS_LONG_AS = "joins.as_long_as"
    FOR_TIME = "joins.for_time"
    EVERY = "joins.every"
    AGAIN = "joins.again"
    TIMES = "joins.times"
    BETWEEN = "joins.between"
    ALL_TIMES = "joins.all_times"
    BACK = "joins.back"
    SAME_AMOUNT = "joins.same_amount"
    FURTHER = "joins.further"
    FURTHER_BEHIND = "joins.further_behind"
    ONCE_MORE = "joins.once_more"
    KEEPING = "clause.keeping"
    DELAY_BEFORE = "joins.delay_before"
    DELAY_AFTER = "joins.delay_after"
    STAYING = "joins.staying"
    KEPT = "joins.kept"
    NOT_MOVING = "joins.not_moving"
    IF = "joins.if"
    CONDITION_THEN = "joins.condition_then"
    OTHERWISE = "joins.otherwise"
    IF_SO = "joins.if_so"
    NOTHING = "joins.nothing"
    WAITING = "joins.waiting"
    UNLESS = "joins.unless"
    WHEN = "joins.when"
    ARRIVED = "joins.arrived"
    BEFORE = "joins.before"
    AFTER = "joins.after"
    ONCE = "joins.once"
    BUT_FIRST = "joins.but_first"
    NO_JOIN = "joins.no_join"
    CONDITION_AND = "joins.condition_and"
    CONDITION_OR = "joins.condition_or"
    CANCEL = "cancel.heads"
    EVERYTHING = "cancel.everything"
    CANCEL_BARE = "cancel.bare"
    CANCEL_OF = "cancel.of"
    WAIT_UNTIL = "wait_until"
    SAID = "conditions.said"
    ELAPSED = "conditions.elapsed"
    RUNNING = "conditions.running"
    NOT_RUNNING = "conditions.not_running"
    CONDITION_OPENING = "conditions.opening"
    CONDITION_DENYING = "conditions.denying"
    CONDITION_CLOSING = "conditions.closing"
    SLOW = "manner.slow"
    GENTLE = "manner.gentle"
    FAST = "manner.fast"
    FIRM = "manner.firm"
    HALF = "manner.half"
    FULL = "manner.full"
    RATE = "manner.rate"
    SHARE = "manner.share"


_SLOTS = {
    **dict.fromkeys((Marker.FOR_TIME, Marker.DELAY_BEFORE, Marker.DELAY_AFTER, Marker.ELAPSED), DURATION),
    Marker.EVERY: DURATION,
    Marker.BETWEEN: DURATION,
    Marker.TIMES: COUNTED,
    Marker.ALL_TIMES: COUNTED,
    Marker.SAID: WORDS,
    Marker.RATE: VALUE,
    Marker.SHARE: VALUE,
    Marker.RUNNING: WHAT,
    Marker.NOT_RUNNING: WHAT,
}


class Statements(msgspec.Struct, frozen=True):
    """What tells "dinner is ready" from other words.

    verbs: words that say that something is so; openings: somebody and a verb in one ("it's"). never_first:
    what begins a question or a part of something; never_before: what makes of the words in front of the verb
    a part of something ("a joke that is good"). states: what tells "dinner's ready" from "today's date".
    """

    verbs: frozenset[str] = frozenset()
    openings: frozenset[str] = frozenset()
    never_first: frozenset[str] = frozenset()
    never_before: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words say that something is so."""
        if not words or words[0] in self.never_first:
            return False
        if _QUESTION in words:
            return False
        if words[0] in self.openings:
            return len(words) > 1
        verb = next((at for at, word in enumerate(words) if at and self._says_so(words, at)), 0)
        return verb > 0 and self.never_before.isdisjoint(words[1:verb])

    def _says_so(self, words: Sequence[str], at: int) -> bool:
        if words[at] in self.verbs:
            return True
        return words[at] in self.states and words[at - 1].endswith("'s")


class Texts(msgspec.Struct, frozen=True):
    """What tells words that are to be said from words about them ("something funny", "my name").

    never_first, never_last: what begins (one word or two) and what ends words that are not to be said as they
    stand.
    joining: what ends a name, and makes other words doubtful: there another clause seems to begin.
    no_names: what is no name as it stands: "I teach you a motion now". giving: what gives one.
    """

    never_first: frozenset[str] = frozenset()
    never_last: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    no_names: frozenset[str] = frozenset()
    giving: frozenset[str] = frozenset()

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words can be meant as they stand."""
        if not words or words[-1] in self.never_last:
            return False
        return words[0] not in self.never_first and " ".join(words[:2]) not in self.never_first


class Refusing(msgspec.Struct, frozen=True):
    """What tells the verb of a clause, which a refusal is about, and what it wants.

    no_verbs: words that are none. asking: what questions begin with. between: what stands between clauses;
    conditions: that of it which a condition follows.
    prepositions: what stands between a verb, or its thing, and where or how it is done. senses: verbs that
    say about the same, by each of them; one may be of several words. things: what people want of machines.
    of_things: verbs about things: with what no phrase has behind them, they are beyond what can be done.
    before_nouns: what may stand before a noun, besides adjectives. pronouns: what stands for a thing.
    any_thing: nouns for whatever thing. particles: what belongs to a verb and stands before its thing.
    places: what says where to, without a preposition. light: verbs whose noun is what they say: "do a dance".
    together: what people do with somebody; along: what stands before them.
    idioms: what begins with a verb and asks for nothing.
    directions: what may end an instruction, and stands before nouns too. never_last: what ends none.
    polite: words that are not said back; echoes: others, by what is said for them. perfect: what stands
    before what somebody has done. telling: whom something is told of. joining: what joins two things.
    before_doing: what stands before what is being done: "would you mind threading a needle".
    without: by words behind a thing the verb that people leave out before it: "the cup onto the shelf".
    ending: by words that a clause ends in what is to be done then: "the box must go away" is taken away.
    parting: what stands between a part and its whole: "the bolt on the flange". of_persons: verbs of which
    nobody is meant whom no name is known of: "follow that guy".
    """

    no_verbs: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    senses: Mapping[tuple[str, ...], tuple[str, ...]] = {}
    things: frozenset[str] = frozenset()
    of_things: frozenset[str] = frozenset()
    before_nouns: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    any_thing: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    along: frozenset[str] = frozenset()
    idioms: frozenset[str] = frozenset()
    directions: frozenset[str] = frozenset()
    never_last: frozenset[str] = frozenset()
    polite: frozenset[str] = frozenset()
    perfect: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    before_doing: frozenset[str] = frozenset()
    parting: frozenset[str] = frozenset()
    of_persons: frozenset[str] = frozenset()
    echoes: Mapping[str, str] = {}
    without: Mapping[tuple[str, ...], str] = {}
    ending: Mapping[tuple[str, ...], str] = {}


class Asides(msgspec.Struct, frozen=True):
    """What tells what is only said beside an instruction (`grammars.reading.asides`).

    joining: what may stand before an aside ("and"). persons: "I", "we"; subjects: what else begins remarks.
    because, purpose, likeness: what begins a reason, a purpose, a likeness; changing: words with which the
    last two may say more; purpose_of: what begins a purpose before somebody. continuing: behind these nothing
    new begins ("what it's like").
    cautions: what begins a caution; denials: the same before a verb; heeded: the manner that they come to.
    never: words with which something may be asked for, or changed; asking_of_others: the same of what is not
    about the speaker; modest: of `never`, what may stand beside a word that is `pleasing`, or in a wish to
    know something. addressing: the robot.
    own_doing: what somebody does himself who says that he will.
    wishing: verbs of wishes, which are asides only before "to" and a verb of the speaker; wishing_to: those
    that have the "to" in them; wishing_of_others: what others do who have a wish; own_wish: how a speaker's
    begins; learning: what one wishes others to do ("see"); perceiving: verbs of what robots show.
    preferring: verbs of a choice; selecting: what stands for one of several, but not behind `young`.
    determining: what stands before nouns; relating: behind these a verb belongs to a noun ("the boy who
    fell"); aux: verbs of which each form tells of somebody ("are", "can't").
    concluding: between a premise and an order; inviting: with what else an order begins there than a verb;
    occasions: what begins a premise without a verb; in_premises: of `asking_of_others`, what a premise may
    have; obliging: behind "you", what says what the robot is to do, or not.
    outcries, greetings, vocatives, tags, enabling, kindly, troubling, idle, idle_first, supposing: see
    `reading.courtesies`.
    near, of_robot, in_the_way, locating, about, existing, obstacles, denied, nobody, hazards,
    hazards_if_denied, defects, dangers, foretelling, company, weather, ambient, possessing: see
    `reading.warning`; heeding: manners that are careful enough.
    """

    joining: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    because: frozenset[str] = frozenset()
    purpose: frozenset[str] = frozenset()
    purpose_of: frozenset[str] = frozenset()
    continuing: frozenset[str] = frozenset()
    likeness: frozenset[str] = frozenset()
    changing: frozenset[str] = frozenset()
    cautions: frozenset[str] = frozenset()
    denials: frozenset[str] = frozenset()
    heeded: str = ""
    own_wish: str = ""
    wishing_of_others: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    asking_of_others: frozenset[str] = frozenset()
    own_doing: frozenset[str] = frozenset()
    addressing: frozenset[str] = frozenset()
    wishing: frozenset[str] = frozenset()
    wishing_to: frozenset[str] = frozenset()
    perceiving: frozenset[str] = frozenset()
    outcries: frozenset[str] = frozenset()
    greetings: frozenset[str] = frozenset()
    vocatives: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    concluding: frozenset[str] = frozenset()
    inviting: frozenset[str] = frozenset()
    occasions: frozenset[str] = frozenset()
    in_premises: frozenset[str] = frozenset()
    obliging: frozenset[str] = frozenset()
    relating: frozenset[str] = frozenset()
    enabling: frozenset[str] = frozenset()
    kindly: frozenset[str] = frozenset()
    preferring: frozenset[str] = frozenset()
    selecting: frozenset[str] = frozenset()
    young: frozenset[str] = frozenset()
    modest: frozenset[str] = frozenset()
    pleasing: frozenset[str] = frozenset()
    determining: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()
    idle_first: frozenset[str] = frozenset()
    supposing: frozenset[str] = frozenset()
    learning: frozenset[str] = frozenset()
    troubling: frozenset[str] = frozenset()
    aux: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    of_robot: frozenset[str] = frozenset()
    in_the_way: frozenset[str] = frozenset()
    locating: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    existing: frozenset[str] = frozenset()
    obstacles: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    nobody: frozenset[str] = frozenset()
    hazards: frozenset[str] = frozenset()
    hazards_if_denied: frozenset[str] = frozenset()
    defects: frozenset[str] = frozenset()
    dangers: frozenset[str] = frozenset()
    foretelling: frozenset[str] = frozenset()
    company: frozenset[str] = frozenset()
    weather: frozenset[str] = frozenset()
    ambient: frozenset[str] = frozenset()
    possessing: frozenset[str] = frozenset()
    heeding: frozenset[str] = frozenset()


class Cutting(msgspec.Struct, frozen=True):
    """Where texts are cut into clauses whose meaning is guessed one by one (`intent.guessing`).

    at: marks and words between clauses. keeping: words of clauses that say when, how often or under what
    condition something is done: what has one is never guessed as a whole.
    """

    at: frozenset[str] = frozenset()
    keeping: frozenset[str] = frozenset()


class Skimming(msgspec.Struct, frozen=True):
    """What tells the parts of a text that may be left out, if the rest is asked about (`reading.skimming`).

    never: words that stay, as joins do. joining: what stands before a part without belonging to it. parting:
    what begins a new part, besides marks. denying: what begins a part that says what is not to be done.
    remarking: what begins a remark. tails: what begins a likeness or a reason, one word or two. opening: what
    begins a way of asking. naming: words behind which a new name stands. correcting: what a later part begins
    with if what was said before it is not what is meant. modifying: what stands between a known thing and
    where it is ("the gauge in the cabinet"), which says no more if there is but one of that name;
    with_it: what may follow that. telling: what no opening has, as it tells of what was, or might have been.
    because: what begins a part, too, where but some of the parts are kept. asking: words behind which a verb
    asks for something. standing_in: words that stand for what was named before.
    """

    modifying: frozenset[str] = frozenset()
    with_it: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    parting: frozenset[str] = frozenset()
    denying: frozenset[str] = frozenset()
    remarking: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    correcting: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    because: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    standing_in: frozenset[str] = frozenset()


class Respelt(msgspec.Struct, frozen=True):
    """Words as they are spoken, and written as phrases have them (`reading.respelling`).

    dialects: "doon" is "down". learners: words of other languages. before_consonants: what a word is in front
    of any word that does not begin with a vowel: "an" is "and". endings: of words that nobody knows: "lookin"
    is "looking". dictated: marks, as words.
    """

    dialects: Mapping[str, str] = {}
    learners: Mapping[str, str] = {}
    before_consonants: Mapping[str, str] = {}
    endings: Mapping[str, str] = {}
    dictated: Mapping[str, str] = {}


class Core(msgspec.Struct, frozen=True):
    """A language without any domain.

    markers: the templates of each kind. constructions: how a frame may be said (`reading.constructions`).
    rules: what phrases of any domain may use as <rule>.
    denied: for a word like "is", the ways to deny it; denied_subject: for "you", where no such word stands;
    instead: "stays", plural: "are", infinitive: "to be" for "is".
    references, pointing: words that stand for a thing. of_people, of_either: those of them that stand for
    somebody, and those that stand for somebody or for things.
    flags: words for true and false.
    both: words for the two values of a list that has two; other: for the one that was not named last.
    between: words that may stand between the parts of a phrase that come in any order.
    fillers: what may stand anywhere without meaning anything; roughly: the same in front of numbers;
    roughly_behind: behind a number that ends its part; adjectives: in front of known names.
    ordinals, cardinals: words that steps of a list begin with, in order; commas part those of one step.
    turning_round: what may stand between two words of a name that are exchanged: "the motor on the wrist".
    contractions: endings that are words of their own: "'s" is "is".
    aliases: nouns that people use for one thing, with commas between them.
    shorthand: words as they are typed in a hurry, and written out: "fwd" is "forward". respelling: see there.
    statements: what tells that words say that something is so; texts: that they are to be said themselves.
    asides, cutting, skimming, refusing, questions: see there.
    persons: "you" for "me": what people say of themselves, as said to them.
    pause: the action and its parameter that waits for a time, for "in ten seconds show the scan".
    again: the action that does the last instruction again, and its parameter for how often.
    """

    markers: Mapping[Marker, tuple[Template, ...]] = {}
    constructions: tuple[Template, ...] = ()
    rules: Mapping[str, Template] = {}
    denied: Mapping[str, tuple[str, ...]] = {}
    denied_subject: Mapping[str, tuple[str, ...]] = {}
    instead: Mapping[str, tuple[str, ...]] = {}
    plural: Mapping[str, str] = {}
    infinitive: Mapping[str, str] = {}
    references: tuple[str, ...] = ()
    of_people: tuple[str, ...] = ()
    of_either: tuple[str, ...] = ()
    pointing: tuple[str, ...] = ()
    both: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    flags: Mapping[str, bool] = {}
    between: frozenset[str] = frozenset()
    fillers: tuple[str, ...] = ()
    roughly: tuple[str, ...] = ()
    roughly_behind: tuple[str, ...] = ()
    ordinals: tuple[str, ...] = ()
    cardinals: tuple[str, ...] = ()
    turning_round: tuple[str, ...] = ()
    adjectives: frozenset[str] = frozenset()
    contractions: Mapping[str, str] = {}
    aliases: tuple[str, ...] = ()
    shorthand: Mapping[str, str] = {}
    respelling: Respelt = Respelt()
    statements: Statements = Statements()
    texts: Texts = Texts()
    asides: Asides = Asides()
    cutting: Cutting = Cutting()
    skimming: Skimming = Skimming()
    refusing: Refusing = Refusing()
    persons: Mapping[str, str] = {}
    pause: tuple[str, str] = ("", "")
    again: tuple[str, str] = ("", "")
    questions: QuestionWords = QuestionWords()
    meta: MetaPhrases = MetaPhrases()
    language: str = ""


PARTS = ("acts", "verb", "goes", "done", "state", "theme", "roles")
"""What a construction may name of a frame (`framework.plugins.phrases.VerbFrame`)."""


@cache
def english() -> Core:
    """The English core that comes along."""
    return read_core(ENGLISH)


def read_core(file: Path) -> Core:
    """Read a core file. Raises DescriptionError with file, line, what stands there and what may."""
    return _Reader(file).core()


class _Reader:
    """One file, section by section."""

    def __init__(self, file: Path) -> None:
        self._described = Described(file, "language: English")
        self._rules: dict[str, Template] = {}

    def core(self) -> Core:
        described = self._described
        sections = described.mapping(described.root, "the file", _SECTIONS)
        if "rules" in sections:
            for name, (_, node) in described.mapping(sections["rules"].value, "rules").items():
                self._rules[name] = self._template(node)
        conditions = self._section(sections, "conditions", _CONDITIONS)
        return Core(
            markers=self._markers(sections),
            constructions=self._constructions(sections),
            rules=self._rules,
            denied=self._table(conditions, "denied"),
            denied_subject=self._table(conditions, "denied_subject"),
            instead=self._table(conditions, "instead"),
            plural=self._pairs(conditions, "plural"),
            infinitive=self._pairs(conditions, "infinitive"),
            references=self._words(sections, "references"),
            of_people=self._words(sections, "of_people"),
            of_either=self._words(sections, "of_either"),
            pointing=self._words(sections, "pointing"),
            both=self._words(sections, "both"),
            other=self._words(sections, "other"),
            flags=self._flags(sections),
            between=frozenset(self._words(sections, "between")),
            fillers=self._words(sections, "fillers"),
            roughly=self._words(sections, "roughly"),
            roughly_behind=self._words(sections, "roughly_behind"),
            ordinals=self._words(sections, "ordinals"),
            cardinals=self._words(sections, "cardinals"),
            turning_round=self._words(sections, "turning_round"),
            adjectives=frozenset(self._words(sections, "adjectives")),
            contractions=self._pairs(sections, "contractions"),
            aliases=self._words(sections, "aliases"),
            shorthand=self._pairs(sections, "shorthand"),
            respelling=self._respelling(sections),
            statements=Statements(**self._word_sets(sections, "statements", Statements.__struct_fields__)),
            texts=Texts(**self._word_sets(sections, "texts", Texts.__struct_fields__)),
            asides=self._asides(sections),
            cutting=Cutting(**self._word_sets(sections, "cutting", Cutting.__struct_fields__)),
            skimming=Skimming(**self._word_sets(sections, "skimming", Skimming.__struct_fields__)),
            refusing=self._refusing(sections),
            persons=self._pairs(sections, "persons"),
            pause=self._action_of(sections, "pause", "{action: wait, parameter: duration_s}"),
            again=self._action_of(sections, "again", "{action: repeat, parameter: times}"),
            questions=self._questions(sections),
            meta=self._meta(sections),
            language=described.text(sections["language"].value, "it") if "language" in sections else "",
        )

    def _markers(self, sections: Mapping[str, Entry]) -> dict[Marker, tuple[Template, ...]]:
        found: dict[Marker, tuple[Template, ...]] = {}
        for marker in Marker:
            section, _, key = marker.partition(".")
            entries = self._section(sections, section, _KEYS[section]) if key else sections
            if (key or section) in entries:
                texts = self._described.texts(entries[key or section].value, marker)
                found[marker] = tuple(self._marker(marker, text) for text in texts)
        return found

    def _constructions(self, sections: Mapping[str, Entry]) -> tuple[Template, ...]:
        if "constructions" not in sections:
            return ()
        texts = self._described.texts(sections["constructions"].value, "constructions")
        found = []
        for text in texts:
            template = self._template(text.node)
            strange = sorted(set(_rules_in(template)) - self._rules.keys() - set(PARTS))
            if strange:
                has = ", ".join(f"<{each}>" for each in PARTS)
                raise self._described.error(
                    text.node, f"{text.text!r}: <{strange[0]}> is no rule of this file; a frame has {has}"
                )
            found.append(template)
        return tuple(found)

    def _marker(self, marker: Marker, text: Text) -> Template:
        template = self._template(text.node)
        error = self._described.error
        if can_be_empty(template, self._rules):
            raise error(text.node, f"{text.text!r} could be said by saying nothing")
        try:
            always, sometimes, all_known = slots_of(template, self._rules)
        except DescriptionError as problem:
            raise error(text.node, str(problem)) from problem
        if not all_known:
            raise error(text.node, f"{text.text!r} names a <rule> that this file does not define")
        slot = _SLOTS.get(marker)
        if sometimes != always or always != ({slot} if slot else set()):
            wanted = f"exactly the slot {{{slot}}}" if slot else "no slot"
            raise error(text.node, f"{text.text!r}: what stands under {marker} has {wanted}")
        return template

    def _flags(self, sections: Mapping[str, Entry]) -> dict[str, bool]:
        entries = self._section(sections, "flags", ("true", "false"))
        return {word: name == "true" for name in entries for word in self._words(entries, name)}

    def _word_sets(
        self, sections: Mapping[str, Entry], name: str, keys: tuple[str, ...]
    ) -> dict[str, frozenset[str]]:
        entries = self._section(sections, name, keys)
        return {key: frozenset(self._words(entries, key)) for key in entries}

    def _asides(self, sections: Mapping[str, Entry]) -> Asides:
        sets = self._word_sets(sections, "asides", Asides.__struct_fields__)
        heeded = next(iter(sets.pop("heeded", ())), "")
        own_wish = next(iter(sets.pop("own_wish", ())), "")
        return Asides(heeded=heeded, own_wish=own_wish, **sets)

    def _respelling(self, sections: Mapping[str, Entry]) -> Respelt:
        entries = self._section(sections, "respelling", Respelt.__struct_fields__)
        return Respelt(**{key: self._pairs(entries, key) for key in entries})

    def _refusing(self, sections: Mapping[str, Entry]) -> Refusing:
        sets = self._word_sets(sections, "refusing", Refusing.__struct_fields__)
        senses: dict[tuple[str, ...], tuple[str, ...]] = {}
        for line in sets.pop("senses", ()):
            verbs = tuple(verb.strip() for verb in line.split(","))
            for verb in verbs:
                senses[tuple(verb.split())] = (*senses.get(tuple(verb.split()), ()), *verbs)
        verbs_of: dict[str, dict[tuple[str, ...], str]] = {"without": {}, "ending": {}}
        for name, found in verbs_of.items():
            for line in sets.pop(name, ()):
                verb, *words = (each.strip() for each in line.split(","))
                found |= {tuple(word.split()): verb for word in words}
        pairs = (line.split(",") for line in sets.pop("echoes", ()))
        echoes = {said.strip(): echoed.strip() for said, echoed in pairs}
        without, ending = verbs_of["without"], verbs_of["ending"]
        return Refusing(senses=senses, without=without, ending=ending, echoes=echoes, **sets)

    def _action_of(self, sections: Mapping[str, Entry], name: str, example: str) -> tuple[str, str]:
        """An action and one of its parameters; empty where a language has none."""
        entries = self._section(sections, name, ("action", "parameter"))
        if not entries:
            return ("", "")
        if len(entries) < 2:
            raise self._described.error(sections[name].value, f"{name} needs both: {example}")
        action, parameter = (self._described.text(entries[key].value, key) for key in ("action", "parameter"))
        return action, parameter

    def _questions(self, sections: Mapping[str, Entry]) -> QuestionWords:
        entries = self._section(sections, "questions", QuestionWords.__struct_fields__)
        found: dict[str, object] = {}
        for name in entries:
            if name in ("heads", "topics"):
                kinds = self._section(entries, name)
                named: dict[Words, str] = {}
                for kind in kinds:  # a word may belong to several
                    for way in _words_of(self._ways(kinds, kind)):
                        named[way] = f"{named[way]} {kind}" if way in named else kind
                found[name] = Ways(named)
            elif name == "expanded":
                found[name] = self._pairs(entries, name)
            else:
                is_set = QuestionWords.__annotations__[name] == "frozenset[str]"
                ways = dict.fromkeys(_words_of(self._ways(entries, name)), name)
                found[name] = frozenset(" ".join(way) for way in ways) if is_set else Ways(ways)
        return QuestionWords(**found)  # type: ignore[arg-type]  # by their annotations, just above

    def _meta(self, sections: Mapping[str, Entry]) -> MetaPhrases:
        fields: dict[str, object] = {}
        entries = self._section(sections, "meta", MetaPhrases.__struct_fields__)
        for name, (_, node) in entries.items():
            if name in ("phrases", "openings"):
                kinds = self._section(entries, name, tuple(MetaKind))
                fields[name] = {MetaKind(kind): self._ways(kinds, kind) for kind in kinds}
            elif name == "referring":
                signs = self._section(entries, name, tuple(Sign))
                fields[name] = {Sign(sign): self._ways(signs, sign) for sign in signs}
            elif name == "spelt":
                fields[name] = {**self._pairs(sections, "shorthand"), **self._pairs(entries, name)}
            elif name in ("numbers", "ordinals"):
                if not isinstance(node, yaml.SequenceNode):
                    raise self._described.error(node, f"{name} has to be a list of lists: [[one], [two]]")
                ways = [self._described.texts(each, f"a number of {name}") for each in node.value]
                fields[name] = tuple(tuple(text.text for text in each) for each in ways)
            else:
                fields[name] = self._ways(entries, name)
        return MetaPhrases(**fields)  # type: ignore[arg-type]  # names and types are checked just above

    # -- parts

    def _section(
        self, entries: Mapping[str, Entry], name: str, keys: tuple[str, ...] = ()
    ) -> dict[str, Entry]:
        return self._described.mapping(entries[name].value, name, keys) if name in entries else {}

    def _table(self, entries: Mapping[str, Entry], name: str) -> dict[str, tuple[str, ...]]:
        section = self._section(entries, name)
        table = {word: self._words(section, word) for word in section}
        for word, (_, node) in section.items():
            for way in self._described.texts(node, word):
                self._template(way.node)
        return table

    def _pairs(self, entries: Mapping[str, Entry], name: str) -> dict[str, str]:
        section = self._section(entries, name)
        return {word: self._described.text(node, "the word") for word, (_, node) in section.items()}

    def _words(self, entries: Mapping[str, Entry], name: str) -> tuple[str, ...]:
        if name not in entries:
            return ()
        texts = self._described.texts(entries[name].value, name)
        for text in texts:
            if not text.text.strip():
                raise self._described.error(text.node, "nobody can say nothing: write a word")
        return tuple(text.text for text in texts)

    def _ways(self, entries: Mapping[str, Entry], name: str) -> tuple[str, ...]:
        """Templates without slots and rules, written out."""
        found: dict[str, None] = {}
        for text in self._described.texts(entries[name].value, name):
            try:
                found |= dict.fromkeys(ways_of(self._template(text.node)))
            except DescriptionError as problem:
                raise self._described.error(text.node, str(problem)) from problem
        return tuple(each for each in found if each)

    def _template(self, node: yaml.Node) -> Template:
        text = self._described.text(node, "the phrase")
        try:
            return parse_template(text)
        except (DescriptionError, RecursionError) as error:
            raise self._described.error(node, str(error)) from error


def _rules_in(template: Template) -> Iterator[str]:
    match template:
        case syntax.Rule(name=name):
            yield name
        case syntax.Sequence(parts=parts) | syntax.Choice(options=parts):
            for part in parts:
                yield from _rules_in(part)


def _words_of(ways: Iterable[str]) -> tuple[Words, ...]:
    return tuple(tuple(way.casefold().split()) for way in ways)


def _keys(section: str) -> tuple[str, ...]:
    return tuple(key for marker in Marker for name, _, key in [marker.partition(".")] if name == section)


_CONDITIONS = (*_keys("conditions"), "denied", "denied_subject", "instead", "plural", "infinitive")
_KEYS = {
    "clause": _keys("clause"),
    "joins": _keys("joins"),
    "cancel": _keys("cancel"),
    "conditions": _CONDITIONS,
    "manner": _keys("manner"),
}
_SECTIONS = (
    "language", "rules", "constructions", "clause", "joins", "cancel", "wait_until", "conditions", "manner",
    "references", "of_people", "of_either", "pointing", "both", "other", "flags", "between", "fillers",
    "roughly", "roughly_behind", "ordinals", "cardinals", "turning_round", "adjectives", "contractions",
    "aliases", "shorthand", "respelling", "statements", "texts", "asides", "cutting", "skimming", "refusing",
    "persons", "pause", "again", "questions", "meta",
)  # fmt: skip
