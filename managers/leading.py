"""Leading an arm of the simulated world by hand, from words: "left arm up 10 cm". Changes nothing itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from framework.errors import ResourceUnavailable
from managers.controller_manager import ControllerManager
from managers.devices import DeviceView
from resources.arms.pose import Vector3
from resources.children.orders import Lead
from resources.controllers.modes import ArmMode
from resources.types.motion import ControllerKind
from resources.types.motion_words import length_in_words
from resources.types.naming import either, plain, unknown
from resources.worlds.leading import MOST_M, duration_s

LEAD = "lead"
"""The verb: `pilothouse world lead arm up 10 cm`."""

#: As people name them: ahead, left, up of the robot.
_WAYS: dict[str, Vector3] = {
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
}
_UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0}

_WAY = rf"(?:to the )?(?P<way>{'|'.join(_WAYS)})"
_FAR = rf"(?P<far>\d+(?:\.\d+)?) ?(?P<unit>{'|'.join(_UNITS)})"
_SAID = tuple(re.compile(rf"(?P<arm>.+?) {order}") for order in (f"{_WAY} {_FAR}", f"{_FAR} {_WAY}"))


def led(said: str, controllers: ControllerManager) -> tuple[Lead, str]:
    """What to order of the world, and what to tell people. Raises ResourceUnavailable in words."""
    found = next((match for form in _SAID if (match := form.fullmatch(plain(said)))), None)
    if found is None:
        raise ResourceUnavailable(
            f"I cannot read {said!r}: say which arm, {either(_WAYS)}, and how far: left arm up 10 cm"
        )
    arms = [view for view in controllers.devices() if view.kind == ControllerKind.ARM.value]
    arm = _meant(found["arm"], arms)
    name = plain(arm.name)
    if not controllers.is_simulated(arm.name):
        raise ResourceUnavailable(f"the {name} is real: take it by the hand yourself")
    far = float(found["far"]) * _UNITS[found["unit"]]
    if not 0.0 < far <= MOST_M:
        raise ResourceUnavailable(
            f"a hand leads an arm up to {length_in_words(MOST_M)} at once, not {length_in_words(far)}"
        )
    x, y, z = _WAYS[found["way"]]
    way = (far * x, far * y, far * z)
    words = f"a hand leads the {name} {length_in_words(far)} {found['way']}, within {duration_s(way):.1f} s"
    if not _is_guided(arm):
        words = f"{words}; it is not guided by hand just now, so it gives way and comes back"
    return Lead(arm.name, way), words


def _meant(said: str, arms: Sequence[DeviceView]) -> DeviceView:
    asked = plain(said)
    called = [view for view in arms if plain(view.name) == asked]
    if not called and asked == "arm":
        called = [view for view in arms if _is_guided(view)] or list(arms)
    if not called:
        names = [plain(view.name) for view in arms]
        raise ResourceUnavailable(unknown(said, names, "what can be led is the"))
    if len(called) > 1:
        raise ResourceUnavailable(f"which arm: the {either(plain(view.name) for view in called)}?")
    return called[0]


def _is_guided(view: DeviceView) -> bool:
    return view.mode == ArmMode.GUIDE.value
