"""A scene in the making: one MJCF document with materials and rendering settings, and its named things.

Elements (room, furniture, marker, robot) are functions in files of their own that add to a `Scene`.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import mujoco

from resources.arms.kinematic_tree import Box, Capsule, Cylinder, Shape, Solid
from resources.arms.mjcf import MjcfDocument, add_body, add_solid, numbers, placed
from resources.arms.pose import Pose, Quaternion, Vector3
from resources.worlds.things import ThingDefinition, ThingKind

_UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)

Colour = tuple[float, float, float]

# name → (red green blue, specular, shininess)
MATERIALS: dict[str, tuple[Colour, float, float]] = {
    "arm_shell": ((0.90, 0.91, 0.92), 0.5, 0.6),
    "arm_joint": ((0.30, 0.32, 0.35), 0.4, 0.5),
    "rubber": ((0.12, 0.12, 0.13), 0.1, 0.1),
    "chassis": ((0.93, 0.72, 0.10), 0.3, 0.4),
    "chassis_dark": ((0.16, 0.17, 0.19), 0.3, 0.3),
    "aluminium": ((0.72, 0.74, 0.77), 0.7, 0.7),
    "sensor": ((0.13, 0.16, 0.22), 0.5, 0.6),
    "sensor_band": ((0.05, 0.35, 0.75), 0.6, 0.7),
    "wall": ((0.87, 0.88, 0.86), 0.05, 0.1),
    "wall_band": ((0.42, 0.53, 0.58), 0.1, 0.2),
    "skirting": ((0.26, 0.29, 0.31), 0.1, 0.2),
    "corridor": ((0.28, 0.30, 0.33), 0.0, 0.0),
    "wood": ((0.72, 0.53, 0.34), 0.15, 0.3),
    "steel": ((0.55, 0.58, 0.61), 0.6, 0.6),
    "steel_dark": ((0.30, 0.33, 0.36), 0.5, 0.5),
    "pipe": ((0.38, 0.55, 0.46), 0.4, 0.5),
    "valve_red": ((0.80, 0.10, 0.08), 0.4, 0.5),
    "door": ((0.23, 0.42, 0.53), 0.2, 0.3),
    "safety_yellow": ((0.96, 0.78, 0.05), 0.2, 0.3),
    "safety_black": ((0.10, 0.10, 0.10), 0.1, 0.2),
    "drum_blue": ((0.10, 0.25, 0.58), 0.4, 0.5),
    "gas_orange": ((0.90, 0.42, 0.08), 0.4, 0.5),
    "carton": ((0.70, 0.55, 0.38), 0.05, 0.1),
    "crate_grey": ((0.45, 0.48, 0.52), 0.1, 0.2),
    "screen": ((0.08, 0.28, 0.24), 0.6, 0.8),
    "lamp_green": ((0.15, 0.85, 0.30), 0.3, 0.5),
    "lamp_amber": ((1.00, 0.65, 0.10), 0.3, 0.5),
    "plate": ((0.97, 0.97, 0.97), 0.05, 0.1),
    "cup_red": ((0.83, 0.12, 0.12), 0.5, 0.7),
    "cup_blue": ((0.12, 0.30, 0.80), 0.5, 0.7),
    "cup_green": ((0.12, 0.60, 0.25), 0.5, 0.7),
    "cup_yellow": ((0.95, 0.80, 0.12), 0.5, 0.7),
    "cup_white": ((0.95, 0.95, 0.93), 0.5, 0.7),
}


class Scene:
    """A world being put together; `compile` ends it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.document = MjcfDocument(name)
        self.things: list[ThingDefinition] = []
        root = self.document.root
        # Dense Jacobians are the faster ones for a few dozen degrees of freedom.
        ET.SubElement(
            root, "option", timestep="0.001", integrator="implicitfast", jacobian="dense", iterations="20"
        )
        # The far plane follows from extent × zfar = 40 m; fixed, so that depth does not depend on the scene.
        ET.SubElement(root, "statistic", extent="4", center="1 0 1")
        visual = ET.SubElement(root, "visual")
        # Multisampling and shadows cost 70 ms of 80 a picture in software rendering.
        ET.SubElement(visual, "quality", offsamples="0", shadowsize="0")
        ET.SubElement(visual, "global", offwidth="1280", offheight="720")
        ET.SubElement(visual, "map", znear="0.01", zfar="10", haze="0.6")
        ET.SubElement(
            visual, "headlight", ambient="0.34 0.34 0.34", diffuse="0.22 0.22 0.22", specular="0.05 0.05 0.05"
        )
        asset = self.document.section("asset")
        ET.SubElement(
            asset,
            "texture",
            type="skybox",
            builtin="gradient",
            rgb1="0.62 0.68 0.74",
            rgb2="0.30 0.33 0.37",
            width="64",
            height="384",
        )
        for name_, (colour, specular, shininess) in MATERIALS.items():
            self.material(name_, colour, specular=specular, shininess=shininess)

    def material(self, name: str, colour: Colour, *, specular: float = 0.2, shininess: float = 0.3) -> None:
        """One more material; its name is none of `MATERIALS`."""
        ET.SubElement(
            self.document.section("asset"),
            "material",
            name=name,
            rgba=numbers((*colour, 1.0)),
            specular=str(specular),
            shininess=str(shininess),
        )

    @property
    def world(self) -> ET.Element:
        """The world body."""
        return self.document.section("worldbody")

    def light(self, position: Vector3, direction: Vector3, diffuse: float) -> None:
        """A directional light that throws no shadow."""
        ET.SubElement(
            self.world,
            "light",
            pos=numbers(position),
            dir=numbers(direction),
            type="directional",
            castshadow="false",
            diffuse=numbers((diffuse,) * 3),
            specular=numbers((0.15,) * 3),
        )

    def camera(
        self, parent: ET.Element, name: str, position: Vector3, quaternion: Quaternion, fovy: float
    ) -> None:
        """A camera fixed to `parent` that looks along its own −z; `fovy`: vertical field of view [rad]."""
        # MJCF takes fovy in degrees, whatever the compiler's unit of angle is.
        ET.SubElement(
            parent,
            "camera",
            {"name": name, "fovy": repr(math.degrees(fovy)), **placed(Pose(position, quaternion))},
        )

    def body(
        self, name: str, pose: Pose = Pose(), *, parent: ET.Element | None = None, mocap: bool = False
    ) -> ET.Element:
        """A body in the world or in `parent`; a `mocap` body goes where it is put, whatever pushes it."""
        attributes = {"mocap": "true"} if mocap else {}
        return add_body(self.world if parent is None else parent, name, pose, **attributes)

    def solid(
        self,
        body: ET.Element,
        shape: Shape,
        material: str,
        position: Vector3 = (0.0, 0.0, 0.0),
        quaternion: Quaternion = _UPRIGHT,
        *,
        collides: bool = True,
        group: int = 0,
        name: str = "",
    ) -> ET.Element:
        """One shape on a body."""
        return add_solid(
            body, Solid(shape, Pose(position, quaternion), material, collides), name=name, group=group
        )

    def box(
        self, body: ET.Element, size: Vector3, material: str, position: Vector3, *, collides: bool = True
    ) -> ET.Element:
        """An upright box of full edge lengths `size`."""
        return self.solid(body, Box(size), material, position, collides=collides)

    def cylinder(
        self,
        body: ET.Element,
        radius: float,
        length: float,
        material: str,
        position: Vector3,
        quaternion: Quaternion = _UPRIGHT,
        *,
        collides: bool = True,
    ) -> ET.Element:
        """A cylinder, upright unless turned."""
        return self.solid(body, Cylinder(radius, length), material, position, quaternion, collides=collides)

    def capsule(
        self,
        body: ET.Element,
        radius: float,
        length: float,
        material: str,
        position: Vector3,
        quaternion: Quaternion = _UPRIGHT,
        *,
        collides: bool = True,
    ) -> ET.Element:
        """A capsule, upright unless turned."""
        return self.solid(body, Capsule(radius, length), material, position, quaternion, collides=collides)

    def ball(
        self, body: ET.Element, radius: float, material: str, position: Vector3, *, collides: bool = True
    ) -> ET.Element:
        """A ball: a capsule without a middle, as near as may be."""
        return self.solid(body, Capsule(radius, 0.001), material, position, collides=collides)

    def tiled_floor(self, look: dict[str, str], half_size: Vector3, centre: Vector3 | None = None) -> None:
        """The floor: a plane of checked tiles. look: of its material, as MJCF has it."""
        asset = self.document.section("asset")
        ET.SubElement(
            asset,
            "texture",
            name="tiles",
            type="2d",
            builtin="checker",
            rgb1="0.60 0.62 0.63",
            rgb2="0.56 0.58 0.59",
            mark="edge",
            markrgb="0.48 0.50 0.51",
            width="256",
            height="256",
        )
        material = ET.SubElement(asset, "material", name="floor", texture="tiles", texuniform="true")
        for name, value in look.items():
            material.set(name, value)
        plane = ET.SubElement(
            self.world, "geom", name="floor", type="plane", material="floor", size=numbers(half_size)
        )
        if centre is not None:
            plane.set("pos", numbers(centre))

    def thing(
        self,
        name: str,
        kind: ThingKind,
        body: str,
        size: Vector3,
        centre: Vector3 = (0.0, 0.0, 0.0),
        *,
        colour: str = "",
        says: tuple[str, ...] = (),
    ) -> None:
        """Tell the context tree of a thing that follows `body`. says: what else people call it."""
        self.things.append(ThingDefinition(name, kind, body, size, Pose(centre), colour, says))

    def compile(self) -> mujoco.MjModel:
        """The finished model."""
        return mujoco.MjModel.from_xml_string(self.document.text(), self.document.files)
