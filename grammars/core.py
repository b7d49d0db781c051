"""The core of a language: what every domain shares, as data. `core_file` reads it.

What the parts mean is in `grammars/reading` (`clauses`, `joins`); commands about the supervisor itself become
its `MetaPhrases`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from framework.dialogue.meta import MetaPhrases
from framework.plugins.template import Template
from grammars.question_words import QuestionWords

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
        if "?" in words:
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
    condition something is done: what has one is never guessed as a whole. leading: those of them behind which
    something is done, too, and how that is said plainly: "before you" for "before you pop over to the shelf".
    doers: who does it. no_sides: words in which a side is none: "right there".
    """

    at: frozenset[str] = frozenset()
    keeping: frozenset[str] = frozenset()
    leading: Mapping[str, str] = {}
    doers: frozenset[str] = frozenset()
    no_sides: frozenset[str] = frozenset()


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
