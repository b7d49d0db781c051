"""Which sentence is said when: the newest answers, every question, and what is urgent at once."""

from __future__ import annotations

from itertools import pairwise

from resources.types.voice import Hush, LeaveOut, Say, SayOrder, Spoken, SpokenPhase, Urgency
from resources.voice.saying import ANSWER_WAITS_S, MOST_WAITING, Cut, Effect, Make, Saying, Tell

LATENCY_S, LENGTH_S, TURN_S = 0.1, 2.0, 0.5


class Mouth:
    """A loudspeaker whose engine makes each sentence at once, two seconds long."""

    def __init__(self) -> None:
        self.saying = Saying(LATENCY_S)
        self.now_s = 100.0
        self.told: list[Spoken] = []
        self.cuts = 0
        self.makes = True
        self.making = 0

    def order(self, *orders: SayOrder) -> None:
        for each in orders:
            self.do(self.saying.order(each, self.now_s))

    def passes(self, seconds: float) -> None:
        for _ in range(round(seconds / TURN_S)):
            self.do(self.saying.turn(self.now_s))
            self.now_s += TURN_S

    def do(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Tell(spoken=spoken):
                    self.told.append(spoken)
                case Cut():
                    self.cuts += 1
                case Make(number=number):
                    self.making = number
                    if self.makes:
                        self.made()

    def made(self) -> bool:
        is_played, effects = self.saying.made(self.making, LENGTH_S, self.now_s)
        self.do(effects)
        return is_played

    def numbers(self, phase: SpokenPhase) -> list[int]:
        return [each.number for each in self.told if each.phase is phase]


def question(number: int) -> Say:
    return Say(number, f"question {number}", Urgency.QUESTION)


def answer(number: int) -> Say:
    return Say(number, f"answer {number}")


def urgent(number: int) -> Say:
    return Say(number, f"urgent {number}", Urgency.URGENT)


BEGINS, ENDED, LEFT_OUT, CUT = (
    SpokenPhase.BEGINS, SpokenPhase.ENDED, SpokenPhase.LEFT_OUT, SpokenPhase.CUT,
)  # fmt: skip


def test_a_sentence_is_told_before_it_is_heard_and_until_it_cannot_be_heard_any_more() -> None:
    mouth = Mouth()
    mouth.order(answer(1))
    mouth.passes(5.0)
    began, ended = mouth.told
    assert (began.phase, began.from_s, began.until_s) == (BEGINS, 100.0, 100.0 + LATENCY_S + LENGTH_S)
    assert (ended.phase, ended.words, ended.until_s) == (ENDED, "answer 1", began.until_s)


def test_one_after_the_other_in_their_order() -> None:
    mouth = Mouth()
    mouth.order(question(1), answer(2), question(3))
    mouth.passes(12.0)
    assert mouth.numbers(BEGINS) == mouth.numbers(ENDED) == [1, 2, 3]
    begun = [each for each in mouth.told if each.phase is BEGINS]
    assert all(a.until_s <= b.from_s for a, b in pairwise(begun))


def test_of_many_answers_the_newest_count_and_no_question_is_left_out() -> None:
    mouth = Mouth()
    mouth.order(answer(1))
    mouth.passes(0.5)
    mouth.order(answer(2), question(3), answer(4), answer(6), answer(7))
    mouth.passes(30.0)
    assert mouth.numbers(ENDED) == [1, 3, 6, 7]
    assert [each.why for each in mouth.told if each.phase is LEFT_OUT] == ["newer answers came"] * 2


def test_an_answer_that_has_waited_for_long_is_left_out() -> None:
    mouth = Mouth()
    mouth.order(question(1), question(2), question(3), question(4), question(5), answer(6), question(7))
    mouth.passes(ANSWER_WAITS_S + 10.0)
    assert mouth.numbers(ENDED) == [1, 2, 3, 4, 5, 7]
    assert mouth.numbers(LEFT_OUT) == [6]


def test_what_is_urgent_cuts_and_is_said_at_once() -> None:
    mouth = Mouth()
    mouth.order(answer(1), answer(2))
    mouth.passes(1.0)
    mouth.order(urgent(3))
    assert mouth.cuts == 1 and mouth.told[-1].phase is CUT
    assert mouth.told[-1].until_s == mouth.now_s + LATENCY_S
    mouth.passes(4.0)
    assert mouth.numbers(ENDED) == [3] and mouth.numbers(LEFT_OUT) == [2]


def test_a_question_that_was_cut_by_it_is_asked_again_after_it() -> None:
    for is_made in (True, False):
        mouth = Mouth()
        mouth.makes = is_made
        mouth.order(question(1))
        mouth.passes(0.5)
        mouth.order(urgent(2), urgent(3))
        mouth.makes = True
        mouth.passes(10.0)
        assert mouth.numbers(ENDED) == [2, 3, 1] and mouth.numbers(LEFT_OUT) == []


def test_hushed_it_is_silent_at_once_and_says_nothing_of_before() -> None:
    mouth = Mouth()
    mouth.order(question(1), answer(2), urgent(3))
    mouth.passes(1.0)
    mouth.order(Hush(3))
    assert mouth.cuts == 1
    mouth.order(answer(4))
    mouth.passes(4.0)
    assert mouth.numbers(ENDED) == [4]


def test_what_is_hushed_while_it_is_made_is_not_played() -> None:
    mouth = Mouth()
    mouth.makes = False
    mouth.order(answer(1))
    mouth.passes(0.5)
    mouth.order(Hush(1))
    assert not mouth.made() and mouth.numbers(BEGINS) == [] and mouth.numbers(LEFT_OUT) == [1]


def test_a_question_that_is_settled_is_not_asked_any_more() -> None:
    mouth = Mouth()
    mouth.order(question(1), question(2))
    mouth.passes(1.0)
    mouth.order(LeaveOut(1), LeaveOut(9))
    assert mouth.told[-1].phase is CUT
    mouth.order(LeaveOut(2))
    mouth.passes(4.0)
    assert mouth.numbers(ENDED) == []


def test_what_is_told_twice_is_said_once() -> None:
    mouth = Mouth()
    mouth.order(answer(1), answer(1))
    mouth.passes(4.0)
    mouth.order(answer(1))
    mouth.passes(4.0)
    assert mouth.numbers(ENDED) == [1]


def test_what_the_engine_cannot_say_is_told_and_the_next_one_is_said() -> None:
    mouth = Mouth()
    mouth.makes = False
    mouth.order(question(1), question(2))
    mouth.passes(0.5)
    mouth.makes = True
    mouth.do(mouth.saying.not_made(1, "it does not speak", mouth.now_s))
    mouth.passes(4.0)
    assert mouth.numbers(LEFT_OUT) == [1] and mouth.numbers(ENDED) == [2]


def test_no_more_wait_than_anybody_asks() -> None:
    mouth = Mouth()
    mouth.order(*(question(number) for number in range(1, MOST_WAITING + 3)))
    assert mouth.numbers(LEFT_OUT) == [MOST_WAITING + 1, MOST_WAITING + 2]
