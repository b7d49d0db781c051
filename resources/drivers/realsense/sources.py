"""What a RealSense camera's pictures come from, as its process sees it: something that is started and asked.

Three there are: a camera that is plugged in (`live_camera`), a recording (`recorded_camera`) and a
software device that a simulated camera feeds (`simulated_camera`). What is made of their frames is the
same for all (`pictures`). Here: what they share.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Protocol

from framework.errors import StreamError
from resources.drivers.realsense.library import library
from resources.types.streams import SampleMeta

rs = library()

_MOST_AGE_S = 1.0  # a frame that says it is older says it on another clock


class Profiles(NamedTuple):
    """What is streamed: `rs.video_stream_profile` of depth (z16) and colour (rgb8), and how often."""

    depth: Any
    colour: Any
    rate_hz: float


class Taken(NamedTuple):
    """Depth and colour of one moment, as the library gave them.

    frames: `rs.composite_frame`. stamp_s: CLOCK_MONOTONIC when they were taken [s].
    """

    frames: Any
    stamp_s: float
    meta: SampleMeta


class Source(Protocol):
    """Used from one thread.

    what: how people call it. serial: its number, once it was started. can_reset: `reset` helps.
    ended: why there will be no more frames, or "".
    `start` and `next` raise ResourceUnavailable or StreamError with the library's own words.
    """

    @property
    def what(self) -> str: ...

    @property
    def serial(self) -> str: ...

    @property
    def can_reset(self) -> bool: ...

    @property
    def ended(self) -> str: ...

    def start(self) -> Profiles:
        """Stream from now on. Never called twice without `stop` in between."""
        ...

    def next(self, timeout_s: float) -> Taken | None:
        """The next frames; None if there are none within so long [s]."""
        ...

    def stop(self) -> None:
        """Stream no more; idempotent, and raises nothing: what is stopped may be gone already."""
        ...

    def reset(self) -> None:
        """Turn the hardware off and on again. Raises StreamError if it cannot be told."""
        ...

    def is_present(self) -> bool:
        """Whether it is enumerated; of what cannot be unplugged always True."""
        ...


class PipelineSource:
    """Whatever the library's own pipeline can open; who derives from it says what in `start`."""

    def __init__(self) -> None:
        self._pipeline: Any = None

    def start_pipeline(self, context: Any, config: Any) -> Profiles:
        """Start it. Raises StreamError with the library's words."""
        pipeline = rs.pipeline(context)
        try:
            profile = pipeline.start(config)
        except RuntimeError as error:
            raise StreamError(str(error)) from error
        self._pipeline = pipeline
        streams = {stream.stream_type(): stream for stream in profile.get_streams()}
        if not {rs.stream.depth, rs.stream.color} <= set(streams):
            self.stop()
            names = ", ".join(sorted(kind.name for kind in streams)) or "nothing"
            raise StreamError(f"depth and colour are needed; it streams {names}")
        depth, colour = streams[rs.stream.depth], streams[rs.stream.color]
        rate_hz = float(max(1, min(depth.fps(), colour.fps())))
        return Profiles(depth.as_video_stream_profile(), colour.as_video_stream_profile(), rate_hz)

    def next(self, timeout_s: float) -> Taken | None:
        """As `Source` says."""
        frames = self.frames(timeout_s)
        if frames is None or not are_of_one_moment(frames):
            return None
        depth = frames.get_depth_frame()
        return Taken(frames, self.stamp_s(depth), SampleMeta(depth.get_timestamp() / 1000.0))

    def frames(self, timeout_s: float) -> Any:
        """Whatever the pipeline gives, or None. Raises StreamError."""
        try:
            came, frames = self._pipeline.try_wait_for_frames(max(1, round(1000 * timeout_s)))
        except RuntimeError as error:
            raise StreamError(str(error)) from error
        return frames if came else None

    def stamp_s(self, depth: Any) -> float:
        """When a frame was taken, on CLOCK_MONOTONIC [s]; by default now."""
        return time.monotonic()

    def stop(self) -> None:
        """As `Source` says."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            try:
                pipeline.stop()
            except RuntimeError as error:
                print(f"stopping: {error}")


def are_of_one_moment(frames: Any) -> bool:
    """Whether there are depth and colour, not further apart than a picture from the next.

    The library gives halves at a start, and may pair the old with the new where something begins anew.
    """
    depth, colour = frames.get_depth_frame(), frames.get_color_frame()
    if not depth or not colour:
        return False
    if depth.get_frame_timestamp_domain() != colour.get_frame_timestamp_domain():
        return True  # their times cannot be compared
    period_ms = 1000.0 / max(1, min(depth.get_profile().fps(), colour.get_profile().fps()))
    return bool(abs(depth.get_timestamp() - colour.get_timestamp()) <= period_ms)


def taken_at_s(time_ms: float, on_wall_clock: bool, wall_s: float, now_s: float) -> float:
    """When a frame was taken, on CLOCK_MONOTONIC [s].

    time_ms: its own time stamp. on_wall_clock: that is on the system's clock; a camera's own clock has
    nothing to do with ours: such a frame was taken when it came. wall_s, now_s: our two clocks now [s].
    """
    age_s = wall_s - time_ms / 1000.0
    return now_s - age_s if on_wall_clock and 0.0 <= age_s <= _MOST_AGE_S else now_s
