"""What the actions share that hand over, take back and send away."""

from __future__ import annotations

from framework.errors import PilothouseError, ResourceUnavailable
from framework.plugins.action import Action
from resources.types.people import HandedOver, SentAway, TakenBack


async def have_done(action: Action, wanted: HandedOver | TakenBack | SentAway) -> None:
    """Ask for it, and tell in the provider's words what was done. Raises PilothouseError if it is refused."""
    try:
        async with action.use(wanted) as done:
            action.tell(done.words)
    except ResourceUnavailable as error:
        raise PilothouseError(error.message) from error
