"""Questions, whatever their words: what kind of answer is wanted, about what, and of whom. Pure.

    question = kind (where, how far, whether, why …)
             × topics (stop, see, hold …)
             × subject (a thing, a kind of things, a device, the robot itself, whoever asks)

The kind is told by how a question begins, topics and subject by the words behind that. Every word has to be
one of these, a known name, or one that says nothing by itself; what is left over is said to be unknown.
Actions say which of them they answer (`answers:` in their `phrases.yaml`); what nobody answers gets an honest
"I cannot know". A question is never an instruction: "did you close the gripper?" closes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from framework.plan.ast import Condition, Do, Plan, Value
from framework.plan.ast import Sequence as Steps
from framework.plan.parser import World
from framework.plugins.phrases import Answers
from framework.plugins.signature import ActionSpec
from framework.plugins.template import ways_of
from grammars import lexicon
from grammars.question_words import QuestionWords, Ways
from grammars.reading.inflection import base_forms
from grammars.reading.nouns import Nouns
from grammars.reading.recogniser import Recogniser
from grammars.reading.tokens import MARKS, is_article
from grammars.reading.utterance import Named, Utterance

#: Kinds of names that things, devices and what was taught are known under.
_THINGS: Final = ("world.known", "world.things", "world.objects", "world.places")
_DEVICES: Final = ("devices", "sensors")
_OTHERS: Final = ("sessions.all", "motions", "views", "poses")
_MOST_WORDS: Final = 40
#: So many words there may be of who else asks something.
_MOST_ASKING: Final = 8
#: Whose verb is put behind the subject where a question says that something is so.
_AUXILIARIES: Final = frozenset(("is", "are", "was", "were", "has", "have"))
_DONE: Final = frozenset(("did", "have", "has", "had"))
DID: Final = "did"
#: Topics of what was to be done: "did you get to the door" is not whether it is there now.
_REACHED: Final = frozenset(("done", "reach"))
CAN: Final = "can"
_EMPHATIC: Final = frozenset(("do", "does", "did", "can", "could"))

#: Whether a clause ("the door is open") is a condition that could be told.
FindCondition = Callable[[str], Condition | None]


class Question(msgspec.Struct, frozen=True):
    """One question.

    kind: a head of `QuestionWords`, "whether", "did" of what was done, "can" of a verb alone.
    topics: what it is about.
    of: what it is asked of (thing, class, device, self, me, it, person, condition, verb, unknown, nothing).
    thing: the first known name; place: the next one; group: the noun for several things; colour: of these.
    said: the names as they were said; content: all words that say something. clause: what is asked about, as
    a statement. unknown: words that nothing accounts for, in groups. is_certain: no instruction begins so.
    beside: the clauses of the text that ask nothing. is_weak: it may as well be an instruction.
    """

    kind: str
    topics: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    thing: str = ""
    place: str = ""
    group: str = ""
    colour: str = ""
    said: str = ""
    content: str = ""
    clause: str = ""
    unknown: tuple[str, ...] = ()
    text: str = ""
    is_certain: bool = False
    beside: tuple[str, ...] = ()
    is_weak: bool = False


class Questions:
    """Reads questions, and finds who answers them.

    kinds: of names that may be said. written_out: a text with "forward" for "fwd". nouns: of known things.
    begins_instructions: whether an instruction may begin with a word.
    """

    def __init__(
        self,
        words: QuestionWords,
        recogniser: Recogniser,
        actions: Iterable[ActionSpec],
        kinds: Sequence[str],
        written_out: Callable[[str], str],
        nouns: Nouns,
        begins_instructions: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._begins_instructions = begins_instructions
        self._written_out = written_out
        self._nouns = nouns
        self._words = msgspec.structs.replace(
            words,
            **{
                name: value.without(is_article)
                for name in words.__struct_fields__
                if isinstance(value := getattr(words, name), Ways)
            },
        )
        self._recogniser = recogniser
        actions = tuple(actions)
        topics = self._words.topics
        for spec in actions:
            for name, templates in spec.phrases.topics:
                ways = {_said(way): name for template in templates for way in ways_of(template)}
                topics = topics.with_more({way: each for way, each in ways.items() if way})
        self._words = msgspec.structs.replace(self._words, topics=topics)
        self._answers = [(spec.name, each) for spec in actions for each in spec.phrases.answers]
        self._defaults = {
            spec.name: {each.name: each.default for each in spec.parameters} for spec in actions
        }
        self._verbs = words.whether | frozenset(("will", "can", "could", "would"))
        self._kinds = tuple(each for each in (*_THINGS, *_DEVICES, *_OTHERS) if each in kinds)

    def read(self, text: str, world: World, condition: FindCondition) -> tuple[Question, ...]:
        """The questions that a text asks; none if it asks nothing, or is too long to be one."""
        plain = self._plain(text)
        if not 0 < len(plain) <= _MOST_WORDS or self._words.never.begins(self._opened(plain)[0]):
            return ()
        clauses = tuple(part for clause in _clauses(plain) for part in self._asked_one_by_one(clause))
        opened = [self._opened(clause, is_alone=len(clauses) == 1) for clause in clauses]
        if not any(rest for rest, _ in opened):
            return ()
        heads = [self._head(rest, is_told) for rest, is_told in opened]
        if not text.rstrip().endswith("?"):  # "is too much" asks nothing
            heads = [
                None if head and self._has_no_subject(rest, head, world) else head
                for (rest, _), head in zip(opened, heads, strict=True)
            ]
        is_weak = False
        if not any(heads):
            is_asked = text.rstrip().endswith("?") or self._words.interrogative.begins(plain)
            if not is_asked or any(self._words.requests.begins(rest) for rest, _ in opened):
                return ()
            opened = [([word for rest, _ in opened for word in rest], False)]
            heads = [("whether", 0)]
            is_weak = True
        found: list[Question] = []
        loose: list[Sequence[str]] = []
        for (rest, _), head in zip(opened, heads, strict=True):
            if head is None:
                loose.append(rest)
                continue
            before = loose if not found else ()
            if any(self._is_else(each, rest, world) for each in before):
                return ()  # "turn the valve, tell me what you see" is an instruction, though an unknown one
            is_alone = sum(map(bool, heads)) == 1
            asks = self._question(
                head, rest, text.strip().rstrip("?!. "), before, world, condition, is_alone=is_alone
            )
            asks = self._of_the_same(asks, rest, found)
            reports = not self._words.heads.begins(rest) and plain[0] in self._words.reporting
            found.append(msgspec.structs.replace(asks, is_weak=is_weak or reports))
            loose = []
        if loose:  # "where is it, the red cup?"
            found[-1] = self._with_more(found[-1], loose, world)
        others = tuple(
            " ".join(rest) for (rest, _), head in zip(opened, heads, strict=True) if not head and rest
        )
        return tuple(msgspec.structs.replace(each, beside=others) for each in found)

    def in_parts(
        self, text: str, world: World, condition: FindCondition, instructs: Callable[[Sequence[str]], bool]
    ) -> tuple[Question, ...]:
        """Those questions of a text that can be answered, without what is remarked beside them.

        For texts with words that nobody knows: those that only qualify are left out.
        None if any part of it may be an instruction (`instructs`).
        """
        plain = self._plain(text)
        if not 0 < len(plain) <= _MOST_WORDS or self._words.never.begins(self._opened(plain)[0]):
            return ()
        asked = text.strip().rstrip("?!. ")
        found: list[Question] = []
        parts = [*self._parts(plain)]
        for part in parts:
            rest, is_told = self._opened(part, is_alone=len(parts) == 1)
            head = self._head(rest, is_told)
            is_request = self._words.requests.begins(rest)
            is_weak = head is None and len(parts) == 1 and text.rstrip().endswith("?") and not is_request
            if is_weak and rest:
                head = ("whether", 0)
            if head is None:
                if rest and (instructs(rest) or is_request):
                    return ()
                continue
            is_alone = len(parts) == 1
            question = self._question(head, rest, asked, (), world, condition, is_alone=is_alone)
            if is_request and (question.unknown or self._answer(question) is None):
                return ()  # "could it come up on the screen"
            question = self._without_unknown(question, is_sure=not is_weak)
            if self._answer(question) is not None:
                found.append(question)
        return tuple(found)

    def _asked_one_by_one(self, clause: Sequence[str]) -> Iterator[Sequence[str]]:
        """The questions of a clause that are joined: "how many cups and how many doors do you know"."""
        begin = 0
        for at in range(1, len(clause) - 1):
            if clause[at] not in self._words.adding:
                continue
            before, behind = clause[begin:at], clause[at + 1 :]
            head = self._words.heads.at(before, 0)
            is_whole = len(before) > (head[0] if head is not None else 1)
            asks = self._words.heads.begins(behind) and not self._verbs.isdisjoint(behind)
            if not asks and behind[0] in self._words.whether:
                asks = self._head(behind, False) is not None and self._head(before, False) is not None
            if is_whole and asks:
                yield before
                begin = at + 1
        yield clause[begin:]

    def _parts(self, words: Sequence[str]) -> Iterator[list[str]]:
        """What stands between marks, and between joins behind which a question begins."""
        for clause in _clauses(words):
            begin = 0
            for at in range(1, len(clause) - 1):
                behind = clause[at + 1 :]
                begins = self._words.heads.begins(behind) or behind[0] in self._words.whether
                if clause[at] in self._words.joining and at > begin and (begins or self._asks_here(behind)):
                    yield clause[begin:at]
                    begin = at + 1
            yield clause[begin:]

    def _asks_here(self, words: Sequence[str]) -> bool:
        """Whether what is asked is asked anew: "could you tell me …", "or somebody took it"."""
        asking = self._words.asking.at(words, 0)
        return asking is not None or words[0] in _SUBJECTS or words[0] in self._words.own

    def _without_unknown(self, question: Question, *, is_sure: bool) -> Question:
        """The same without words that nobody knows, where they only qualify: "quite", "sure".

        is_sure: it can be nothing but a question; a thing that it is about is told of in any case.
        """
        if not question.unknown:
            return question
        is_told = all(lexicon.only_qualifies(word) for each in question.unknown for word in each.split())
        if is_told:
            return msgspec.structs.replace(
                question, of=question.of - {"unknown", "verb"} or frozenset(("nothing",)), unknown=()
            )
        if is_sure and question.of & {"thing", "device"} and question.thing:
            of = question.of & {"thing", "device"}
            return msgspec.structs.replace(question, kind="whether", of=of, topics=frozenset(), unknown=())
        return question

    def _is_else(self, clause: Sequence[str], rest: Sequence[str], world: World) -> bool:
        """Whether a clause before a question is neither known nor what the question is about ("see it")."""
        about = self._about(Question(""), clause, 0, world)
        return bool(about.unknown) and self._words.it.isdisjoint(rest)

    def plan(self, questions: Sequence[Question]) -> Plan | None:
        """Who answers them all; None if nobody answers one of them."""
        answers = [self._answer(each) for each in questions]
        steps = [each for each in answers if each is not None]
        if not steps or len(steps) < len(answers):
            return None
        steps = [each for at, each in enumerate(steps) if _asked_of(each) not in map(_asked_of, steps[:at])]
        return steps[0] if len(steps) == 1 else Steps(tuple(steps))

    # -- the kind

    def _plain(self, text: str) -> list[str]:
        """The words, written out, and marks."""
        words: list[str] = []
        for word in self._recogniser.words(self._written_out(text)):
            written = self._words.expanded.get(word)
            if written is None and word.endswith("'s"):
                written = f"{word[:-2]} is"
            words += (written or word).split()
        return words

    def _opened(self, words: Sequence[str], *, is_alone: bool = True) -> tuple[list[str], bool]:
        """Without what stands before and behind a question; whether that makes one of what follows.

        is_alone: it is all that was said, so that something has to be left of it.
        """
        rest, is_told = list(words), False
        while rest:
            asking = self._words.asking.at(rest, 0) or self._asked_by_others(rest)
            opening = self._words.openings.at(rest, 0) if asking is None else asking
            if asking is not None and not self._asks(rest[asking[0] :], rest[0] in self._words.reporting):
                opening = self._words.openings.at(rest, 0)
                asking = None
            if opening is None or (is_alone and opening[0] >= len(rest)):
                break
            is_told = is_told or asking is not None
            rest = rest[opening[0] :]
            while rest and rest[0] in MARKS:
                rest = rest[1:]
        while (more := self._words.closings.before(rest)) and more < len(rest) + (not is_alone):
            left = rest[:-more]
            if left and self._says_more(rest[len(left) :]) and not self._says_more(left):
                break  # "what are you up to now"
            rest = left
        return rest, is_told

    def _asked_by_others(self, words: Sequence[str]) -> tuple[int, str] | None:
        """Where a question begins that somebody else asks: "the lady would like to know what you do"."""
        is_asked_for = self._begins_instructions(words[0]) and lexicon.is_verb(words[0])
        if is_asked_for or words[0] in self._words.own or self._words.heads.begins(words):
            return None
        for at in range(1, min(_MOST_ASKING, len(words))):
            if (found := self._words.others_asking.at(words, at)) is not None:
                return found
        return None

    def _says_more(self, words: Sequence[str]) -> bool:
        """Whether a topic is among some words."""
        return any(self._words.topics.at(words, at) for at in range(len(words)))

    def _asks(self, rest: Sequence[str], reports: bool) -> bool:
        """Whether a question follows, as one that is told of. reports: what is known of a topic will do."""
        if not rest:
            return False
        if rest[0] in ("if", "whether", ",", ":"):
            return True
        opening = self._words.openings.at(rest, 0)
        behind = rest[opening[0] :] if opening is not None else rest
        begins = self._words.heads.begins(rest) or self._words.heads.begins(behind)
        is_known = reports and any(self._words.topics.at(rest, at) for at in range(len(rest)))
        return begins or rest[0] in self._words.own or is_known

    def _head(self, words: Sequence[str], is_told: bool) -> tuple[str, int] | None:
        """The kind of question that begins here, and the first word behind what tells it."""
        if not words or self._is_suggested(words):
            return None
        if is_told and words[0] in ("if", "whether"):
            return "whether", 1
        head = self._words.heads.at(words, 0)
        if head is not None:
            kind = head[1].split()[0]
            # "When the door is open …" and the like is no question, if no verb of one follows.
            follows = words[head[0] : head[0] + 1]
            is_when = kind == "when" and not is_told and not set(follows) & self._verbs
            return None if is_when else (kind, head[0])
        if words[0] in self._words.whether:
            if words[0] in ("do", "have") and words[1:2] and words[1] not in (*self._words.own, *_SUBJECTS):
                return None  # "do it", "have a look"
            return (DID if words[0] in _DONE else "whether", 0) if len(words) > 1 else None
        request = self._words.requests.at(words, 0)
        if request is not None and len(words) > 1:
            rest = [word for word in words[2:] if word not in _ADVERBS]
            if words[1] != "you":
                is_other = words[1] not in (*self._words.mine, *self._words.own)
                return ("whether", 0) if is_other else None
            if rest and rest[0] in self._words.abilities:
                return "whether", 0
            return (CAN, 2) if words[0] == CAN and rest and self._is_only_a_verb(rest) else None
        if self._words.elliptical.begins(words):
            return "what", 0
        if is_told or self._is_of_a_state(words):
            return "whether", 0
        return None

    def _is_of_a_state(self, words: Sequence[str]) -> bool:
        """Whether the verb of a question is left out: "you done yet", "everything okay", "you moving"."""
        behind = [word for word in words[1:] if word not in _ADVERBS and word not in ("all", "not")]
        if not behind or words[0] not in ("you", "it", "everything", "all", "anything"):
            return False
        is_doing = words[0] == "you" and behind[0].endswith("ing")
        return is_doing or self._words.predicates.begins(behind)

    def _has_no_subject(self, words: Sequence[str], head: tuple[str, int], world: World) -> bool:
        """Whether a verb that would ask of something stands before nothing that it could ask of."""
        if head[0] != "whether" or head[1] or words[0] not in _AUXILIARIES:
            return False
        about = self._about(Question(""), words, 1, world)
        return about.of == {"nothing"} and not about.topics

    def _is_suggested(self, words: Sequence[str]) -> bool:
        """Whether it is suggested to do something to something: "why don't you open the door"."""
        found = self._words.suggesting.at(words, 0)
        if found is None or len(words) - found[0] < 2 or words[found[0]].endswith("ing"):
            return False
        return not self._is_only_a_verb(words[found[0] :])

    def _is_only_a_verb(self, words: Sequence[str]) -> bool:
        """Whether nothing is said of what is to be done but the verb: "can you drive?"."""
        at = 0
        while at < len(words):
            found = self._words.topics.at(words, at) or self._words.function.at(words, at)
            if found is None:
                return False
            at = found[0]
        return True

    def _is_certain(self, kind: str, words: Sequence[str]) -> bool:
        """Whether no instruction begins so: "did you close it", but "have the gripper open"."""
        if kind not in ("whether", DID):
            return kind not in ("what", "which", "any", CAN)
        is_ours = words[0] in ("have", "do", "should", "must", "shall") or words[0] not in self._words.whether
        return not is_ours or words[1:2] in (["you"], ["i"], ["we"], ["they"])

    # -- what it is about

    def _question(
        self,
        head: tuple[str, int],
        words: Sequence[str],
        asked: str,
        loose: Sequence[Sequence[str]],
        world: World,
        condition: FindCondition,
        *,
        is_alone: bool = True,
    ) -> Question:
        kind, at = head
        said = {word.strip("?!.,") for word in asked.casefold().split()}  # with the articles: "your arm"
        if not is_alone:
            said = {word for word in said if word in words or is_article(word)}
        people = {"self"} if said & self._words.own else set()
        people |= {"me"} if said & self._words.mine else set()
        asks = Question(kind, of=frozenset(people), text=asked, is_certain=self._is_certain(kind, words))
        about = self._about(asks, words, at, world)
        is_of_before = bool(loose) and "it" in about.of
        for each in loose:
            about = self._about(about, each, 0, world)
        if kind == "whether" and "self" in about.of and any(map(_is_past, about.unknown)):
            about = msgspec.structs.replace(about, kind=DID)  # "I wonder whether you closed it"
            kind = DID
        if kind in ("why", DID) and "self" in about.of and len(about.unknown) == 1:
            # A verb that is none of ours may be asked after all the same: "why didn't you grab it?"
            about = msgspec.structs.replace(about, of=about.of - {"unknown"} | {"verb"})
        is_of_its_doings = words[0] == "did" and not about.topics.isdisjoint(_REACHED) and "self" in about.of
        if kind in ("whether", DID) and not is_of_before and not is_of_its_doings:
            for clause in _statements(words, about):
                if condition(clause) is not None:
                    return msgspec.structs.replace(
                        about, clause=clause, of=about.of - {"unknown", "verb"} | {"condition"}, unknown=()
                    )
        return about

    def _of_the_same(self, question: Question, words: Sequence[str], before: Sequence[Question]) -> Question:
        """A question that names nothing but "one" or "it" after another one: of the same things."""
        last = before[-1] if before else None
        is_from_it = question.kind == "how_far" and "it" in question.of and not question.place
        if last is not None and last.thing and question.thing and is_from_it:  # "how far is it from the door"
            topics = question.topics | {"between"}
            return msgspec.structs.replace(question, thing=last.thing, place=question.thing, topics=topics)
        if last is None or question.thing or question.group or not (last.group or last.thing):
            return question
        of = question.of - {"nothing", "unknown", "self", "it"}
        if not self._words.ones.isdisjoint(words):  # "is a blue one there"
            group = last.group or last.thing
            return msgspec.structs.replace(question, group=group, said=group, of=of | {"class"})
        if "it" in question.of and last.thing:  # "what is on it"
            is_of = last.of & {"thing", "device", "named"}
            return msgspec.structs.replace(question, thing=last.thing, said=last.said, of=of | is_of)
        return question

    def _with_more(self, question: Question, loose: Sequence[Sequence[str]], world: World) -> Question:
        for words in loose:
            if question.kind != "who":  # "who drives, I or Mary?" is answered whoever Mary is
                question = self._about(question, words, 0, world)
        return question

    def _about(self, before: Question, words: Sequence[str], at: int, world: World) -> Question:
        """What the words from `at` on add to a question."""
        utterance = self._recogniser.read(" ".join(words), world, self._kinds)
        tokens = [token.text for token in utterance.tokens]
        at = min(at, len(tokens))
        topics, of = set(before.topics), set(before.of) - {"nothing"}
        names = [each for each in (before.thing, before.place) if each]
        colour, group, said = before.colour, before.group, list(filter(None, [before.said]))
        content = list(filter(None, [before.content]))
        unknown: list[list[str]] = [each.split() for each in before.unknown]
        was_unknown = False
        while at < len(tokens):
            word = tokens[at]
            end = at + 1
            named = self._named(utterance, at)
            topic = self._words.topics.at(tokens, at)
            is_unknown = False
            function = None
            if named is not None and named[1].end == end and self._group(word, world) not in ("", word):
                named = None  # "gauges", which the one gauge may be called, too
            if named is not None and (topic is None or named[1].end >= topic[0]):
                kind, found = named
                end = found.end
                names.append(
                    " ".join(tokens[at:end]) if self._is_several(utterance, at, end) else found.known.value
                )
                said.append(" ".join(tokens[at:end]))
                of.add("thing" if kind in _THINGS else "device" if kind in _DEVICES else "named")
                if kind in _DEVICES or self._is_device(utterance, at, end):
                    of.add("device")
            elif word in self._words.colours:
                colour = word
            elif singular := self._group(word, world):
                group = singular
                of.add("class")
                said.append(word)
            elif topic is not None:
                end = topic[0]
                topics.update(topic[1].split())
                if "person" in topic[1].split():
                    of.add("person")
            elif (function := self._words.function.at(tokens, at)) is not None:
                end = function[0]
            elif word in MARKS:
                pass
            elif not word.isdigit():
                is_unknown = True
                if was_unknown:
                    unknown[-1].append(word)
                else:
                    is_coloured = at > 0 and tokens[at - 1] in self._words.colours
                    unknown.append([tokens[at - 1], word] if is_coloured else [word])
            if word in self._words.own:
                of.add("self")
            elif word in self._words.mine:
                of.add("me")
            elif word in self._words.it:
                of.add("it")
            if is_unknown or (function is None and word not in MARKS):
                content += tokens[at:end]
            was_unknown = is_unknown
            at = end
        if unknown:
            of.add("unknown")
        return msgspec.structs.replace(
            before,
            topics=frozenset(topics),
            of=frozenset(of or {"nothing"}),
            thing=names[0] if names else "",
            place=names[1] if len(names) > 1 else "",
            group=group,
            colour=colour,
            said=" ".join(said),
            content=" ".join(content),
            unknown=tuple(" ".join(each) for each in unknown),
        )

    def _named(self, utterance: Utterance, at: int) -> tuple[str, Named] | None:
        """The longest known name that begins here, and its kind."""
        found = [
            (kind, named)
            for kind in self._kinds
            for named in utterance.names.get(kind, {}).get(at, ())
            if named.known.name not in ("robot", "yourself")
        ]
        return max(found, key=lambda each: each[1].end, default=None)

    def _is_several(self, utterance: Utterance, at: int, end: int) -> bool:
        """Whether these words name several things of a kind ("the arm")."""
        return any(
            len({each.known.value for each in utterance.names.get(kind, {}).get(at, ()) if each.end == end})
            > 1
            for kind in self._kinds
        )

    def _is_device(self, utterance: Utterance, at: int, end: int) -> bool:
        return any(each.end == end for kind in _DEVICES for each in utterance.names.get(kind, {}).get(at, ()))

    def _group(self, word: str, world: World) -> str:
        """The noun that several known things are called by: "cup" for "cups"."""
        forms = {word, *base_forms(word), word.removesuffix("s"), word.removesuffix("es")}
        for kind in self._kinds:
            noun = self._nouns.first_of(forms, kind, world.known(kind)) if kind in _THINGS else ""
            if noun:
                return noun
        return ""

    # -- who answers

    def _answer(self, question: Question) -> Do | None:
        """The action that says that it answers this; what says most about a question comes first."""
        fitting = [
            (_weight(answers), action, answers)
            for action, answers in self._answers
            if _fits(answers, question)
        ]
        if not fitting:
            return None
        _, action, answers = max(fitting, key=lambda each: each[0])
        default = self._defaults[action]
        given: dict[str, Value] = {
            name: said for name, said in _filled(answers, question) if said != default.get(name)
        }
        return Do(action, given)


def _said(way: str) -> tuple[str, ...]:
    return tuple(word for word in way.casefold().split() if not is_article(word))


_SUBJECTS: Final = frozenset(
    ("i", "we", "they", "he", "she", "people", "all", "both", "these", "those", "any")
)
_ADVERBS: Final = frozenset(("still", "even", "actually", "also", "now", "please", "really", "already"))


def _is_past(word: str) -> bool:
    return word.endswith("ed") and any(map(lexicon.is_known, base_forms(word)[1:]))


def _clauses(words: Sequence[str]) -> Iterator[list[str]]:
    """The parts between marks."""
    clause: list[str] = []
    for word in words:
        if word in MARKS:
            if clause:
                yield clause
            clause = []
        else:
            clause.append(word)
    if clause:
        yield clause


def _statements(words: Sequence[str], about: Question) -> Iterator[str]:
    """What is asked, as a statement: "is the door open" says that the door is open."""
    if not words:
        return
    first, rest = words[0], list(words[1:])
    if first in _EMPHATIC:
        yield " ".join(rest)
    if first in _AUXILIARIES:
        subject = len(about.said.split()) if about.said and " ".join(rest).startswith(about.said) else 1
        for end in dict.fromkeys((subject, 1, 2, 3)):
            if 0 < end < len(rest):
                yield " ".join((*rest[:end], first, *rest[end:]))
    if first not in _AUXILIARIES | _EMPHATIC:
        yield " ".join(words)


def _weight(answers: Answers) -> int:
    return (
        8 * ("condition" in answers.of) + 4 * bool(answers.about) + 2 * bool(answers.of) + bool(answers.asks)
    )


def _fits(answers: Answers, question: Question) -> bool:
    if answers.asks and question.kind not in answers.asks:
        return False
    if answers.about and question.topics.isdisjoint(answers.about):
        return False
    if answers.of and question.of.isdisjoint(answers.of):
        return False
    return "unknown" not in question.of or "unknown" in answers.of


def _filled(answers: Answers, question: Question) -> Iterator[tuple[str, str]]:
    for name, value in answers.do:
        place = question.thing if question.group else question.place
        said = value.replace("{place}", place)
        for each in ("thing", "group", "colour", "said", "content", "clause", "text"):
            value = getattr(question, each)
            if each == "group" and not value:
                value = question.thing  # "how many cup do you see"
            said = said.replace(f"{{{each}}}", value)
        if said.strip():
            yield name, said.strip()


def _asked_of(do: Do) -> tuple[str, tuple[tuple[str, object], ...]]:
    """What it comes to, whatever the words were."""
    return do.action, tuple(
        sorted((name, value) for name, value in do.parameters.items() if name != "question")
    )
