"""Follows a thing with a camera, and says when it is seen and when it is lost from sight."""

from __future__ import annotations

import pilothouse as ph

#: A thing counts as lost when it was not seen for this long on the stream's own time [s].
LOST_AFTER_S = 1.0


class Track(ph.Action):
    """Follow a thing, and tell when it is seen and when it is lost from sight."""

    continuous = True

    thing: str = ph.param(doc="name of a thing that is known")

    tracked = ph.needs(lambda given: ph.Tracked(thing=given.thing.strip().lower()))

    async def run(self) -> None:
        self.established(f"tracking {self.thing}", value=self.thing)
        seen_s: float | None = None  # when it was seen last; None while it is lost
        async for sample in self.tracked.poses():
            if len(sample.poses):
                if seen_s is None:
                    self.established(f"tracking {self.thing}, I see it")
                seen_s = sample.stamp_s
            elif seen_s is not None and sample.stamp_s - seen_s >= LOST_AFTER_S:
                seen_s = None
                self.established(f"tracking {self.thing}, I have lost sight of it")
