"""That something stays as it is while other things are done: "the base stays put, only raise the left arm".

Of what can hold still itself (an arm), that is an action. Of what only moves when it is asked to (the base),
it asks for nothing, and so it is left out; but an instruction that moves it all the same is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from framework.plan.ast import Alongside, Do, Parallel, Plan, Sequence, actions_of
from framework.plan.value import Value
from framework.plugins.signature import ActionSpec
from grammars.core import Marker
from grammars.reading.combining import Combining, at_once, in_sequence
from grammars.reading.markers import Markers
from grammars.reading.matching import Head, Matching
from grammars.reading.outcome import Outcome, Row
from grammars.reading.phrasebook import Phrasebook
from grammars.reading.roles import RoleFrame

#: The name of such a step while the text is matched: no plugin can have it. Its parameters are a motion.
_STAYS, _ACTION = "\0stays", "action"
_THEME = 1
#: What asks for something is meant rather than what asks for nothing: "hold yourself still".
_DOUBT = 0.02


class Staying:
    """Finds that something stays, and looks whether it does."""

    def __init__(self, markers: Markers, phrasebook: Phrasebook, combining: Combining) -> None:
        self._markers = markers
        self._combining = combining
        self._words = markers.first_of((Marker.STAYING, Marker.KEPT, Marker.NOT_MOVING))
        #: What is moved as a whole, by the frames that say so; and a motion of it.
        self._frames: list[tuple[RoleFrame, Do]] = []
        for entry, frame in phrasebook.role_frames:
            motion = _motion(phrasebook.actions[entry.phrase.action])
            if motion is not None and frame.has_theme and not frame.which:
                self._frames.append((frame, motion))

    def rows(self, matching: Matching, at: int) -> Iterator[Row]:
        """ "The base stays put", "keep the base where it is", "without moving the base"."""
        if self._words.isdisjoint(matching.tokens):
            return
        for end, motion in self._themes(matching, at):
            for last in self._markers.ends(matching, Marker.STAYING, end):
                yield _stays(motion, last)
        for begin in self._markers.ends(matching, Marker.KEPT, at):
            for end, motion in self._themes(matching, begin):
                for last in self._markers.ends(matching, Marker.STAYING, end):
                    yield _stays(motion, last)
        for begin in self._markers.ends(matching, Marker.NOT_MOVING, at):
            for end, motion in self._themes(matching, begin):
                yield _stays(motion, end)

    def kept(self, plan: Plan) -> Plan | None:
        """A plan without such steps; None if it moves what is to stay, or does nothing else."""
        stays = [do for do in actions_of(plan) if do.action == _STAYS]
        if not stays:
            return plan
        rest = _without(plan)
        if rest is None:
            return None
        for each in stays:
            motion = Do(str(each.parameters[_ACTION]), _own(each.parameters))
            if any(do.action == motion.action for do in actions_of(rest)):
                return None
            if self._combining.clash(Parallel((motion, rest))):
                return None
        return rest

    def _themes(self, matching: Matching, at: int) -> Iterator[tuple[int, Do]]:
        for frame, motion in self._frames:
            if matching.can_begin(frame.parts[_THEME].first, at):
                for part in frame.parts[_THEME].match(matching, at, Head.PLAIN):
                    if part.end > at and not part.free:
                        yield part.end, motion


def _motion(spec: ActionSpec) -> Do | None:
    """A motion that an action may ask for; None if it moves nothing."""
    ways = {each.name: next(iter(each.opposites)) for each in spec.parameters if each.opposites}
    return Do(spec.name, dict(ways)) if ways else None


def _stays(motion: Do, end: int) -> Row:
    return Outcome((Do(_STAYS, {_ACTION: motion.action, **motion.parameters}),), end, doubt=_DOUBT)


def _own(parameters: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in parameters.items() if name != _ACTION}


def _without(plan: Plan) -> Plan | None:
    """The rest of a plan; None if there is none, or what stays is said where it cannot be left out."""
    match plan:
        case Do():
            return None if plan.action == _STAYS else plan
        case Sequence() | Parallel():
            inside = plan.steps if isinstance(plan, Sequence) else plan.branches
            rest = tuple(each for each in map(_without, inside) if each is not None)
            if not rest:
                return None
            return in_sequence(rest) if isinstance(plan, Sequence) else at_once(rest)
        case Alongside(body=body, companion=companion):
            both = _without(body), _without(companion)
            return msgspec.structs.replace(plan, body=both[0], companion=both[1]) if all(both) else both[0]
    return None if any(each.action == _STAYS for each in actions_of(plan)) else plan
