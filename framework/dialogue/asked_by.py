"""Who asks, as a parameter: "let me drive" means the session of whoever says it (`ph.param(asked_by=…)`).

It is filled in when a plan is let in, so that the same words of two people are two plans; and it is read
back only where it tells anything: as long as there is only one that it could be, nobody wants to read it.
"""

from __future__ import annotations

import msgspec

from framework.dialogue.values import actions_in, with_value
from framework.plan.ast import Condition, Do, Parallel, Plan
from framework.plan.parser import Wording, World
from framework.plan.signature import Signatures
from framework.plan.words import Speech


class AskedBy:
    """Fills in who asks, and leaves it out again in words.

    Args:
        world: knows the names of each kind.
    """

    def __init__(self, signatures: Signatures, world: World) -> None:
        self._signatures = signatures
        self._world = world

    def filled(self, plan: Plan, who: str) -> Plan:
        """The plan of this person: with their name where who asks is meant and nobody else was named.

        If it cannot be they, it is the only one there is.
        """
        for place, do in actions_in(plan):
            named: dict[str, str] = {}
            for name, kind in self._of(do.action):
                names = self._world.names(kind)
                if name not in do.parameters and (who in names or len(names) == 1):
                    named[name] = who if who in names else names[0]
            if named:
                parameters = {**do.parameters, **named}
                plan = with_value(plan, place, msgspec.structs.replace(do, parameters=parameters))
        return plan

    def person(self, do: Do) -> str:
        """Whose it is, whoever asked for it; "" if it is nobody's in particular."""
        given = (do.parameters.get(name) for name, _ in self._of(do.action))
        return next((value for value in given if isinstance(value, str) and value), "")

    def shortened(self, do: Do) -> Do:
        """What is worth saying of it."""
        left_out = {
            name
            for name, kind in self._of(do.action)
            if name in do.parameters and self._world.names(kind) == (do.parameters[name],)
        }
        if not left_out:
            return do
        said = {name: value for name, value in do.parameters.items() if name not in left_out}
        return Do(do.action, said)

    def wording(self, wording: Wording) -> Wording:
        """The same words for less."""
        return _ShortSpeech(wording, self) if isinstance(wording, Speech) else _ShortWording(wording, self)

    def _of(self, action: str) -> tuple[tuple[str, str], ...]:
        """Its parameters of this sort: name, and kind of names."""
        signature = self._signatures.find(action)
        parameters = signature.parameters if signature is not None else ()
        return tuple((each.name, each.asked_by) for each in parameters if each.asked_by)


class _ShortWording:
    def __init__(self, wording: Wording, asked_by: AskedBy) -> None:
        self._wording = wording
        self._asked_by = asked_by

    def __call__(self, do: Do) -> str:
        return self._wording(self._asked_by.shortened(do))


class _ShortSpeech(_ShortWording):
    """The same of a whole language (`framework.plan.words.Speech`)."""

    def __init__(self, speech: Speech, asked_by: AskedBy) -> None:
        super().__init__(speech, asked_by)
        self._speech = speech

    def condition(self, condition: Condition) -> str:
        return self._speech.condition(condition)

    def stays(self, plan: Plan) -> bool:
        return self._speech.stays(plan)

    def is_joined_by_and(self, parallel: Parallel) -> bool:
        return self._speech.is_joined_by_and(parallel)

    def duration(self, duration_s: float) -> str:
        return self._speech.duration(duration_s)
