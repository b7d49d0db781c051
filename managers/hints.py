"""Instructions to try: what the console offers as buttons. Only what this robot can do is offered."""

from __future__ import annotations

from collections.abc import Collection

from resources.types.motion import ControllerKind


def hints(kinds: Collection[str], followed: Collection[str]) -> tuple[str, ...]:
    """Instructions to try, likeliest first.

    kinds: of the robot's devices. followed: names of things that can be followed.
    """
    moving = [
        (ControllerKind.ARM, ("go home", "move up five centimetres")),
        (ControllerKind.GRIPPER, ("open the gripper",)),
        (ControllerKind.BASE, ("turn left ninety degrees",)),
    ]
    return (
        "show the environment",
        *(text for kind, texts in moving if kind.value in kinds for text in texts),
        "stop",
        "what do you see?",
        "what can you do?",
        "what are you doing?",
        *(f"track the {name} and show it on the screen" for name in sorted(followed)[:1]),
    )
