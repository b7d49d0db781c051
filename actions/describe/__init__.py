"""Says what is seen and known, or where one thing is and how. Looks with a camera at what can be followed."""

from __future__ import annotations

import asyncio

import pilothouse as ph
from actions.describe import answering, comparing, words
from resources.types.naming import unknown

#: A camera and its detector may have to be started first; longer than this nobody waits for an answer [s].
_PATIENCE_S = 12.0


class Describe(ph.Action):
    """Say what I see and know, or where a thing is and how it is."""

    while_stopped = True
    only_answers = True

    thing: str = ph.param(default="", doc="name of a thing; everything by default")
    asked: str = ph.param(
        default="",
        one_of=(
            *("", "whether", "how_many", "colour", "size", "on", "held", "state", "else"),
            *("beside", "between", "nearest", "standing", "who"),
        ),
        doc="what is asked of it; by default where it is and how",
    )
    place: str = ph.param(default="", doc="only what is on this")
    colour: str = ph.param(default="", doc="only what has this colour")
    clause: str = ph.param(default="", doc="what may be so, or not")
    question: str = ph.param(default="", doc="as it was asked")

    known = ph.needs(ph.Known)

    async def run(self) -> str | None:
        things: tuple[ph.KnownThing, ...] = self.known.things
        if self.asked:
            return await self._answer(things)
        if not self.thing.strip():
            await self._everything(things)
            return None
        asked = words.meant(self.thing, things)
        if not asked and len(called := answering.called(self.thing, things)) > 1:
            self.tell(answering.about(called, things))
            return None
        if not asked:
            names = dict.fromkeys(thing.spoken for thing in things)
            raise ph.PilothouseError(unknown(self.thing, names, "what I know is"))
        if len(asked) > 1:
            self.tell(words.several(asked, things))
            return None
        (thing,) = asked
        if thing.marker is None:
            self.tell(words.one(thing, things))
            return thing.name
        sighting, why_not = await self._look_for(thing)
        self.tell(words.followed(thing, sighting, why_not, things))
        return thing.name

    async def _answer(self, things: tuple[ph.KnownThing, ...]) -> str | None:
        """One question about a thing, or about several of a kind."""
        found = self._called(self.thing, things)
        known = answering.about(found, things) or answering.nothing_called(self.thing)
        match self.asked:
            case "whether":
                told = await self.supervisor.whether(self.clause)
                more = known if found and told.is_so is None else ""
                self.tell(answering.whether(told.is_so, self.clause, told.why, more))
            case "how_many":
                self.tell(answering.how_many(self.thing, self.colour, self.place, things))
            case "colour":
                self.tell(answering.colours(self.thing, self.place, things))
            case "size" if found:
                self.tell(" ".join(map(answering.size, found)))
            case "on" if found:
                self.tell(" ".join(answering.on_it(each, things) for each in found))
            case "beside" if found:
                self.tell(" ".join(comparing.beside(each, things) for each in found[:1]))
            case "between" if found and (others := self._called(self.place, things)):
                self.tell(comparing.between(found[0], others[0]))
            case "between" if found:
                self.tell(known)
            case "nearest" if found:
                self.tell(comparing.nearest(found, self.question, things))
            case "standing" if len(found) == 1 and self.place:
                self.tell(comparing.standing(found[0], self.place, things))
            case "who":
                self.tell(answering.who(self.place, things))
            case "state" | "standing" if any(each.state for each in found):
                self.tell(known)
            case "held":
                self.tell(answering.held(f"{self.thing} {self.question}", things))
            case _:
                self.tell(answering.cannot_tell(self.question or self.thing, known))
        return found[0].name if len(found) == 1 else None

    def _called(self, said: str, things: tuple[ph.KnownThing, ...]) -> tuple[ph.KnownThing, ...]:
        return words.meant(said, things) or answering.called(said, things)

    async def _everything(self, things: tuple[ph.KnownThing, ...]) -> None:
        self.progress(0.1, "looking around")
        seen: list[str] = []
        reasons: list[str] = []
        # Things with the same marker look the same to a camera: one look is for all of them.
        for thing in {thing.marker: thing for thing in reversed(things) if thing.marker is not None}.values():
            sighting, why_not = await self._look_for(thing)
            if sighting is not None:
                seen.append(words.seen(thing, sighting, things))
            elif why_not:
                reasons.append(why_not)
        self.tell(words.everything(things, seen, reasons))

    async def _look_for(self, thing: ph.KnownThing) -> tuple[ph.Sighting | None, str]:
        """Where it is seen; if not, why nobody can look, "" if it is just not there."""
        try:
            async with asyncio.timeout(_PATIENCE_S), self.use(ph.Tracked(thing.name)) as tracked:
                return await tracked.look(), ""
        except TimeoutError:
            return None, "no picture came in time"
        except ph.ResourceUnavailable as error:
            return None, error.message
        except (ph.ResourceFailed, ph.StreamError) as error:
            return None, str(error)
