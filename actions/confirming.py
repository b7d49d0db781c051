"""Asking the operator of an action for a clear yes. What is neither yes nor no is asked again."""

from __future__ import annotations

from framework.errors import PilothouseError
from framework.plugins.action import Action
from resources.types.naming import plain

#: Answers that are a "yes", beside the supervisor's own.
_YES = frozenset(
    (
        "carry on",
        "yes",
        "clear",
        "all clear",
        "it is",
        "it is clear",
        "safe",
        "it is safe",
        "done",
        "yes it is",
    )
)

#: How a "no" begins.
_NO = frozenset(("no", "nope", "cancel", "don't", "stop", "never", "wait"))


async def confirmed(action: Action, question: str, otherwise: str) -> None:
    """Ask until there is a yes or a no. Raises PilothouseError, with `otherwise`, if it is a no."""
    asked = question
    while (answer := plain(await action.ask(asked))) not in _YES:
        if answer.split(" ", 1)[0] in _NO or "not" in answer.split():
            raise PilothouseError(f"{otherwise}: that was not confirmed")
        asked = f"{answer!r} is neither a yes nor a no. {question}"
