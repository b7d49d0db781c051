"""What a person can do in the simulated world beside the robot: open a door, close it, lead an arm."""

from __future__ import annotations

from framework.errors import ResourceUnavailable
from managers.context_manager import ContextManager
from managers.controller_manager import ControllerManager
from managers.leading import LEAD, led
from resources.children.orders import Put
from resources.types.naming import either, listed, plain, unknown

#: Verbs for states, as people type them: `pilothouse world close door`.
_STATES = {"close": "closed", "shut": "closed"}


class WorldControls:
    """Brings things of the simulated world into states. On hardware nobody can: it refuses."""

    def __init__(self, controllers: ControllerManager, context: ContextManager) -> None:
        self._controllers = controllers
        self._context = context

    def put(self, thing: str, state: str) -> str:
        """Have somebody bring a thing into a state ("door", "open"); says what is being done.

        An arm is led: "arm up 10 cm", "lead".

        Does not wait for it: a door takes about a second. Raises ResourceUnavailable in words if there is
        no such thing, it cannot be that, or nothing is simulated.
        """
        if plain(state) == LEAD:
            order, words = led(thing, self._controllers)
            self._controllers.order(order)
            return words
        known = [each for each in self._context.things() if each.states]
        found = [each for each in self._context.called(thing) if each.states]
        if not found:
            names = [f"{each.spoken} ({either(each.states)})" for each in known]
            if self._context.called(thing):
                raise ResourceUnavailable(
                    f"nothing can be done to {plain(thing)!r}; what can be changed is "
                    f"{listed(names) or 'nothing'}"
                )
            spoken = [each.spoken for each in known]
            raise ResourceUnavailable(unknown(thing, spoken, "what can be changed is the"))
        wanted = _STATES.get(plain(state), plain(state))
        target = found[0]
        if wanted not in target.states:
            raise ResourceUnavailable(
                f"the {target.spoken} cannot be {plain(state)!r}; it can be {either(target.states)}"
            )
        self._controllers.order(Put(target.name, wanted))
        if target.state == wanted:
            return f"the {target.spoken} is {wanted} already"
        return f"the {target.spoken} will be {wanted} in a moment"
