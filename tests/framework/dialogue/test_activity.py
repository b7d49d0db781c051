"""What is being done, in good English whatever it is: one action, a question, several steps."""

from __future__ import annotations

import pytest

from framework.dialogue.activity import activity, i_am


@pytest.mark.parametrize(
    ("words", "is_single", "as_activity", "being_done"),
    [
        ("show the scan", True, "showing the scan", "I am showing the scan"),
        ("where is the cup", True, "answering: where is the cup", "I am answering: where is the cup"),
        ("what can you do", True, "answering: what can you do", "I am answering: what can you do"),
        ("wait 1 second, then hum", False, "this: wait 1 second, then hum",
         "I am doing this: wait 1 second, then hum"),
    ],
)  # fmt: skip
def test_an_activity_reads_well(words: str, is_single: bool, as_activity: str, being_done: str) -> None:
    answers = as_activity.startswith("answering")
    assert activity(words, is_single, answers=answers) == as_activity
    assert i_am(words, is_single, answers=answers) == being_done


def test_a_question_is_told_by_what_its_action_declares_and_not_by_its_first_word() -> None:
    assert i_am("which way is up", True, answers=True) == "I am answering: which way is up"
    assert i_am("can the peas", True) == "I am canning the peas"
