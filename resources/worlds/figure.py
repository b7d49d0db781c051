"""Somebody who stands: a figure that cameras and lidars see, and that arms and base keep away from.

Legs, trunk, arms and head of capsules and a ball, in the proportions of an adult; it does not move.
"""

from __future__ import annotations

from typing import Final

from resources.arms.pose import Pose
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

BREADTH_M: Final = 0.50
DEPTH_M: Final = 0.30


def add_figure_materials(scene: Scene) -> None:
    """What all figures of a scene have in common; once."""
    scene.material("skin", (0.80, 0.60, 0.48))
    scene.material("hair", (0.22, 0.14, 0.09))


def add_figure(
    scene: Scene, name: str, pose: Pose, height: float, shirt: str, says: tuple[str, ...] = ()
) -> None:
    """A person of this height [m], standing at `pose` and looking along its x; the shirt is a material."""
    body_name = f"person_{name.replace(' ', '_')}"
    body = scene.body(body_name, pose)
    head = 0.065 * height
    hip, shoulder = 0.50 * height, 0.82 * height
    for side in (-1, 1):
        leg = hip - 0.16
        scene.capsule(body, 0.08, leg, "sensor", (0.0, side * 0.095, 0.08 + leg / 2))
        scene.box(body, (0.24, 0.09, 0.07), "safety_black", (0.05, side * 0.095, 0.035), collides=False)
        arm = 0.9 * (shoulder - hip)
        scene.capsule(
            body, 0.045, arm, shirt, (0.0, side * (BREADTH_M / 2 - 0.045), shoulder - 0.05 - arm / 2)
        )
        hand = (0.0, side * (BREADTH_M / 2 - 0.045), shoulder - 0.11 - arm)
        scene.ball(body, 0.05, "skin", hand, collides=False)
    trunk = shoulder - hip - 0.1
    scene.capsule(body, 0.15, max(trunk - 0.1, 0.05), shirt, (0.0, 0.0, (hip + shoulder) / 2))
    scene.ball(body, head, "skin", (0.0, 0.0, height - head))
    scene.cylinder(body, 0.05, 0.1, "skin", (0.0, 0.0, shoulder + 0.03), collides=False)
    scene.ball(body, 0.9 * head, "hair", (-0.03, 0.0, height - 0.8 * head), collides=False)
    scene.thing(
        name, ThingKind.PERSON, body_name, (DEPTH_M, BREADTH_M, height), (0.0, 0.0, height / 2), says=says
    )
