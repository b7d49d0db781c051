"""What the world child leaves in the run directory for others: scene, named things, compiled model."""

from __future__ import annotations

from pathlib import Path

import msgspec
import mujoco
import numpy as np

from framework.transport.shared_memory import no_room
from resources.types.context import KnownThing, ThingKind
from resources.worlds import things
from resources.worlds.scene_description import scene_description
from resources.worlds.world import World

_KINDS = {
    things.ThingKind.OBJECT: ThingKind.OBJECT,
    things.ThingKind.FIXTURE: ThingKind.FIXTURE,
    things.ThingKind.PLACE: ThingKind.PLACE,
    things.ThingKind.PERSON: ThingKind.PERSON,
    things.ThingKind.ROBOT: ThingKind.ROBOT,
}
_COLOURS = frozenset({"red", "blue", "green", "yellow", "white", "orange"})


class WorldFiles(msgspec.Struct, frozen=True):
    """Where the files are."""

    scene: Path
    things: Path
    model: Path

    def remove(self) -> None:
        """Take them away again."""
        for path in (self.scene, self.things, self.model):
            path.unlink(missing_ok=True)


def write_world_files(world: World, directory: Path) -> WorldFiles:
    """Write them all. Raises SharedMemoryFull if there is no room."""
    name = world.scene.name
    files = WorldFiles(*(directory / f"{name}.{kind}" for kind in ("scene.json", "things.json", "mjb")))
    model = np.empty(mujoco.mj_sizeModel(world.model), np.uint8)
    mujoco.mj_saveModel(world.model, None, model)
    _write(files.scene, msgspec.json.encode(scene_description(world.model)))
    _write(files.things, msgspec.json.encode(known_things(world)))
    _write(files.model, model.tobytes())
    return files


def known_things(world: World) -> list[KnownThing]:
    """The named things as the context tree has them, where they stand now."""
    return [
        KnownThing(
            name=thing.name,
            kind=_KINDS[thing.kind],
            world_T_thing=(*thing.position, *thing.quaternion),
            size_m=thing.size,
            colour=thing.colour or next((word for word in thing.name.split() if word in _COLOURS), ""),
            called=_called(thing.name),
            states=world.states_of(thing.name),
            state=world.state_of(thing.name),
            says=thing.says,
        )
        for thing in world.things()
    ]


def _called(name: str) -> str:
    """Things of a kind are numbered in a world's scene ("carton 2"); people do not say the number."""
    noun, _, number = name.rpartition(" ")
    return noun if number.isdecimal() else ""


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: a reader must not find half a model."""
    unpublished = path.with_suffix(f"{path.suffix}.new")
    try:
        unpublished.write_bytes(content)
        unpublished.replace(path)
    except OSError as error:
        unpublished.unlink(missing_ok=True)
        raise no_room(path.parent, len(content), f"the world's {path.name}", error) from error
