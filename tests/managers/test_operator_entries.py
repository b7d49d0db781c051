"""Who came in and who was turned away, in words, each once."""

from __future__ import annotations

from pathlib import Path

from framework.events import EventKind
from managers.operator_entries import in_words
from resources.types.operator import DeviceKind, Entered, EntryNote, Refusal, TurnedAway
from tests.managers.operators_at_work import AtWork, at_work

PAIRED = Entered(1, "phone 7 (Anna)", DeviceKind.PHONE, "192.168.0.7", True)
STRANGER = TurnedAway(2, Refusal.WRONG_CODE, "192.168.0.9", 3)


def test_the_words() -> None:
    assert in_words(PAIRED) == "phone 7 (Anna) has paired, from 192.168.0.7."
    back = Entered(2, "phone 7 (Anna)", DeviceKind.PHONE, "192.168.0.7", False)
    assert in_words(back) == "phone 7 (Anna) has come back without a code, from 192.168.0.7."
    assert in_words(STRANGER) == (
        "A device at 192.168.0.9 was not let in: it had a wrong code. "
        "3 more were not, since the last such line."
    )
    for why in Refusal:
        assert in_words(TurnedAway(1, why, "192.168.0.9")).startswith("A device at 192.168.0.9")


def test_each_note_is_an_event_once_also_of_the_next_process(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        def said(note: EntryNote) -> list[EventKind]:
            words = in_words(note)
            return [event.kind for event in work.installation.events.history() if event.text == words]

        await work.play("phone 1 comes")
        operators = work.installation.launcher.operators
        assert operators is not None
        operators.notes = (PAIRED, STRANGER)
        await work.play("phone 2 comes", "phone 2 leaves")
        assert said(PAIRED) == [EventKind.DEVICE]
        assert said(STRANGER) == [EventKind.ERROR]
        work.installation.processes.kill("operator links")
        await work.until_said("The process operator links was started again")
        await work.play("phone 2 comes")
        assert said(STRANGER) == [EventKind.ERROR] * 2, "of a process that counts anew"

    at_work(tmp_path, play)
