"""The language of an installation: text in, plans out, and plans in words. Behind `framework.plan.Parser`.

Made once from the actions' phrases, the conditions and a language core; it knows no robot. What is not
understood at all is refused with what could have been said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.events import Subject
from framework.plan.ast import Condition, Do, Plan, Wait, actions_of
from framework.plan.ast import Sequence as Steps
from framework.plan.parser import Completions, NothingKnown, NotUnderstood, Reading, Understood, World
from framework.plan.words import in_words
from framework.plugins.action import Risk
from framework.plugins.service import Help
from framework.plugins.signature import ActionSpec
from grammars import lexicon
from grammars.conditions import Sayable
from grammars.core import Core
from grammars.intent.guessing import Guessing
from grammars.intent.mentions import Sides
from grammars.intent.patterns import Patterns
from grammars.reading.accepting import choices
from grammars.reading.bare_ways import BareWays
from grammars.reading.grammar import Grammar
from grammars.reading.naming import Naming, WithName, gives_first
from grammars.reading.questions import Question, Questions
from grammars.reading.reader import Reader, nothing_collides
from grammars.reading.requesting import instruction_in, wish_in
from grammars.reading.righting import Righting
from grammars.wording.completing import completions
from grammars.wording.help import helping
from grammars.wording.not_known import not_known
from grammars.wording.plans import PlanWords
from grammars.wording.teaching import refusal

#: How sure a reading is that is like what people say who want something else.
_DOUBTED: Final = 0.85
#: How much less sure a reading is whose words were taken out of the shape of a question.
_REQUESTED: Final = 0.95


class Language(Reader):
    """Understands instructions (`framework.plan.Parser`). The arguments are those of `Reader`.

    kinds_heard: names of these kinds have to be known, too, wherever something is understood.
    """

    kinds_heard: tuple[str, ...] = ()

    def __init__(
        self,
        actions: Iterable[ActionSpec] | Grammar,
        *,
        conditions: Iterable[Sayable] = (),
        core: Core | None = None,
        collide: Callable[[Do, Do], str] = nothing_collides,
    ) -> None:
        super().__init__(actions, conditions=conditions, core=core, collide=collide)
        self._world: World = NothingKnown()
        self.wording = PlanWords(self, lambda: self._world)
        actions = self.phrasebook.actions.values()
        self.questions = Questions(
            self.core.questions,
            self.recogniser,
            actions,
            self.kinds,
            self.written_out,
            self.nouns,
            self._begins_instructions,
        )
        idle = frozenset((*self.core.between, *self.core.fillers, *self.core.roughly))
        self.bare_ways = BareWays(self.phrasebook.actions, self.markers.boundaries, idle)
        self.naming = Naming(self.phrasebook.actions, self.core.texts.giving, self.markers, self.plainly)
        self.righting = Righting(
            self.speller,
            lambda text, world: self.recogniser.read(text, world, self.kinds),
            self._parse,
            self.plainly,
            self.phrasebook.slots,
            self.kinds,
        )
        self.guessing = Guessing(
            self.written_out,
            lambda text, world: self.recogniser.read(text, world, self.kinds),
            lambda utterance, world, text: self._markers.manners(self._matching(utterance, world, text)),
            self.plainly,
            lambda plan, world: self.in_words(plan, world) if self.sayable(plan, world) else "",
            self._instructs,
            Patterns(self.phrasebook, _sides(self)),
            self.kinds,
            self.core,
            joins=self.markers.boundaries,
        )

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """Every reading, the best first; or how much was understood. Never raises because of the text.

        A question is never an instruction: it is answered by an action that declares that it answers such
        questions, or it is said that nobody can know it. Misspellings are put right before (`righting`).
        What others meant otherwise who said the like is asked about.
        """
        found = self.by_grammar(text, world)
        return (
            Understood(self._doubted(found.readings, text, world)) if isinstance(found, Understood) else found
        )

    def by_grammar(self, text: str, world: World) -> Understood | NotUnderstood:
        """The same, whatever people usually mean (`Guessing.doubts`)."""
        self._world = world
        found = self.righting.read(text, world)
        if not isinstance(found, Understood) or found.readings[0].is_assumed:
            found = self._with_a_name_of_its_own(text, world) or found
        if not isinstance(found, Understood):
            return found
        utterance = self.recogniser.read(self.written_out(text), world, ())
        alone = partial(self._read_alone, world)
        return Understood(self.bare_ways.also(found.readings, utterance, alone))

    def _doubted(self, readings: tuple[Reading, ...], text: str, world: World) -> tuple[Reading, ...]:
        """The readings of a text; if people who say what is like it want something else, that as well.

        What was read as one thing and is like another is asked about. A question is believed to be one,
        unless it is like another question.
        """
        best = readings[0]
        if best.confidence < LEAST_CONFIDENCE or best.is_assumed:
            return readings  # it is asked about anyhow
        if sum(each.confidence == best.confidence for each in readings) > 1:
            return readings
        rather = self.guessing.doubts(self.spelt(text, world), best.plan, world)
        if rather is not None and self._answers(best.plan):
            rather = tuple(each for each in rather if self._answers(each.plan)) or None
        if rather is None:
            return readings
        return tuple(msgspec.structs.replace(each, confidence=_DOUBTED) for each in (best, *rather))

    def _read_alone(self, world: World, text: str) -> tuple[Reading, ...]:
        found = self.righting.read(text, world)
        return found.readings if isinstance(found, Understood) else ()

    def _with_a_name_of_its_own(self, text: str, world: World) -> Understood | None:
        """What a text means that uses a name which it has given before; None if none does."""
        if self.core.texts.giving.isdisjoint(self.recogniser.words(text)):
            return None
        written = self.written_out(text)
        for given in self.naming.given(self.recogniser.read(written, world, self.kinds), written, world):
            found = self.righting.read(text, WithName(world, given))
            if isinstance(found, Understood) and gives_first(found.readings[0].plan, given):
                return found
        return None

    def spelt(self, text: str, world: World) -> str:
        """The text with those misspellings put right that are certain, but for what is to be handed on."""
        return self.righting.certain(text, world)

    def _parse(self, text: str, world: World) -> Understood | NotUnderstood:
        asked = self.asked(text, world)
        if any(self.means_something(each, world) for each in (asked[0].beside if asked else ())):
            asked = ()  # "where is the door, then drive there" wants more than an answer
        if asked and self._is_plainly_instructed(text, world):
            asked = ()  # "the robot's front to be looking at the cup": only "'s" makes a question of it
        plan = self.questions.plan(asked) if asked else None
        if not asked and (wish := self._wish_of_others(text, world)) and not self.read(text, world).readings:
            return self.parse(wish, world)
        requested = self._requested(text, world) if plan is None else ""
        if requested or not asked:
            return self._instruction(text, world, requested)
        may_move = not any(each.is_certain for each in asked)
        plain = self.as_it_stands(text, world, is_thorough=False).readings
        if plain and (may_move or self._answers(plain[0].plan) or self._answers_first(plain[0].plan)):
            return Understood(plain)
        if plan is not None and not may_move:
            return Understood((Reading(plan),))
        read = self.read(text, world)
        best = read.readings[0] if read.readings else None
        if plan is not None and (best is None or best.is_assumed):
            return Understood((Reading(plan),))
        if best is not None and (may_move or self._answers(best.plan)):
            return Understood(read.readings)
        refused = refusal(read, self, world, text)
        if refused.kind is Subject.NO_THING and self._instructs(self.recogniser.words(text)):
            return refused  # "give me the middle arm"
        if found := self._in_parts(text, world):
            return Understood((Reading(found),))
        if any(self._instructs(each.split()) for each in asked[0].beside) or (
            asked[0].is_weak and self._names_a_verb(text)
        ):
            return self._instruction(text, world, requested)
        return not_known(asked, refused, world)

    def _is_plainly_instructed(self, text: str, world: World) -> bool:
        """Whether a text that begins as no question does, or with "when", is just an instruction of ours."""
        words = self.recogniser.words(text)
        asking = self.core.refusing.asking | self.core.questions.whether
        if not words or text.rstrip().endswith("?"):
            return False
        found = self.as_it_stands(text, world, is_thorough=False).readings
        if not found or found[0].confidence < 1.0 or self._answers(found[0].plan):
            return False
        return words[0] not in asking or _waits_first(found[0].plan)

    def plainly(self, text: str, world: World) -> tuple[Reading, ...]:
        """The readings of a text as it stands; those of what is typed in a hurry, written out."""
        return self.as_it_stands(self.written_out(text), world, is_thorough=False).readings

    def _requested(self, text: str, world: World) -> str:
        """What is asked for in the shape of a question, as an instruction; empty if nothing is."""
        utterance = self.recogniser.read(self.written_out(text), world, ())
        return instruction_in(utterance, self.core.questions, self._begins_instructions)

    def _wish_of_others(self, text: str, world: World) -> str:
        """What somebody else is said to wish, as a wish of the speaker; empty if nothing is."""
        asides, questions = self.core.asides, self.core.questions
        wishing = asides.wishing_of_others | questions.supposing
        if wishing.isdisjoint(self.recogniser.words(text)):
            return ""
        utterance = self.recogniser.read(self.written_out(text), world, self.kinds)
        return wish_in(utterance, asides, questions, self.own_places(utterance))

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        """What a text that is not understood probably means (`Guessing`): offered, never done unasked."""
        self._world = world
        return self.guessing.guess(self.spelt(text, world), world)

    def like(self, text: str, world: World) -> str:
        """What of the dialogue itself a text is like (`framework.plan.parser.Guesses`)."""
        self._world = world
        return self.guessing.like(text, world)

    def _begins_instructions(self, word: str) -> bool:
        """Whether an instruction may begin with a word as it stands."""
        never = self.core.refusing.no_verbs | self.core.adjectives
        is_ours = word in self.phrasebook.heads and word not in never
        return is_ours or (word,) in self.core.refusing.senses

    def _instructs(self, words: Sequence[str]) -> bool:
        """Whether a clause begins with a verb, as instructions do; "forgive me" asks for nothing."""
        first = next((word for word in words if word not in self.core.between and word != "then"), "")
        if self._begins_instructions(first):
            return True
        if first != words[0] or not self.core.questions.mine.isdisjoint(words):
            return False
        return first not in self.core.refusing.no_verbs and lexicon.is_verb(first)

    def _names_a_verb(self, text: str) -> bool:
        """Whether any word of a text may begin an instruction, or is a number."""
        words = self.recogniser.words(self.written_out(text))
        return any(word[0].isdigit() or self.grammar.is_verb(word) for word in words)

    def _in_parts(self, text: str, world: World) -> Plan | None:
        """Who answers what of a text is a question, whatever is remarked beside it; None if nobody does."""
        found = self.questions.in_parts(
            text, world, lambda clause: self.condition(clause, world), self._instructs
        )
        return self.questions.plan(found) if found else None

    def _instruction(self, text: str, world: World, requested: str = "") -> Understood | NotUnderstood:
        """What a text asks to be done, if need be without what nobody knows of it; or why nothing is.

        requested: the same as a plain instruction, where it has the shape of a question.
        """
        read = self.read(text, world)
        if read.readings:
            return Understood(read.readings)
        if not requested:
            requested = self._requested(text, world)
        if requested:
            text, read = requested, self.read(requested, world)
            if read.readings:
                return Understood(_requested_so(read.readings))
        refused = refusal(read, self, world, text)
        if not requested and refused.kind is Subject.NOT_UNDERSTOOD and (plan := self._in_parts(text, world)):
            return Understood((Reading(plan),))
        found = self.skimmed(text, world, read.failed) if refused.kind is not Subject.NO_ACTION else ()
        return Understood(found) if found else refused

    def asked(self, text: str, world: World) -> tuple[Question, ...]:
        """The questions that a text asks."""
        return self.questions.read(text, world, lambda clause: self.condition(clause, world))

    def condition(self, text: str, world: World) -> Condition | None:
        """What a clause says is so ("the door is open"); None if it says nothing of that kind."""
        return self.condition_of(text, world)

    def _answers(self, plan: Plan) -> bool:
        """Whether nothing moves by a plan, as by what is asked for in the form of a question."""
        specs = (self.phrasebook.actions.get(do.action) for do in actions_of(plan))
        return all(spec is not None and spec.risk is Risk.NONE for spec in specs)

    def _answers_first(self, plan: Plan) -> bool:
        """Whether it answers or shows, and does something else that was asked for beside the question."""
        specs = [self.phrasebook.actions.get(do.action) for do in actions_of(plan)]
        return len(specs) > 1 and any(spec is not None and spec.risk is Risk.NONE for spec in specs)

    def complete(self, text: str, world: World) -> Completions:
        """What could follow a text, the likeliest first. Never raises because of the text."""
        return completions(text, lambda part: self.as_it_stands(part, world))

    def help(self, topic: str, world: World) -> Iterator[Help | None]:
        """What can be asked for now; with a topic, only what has to do with it. None after each step."""
        return helping(self, topic, world)

    def in_words(self, plan: Plan, world: World | None = None) -> str:
        """A plan as an instruction that is understood as this plan again, if there is one (`sayable`).

        world: whose names are said; if none is given, the one of the last `parse`, as in `wording`.
        """
        return in_words(plan, self.wording if world is None else PlanWords(self, lambda: world))

    def sayable(self, plan: Plan, world: World | None = None) -> bool:
        """Whether the words of a plan are understood as exactly this plan."""
        known = self._world if world is None else world
        found = self.as_it_stands(self.in_words(plan, world), known).readings
        return [each.plan for each in found if each.confidence == found[0].confidence] == [plan]


def _requested_so(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    return tuple(
        msgspec.structs.replace(each, confidence=round(each.confidence * _REQUESTED, 6)) for each in readings
    )


def _waits_first(plan: Plan) -> bool:
    """Whether it begins when something is so: "when the door opens, drive to it"."""
    return isinstance(plan, Steps) and bool(plan.steps) and isinstance(plan.steps[0], Wait)


def _sides(language: Language) -> Sides:
    specs = language.phrasebook.actions.values()
    values = (value for spec in specs for each in spec.parameters if each.which for value in choices(each))
    return Sides.of(values, language.core.both)
