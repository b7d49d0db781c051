"""Which robots can be run here: the worlds we simulate, the description somebody gives, and all drivers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import resources
from framework.errors import InstallationError
from framework.plugins import DriverCatalogue
from framework.plugins.driver import Driver, DriverSpec, driver_spec
from pilothouse.catalogue import folders_in
from pilothouse.settings import Settings
from resources.arms.fci_arm import FciArm
from resources.arms.simulated_arm import SimulatedArm
from resources.bases.simulated_base import SimulatedBase
from resources.cameras.realsense import RealSense
from resources.cameras.simulated_camera import SimulatedCamera, SimulatedColourCamera
from resources.grippers.fci_gripper import FciGripper
from resources.grippers.simulated_gripper import SimulatedGripper
from resources.lidars.simulated_lidar import SimulatedLidar
from resources.lidars.swept_lidar import SweptLidar
from resources.robots.description import RobotDescription, read_description

ROBOTS: Final = Path(resources.__file__).parent / "robots"
DRIVERS: Final[tuple[type[Driver], ...]] = (
    SimulatedCamera,
    SimulatedColourCamera,
    RealSense,
    SimulatedLidar,
    SweptLidar,
    SimulatedArm,
    SimulatedGripper,
    SimulatedBase,
    FciArm,
    FciGripper,
)


def worlds() -> tuple[str, ...]:
    """The worlds that can be simulated."""
    return tuple(sorted(path.stem for path in ROBOTS.glob("*.yaml")))


def driver_catalogue(folders: Sequence[Path] = ()) -> dict[str, DriverSpec]:
    """Our drivers, the user's, and those of installed distributions, by name."""
    found = DriverCatalogue.discover((*folders, *folders_in("PILOTHOUSE_DRIVERS")))
    ours = [driver_spec(driver) for driver in DRIVERS]
    return {spec.name: spec for spec in (*found.unavailable, *found.available, *ours)}


def robot_of(settings: Settings) -> RobotDescription:
    """The robot that is to run. Raises DescriptionError, or InstallationError for an unknown world."""
    if settings.robot:
        return read_description(Path(settings.robot))
    if settings.world not in worlds():
        raise InstallationError(f"there is no world {settings.world!r}; there are {', '.join(worlds())}")
    return read_description(ROBOTS / f"{settings.world}.yaml")
