"""What is said to the supervisor when an action has interrupted others, or was interrupted itself.

Whoever takes something with more right interrupts what has it; that goes on when it is given back. Not by
itself if a person's hand has taken it and come to nothing: somebody is about to be near it.
"""

from __future__ import annotations

from collections.abc import Iterable

from framework.phrasing import the
from framework.plugins.service import SupervisorService
from framework.status import Priority

_NOT_WORKED = "has not worked"


class Interrupting:
    """One action's side of it. Without a supervisor there is nobody to tell, and nothing happens.

    Args:
        who: the action, as people know it.
        priority: with which it asks for what it needs.
    """

    def __init__(self, service: SupervisorService | None, who: str, priority: Priority) -> None:
        self._service = service
        self._who = who
        self._priority = priority

    def missed(self, alternatives: Iterable[object]) -> None:
        """It did not get these, though others were asked to let go of them. None: there is nothing else."""
        names = _named(alternatives)
        self._hold_back(f"has not got {names}" if names else _NOT_WORKED)

    def lost(self, alternatives: Iterable[object]) -> None:
        """It does not have these any more; it may go on with others."""
        self._hold_back(f"has lost {_named(alternatives)}")

    def failed(self) -> None:
        """It has come to nothing."""
        self._hold_back(_NOT_WORKED)

    def _hold_back(self, happened: str) -> None:
        """What it has interrupted waits for a word. Said before that has it again."""
        if self._service is not None and self._priority > Priority.AUTONOMY:
            why = f'"{self._who}" {happened}'
            self._service.hold_back(why, asked_by=self._who, if_interrupted=True)

    def waits_for_a_word(self, why: str) -> bool:
        """It was interrupted and cannot go on: pause its plan, rather than fail while people are busy there.

        Whether that is paused.
        """
        return self._service is not None and self._service.pause(why, asked_by=self._who)


def _named(things: Iterable[object]) -> str:
    """ "the left arm and the base"; "" of none."""
    return " and ".join(the(str(thing)) for thing in things)
