"""MediaPipe's hand tracker before a robot's camera: a picture → `TrackedHand`s. For the tracker's process."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from resources.gestures.placing import Depth, measured_ray, placed
from resources.gestures.tracker_library import library
from resources.types.gestures import MOST_FRAME_CHARS, TrackedHand, landmarks
from resources.types.masters import HandSide
from resources.types.streams import CameraIntrinsics

MOST_HANDS: Final = 2

#: MediaPipe says whose hand it is as of a picture that is a mirror; a robot's camera is none.
_SIDES: Final = {"Left": HandSide.RIGHT, "Right": HandSide.LEFT}


class Tracker:
    """Of one camera, whose pictures come in their order. Raises PluginUnavailable.

    frame: the camera's own (x right, y down, z ahead). follows: a hand from picture to picture; else each
        picture is another one.
    """

    def __init__(self, camera: CameraIntrinsics, frame: str, *, follows: bool = True) -> None:
        self._camera = camera
        self._frame = frame[:MOST_FRAME_CHARS]
        self._hands: Any = library().solutions.hands.Hands(
            static_image_mode=not follows, max_num_hands=MOST_HANDS
        )

    def hands(self, rgb: NDArray[np.uint8], depth: Depth | None, taken_s: float) -> tuple[TrackedHand, ...]:
        """What is seen in a picture (height, width, 3), in the camera's frame [m]. depth: as of `placed`."""
        found = self._hands.process(rgb)
        every = zip(
            found.multi_hand_landmarks or (),
            found.multi_hand_world_landmarks or (),
            found.multi_handedness or (),
            strict=True,
        )
        size = (self._camera.width, self._camera.height)
        seen: list[TrackedHand] = []
        for in_picture, in_metres, whose in every:
            pixels = np.array([(each.x, each.y) for each in in_picture.landmark]) * size - 0.5
            shape = np.array([(each.x, each.y, each.z) for each in in_metres.landmark])
            points = placed(pixels, shape, self._camera, depth)
            side = whose.classification[0]
            if points is not None and side.label in _SIDES:
                sure = min(max(float(side.score), 0.0), 1.0)
                rows = landmarks(points.tolist())
                ray = None if depth is None else measured_ray(points, pixels, self._camera, depth)
                seen.append(TrackedHand(_SIDES[side.label], self._frame, taken_s, sure, rows, ray))
        return tuple(seen)

    def close(self) -> None:
        """Let go of its models."""
        self._hands.close()
