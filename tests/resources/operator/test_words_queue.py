"""What waits to be said: states newest wins, lines give way, answers are not lost in silence."""

from __future__ import annotations

from resources.operator.protocol import Done, Health, Line, OperatorWords, SeatNow
from resources.operator.words_queue import MOST_WAITING, WordsQueue
from resources.types.operator_client import Seat


def taken(queue: WordsQueue) -> list[object]:
    found: list[object] = []
    while (words := queue.take()) is not None:
        found.append(words)
    return found


def test_words_leave_in_the_order_in_which_they_came() -> None:
    queue = WordsQueue()
    said: list[OperatorWords] = [Line("event", "one"), Done("1", ok=True), Line("event", "two")]
    for words in said:
        queue.tell(words)
    assert taken(queue) == said


def test_of_a_state_only_the_newest_waits_in_the_first_one_s_place() -> None:
    queue = WordsQueue()
    queue.tell(SeatNow(Seat.WATCHING))
    queue.tell(Line("event", "between"))
    queue.tell(Health(words="old"))
    queue.tell(SeatNow(Seat.READY))
    queue.tell(Health(words="new"))
    assert taken(queue) == [SeatNow(Seat.READY), Line("event", "between"), Health(words="new")]


def test_when_it_is_full_the_oldest_line_goes() -> None:
    queue = WordsQueue()
    queue.tell(Done("1", ok=True))
    for number in range(MOST_WAITING + 10):
        queue.tell(Line("event", str(number)))
    found = taken(queue)
    assert len(found) == MOST_WAITING
    assert found[0] == Done("1", ok=True)
    assert found[-1] == Line("event", str(MOST_WAITING + 9))
    assert not queue.overflowed


def test_answers_that_nobody_takes_end_the_link() -> None:
    queue = WordsQueue()
    for number in range(MOST_WAITING):
        queue.tell(Done(str(number), ok=True))
    assert not queue.overflowed
    queue.tell(Done("one more", ok=True))
    assert queue.overflowed
