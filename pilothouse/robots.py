"""Which robots can be run here: the worlds we simulate, the description somebody gives, and all drivers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from framework.errors import InstallationError
from framework.plugins import DriverCatalogue
from framework.plugins.driver import Driver, DriverSpec, driver_spec
from pilothouse.catalogue import folders_in
from pilothouse.settings import Settings
from resources.drivers.film_camera import FilmCamera
from resources.drivers.franka.arm_driver import FciArm
from resources.drivers.franka.gripper_driver import FciGripper
from resources.drivers.realsense.driver import RealSense
from resources.drivers.ros.arm_driver import RosArm
from resources.drivers.ros.base_driver import RosBase
from resources.drivers.ros.camera_driver import RosCamera, RosColourCamera
from resources.drivers.ros.cloud_driver import RosCloud
from resources.drivers.ros.gripper_driver import RosGripper
from resources.drivers.ros.lidar_driver import RosLidar
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.drivers.simulated.base_driver import SimulatedBase
from resources.drivers.simulated.camera_driver import SimulatedCamera, SimulatedColourCamera
from resources.drivers.simulated.gripper_driver import SimulatedGripper
from resources.drivers.simulated.lidar_driver import SimulatedLidar
from resources.drivers.sound.loudspeaker import LocalLoudspeaker, SoundFolder
from resources.drivers.sound.microphone import LocalMicrophone
from resources.drivers.sound.sound_files import SoundFiles
from resources.drivers.swept_lidar import SweptLidar
from resources.robots.description import RobotDescription, read_description
from resources.robots.worlds import ROBOTS, worlds
from resources.worlds.scene_file import read_scene

DRIVERS: Final[tuple[type[Driver], ...]] = (
    SimulatedCamera,
    SimulatedColourCamera,
    RealSense,
    FilmCamera,
    SimulatedLidar,
    SweptLidar,
    SimulatedArm,
    SimulatedGripper,
    SimulatedBase,
    FciArm,
    FciGripper,
    RosCamera,
    RosColourCamera,
    RosCloud,
    RosLidar,
    RosArm,
    RosGripper,
    RosBase,
    LocalMicrophone,
    SoundFiles,
    LocalLoudspeaker,
    SoundFolder,
)


def driver_catalogue(folders: Sequence[Path] = ()) -> dict[str, DriverSpec]:
    """Our drivers, the user's, and those of installed distributions, by name."""
    found = DriverCatalogue.discover((*folders, *folders_in("PILOTHOUSE_DRIVERS")))
    ours = [driver_spec(driver) for driver in DRIVERS]
    return {spec.name: spec for spec in (*found.unavailable, *found.available, *ours)}


def robot_of(settings: Settings) -> RobotDescription:
    """The robot that is to run. Raises DescriptionError, or InstallationError for an unknown world."""
    if settings.robot:
        return _checked(Path(settings.robot))
    if settings.world not in worlds():
        raise InstallationError(f"there is no world {settings.world!r}; there are {', '.join(worlds())}")
    return _checked(ROBOTS / f"{settings.world}.yaml")


def _checked(file: Path) -> RobotDescription:
    """A description, and what it refers to: a mistake in that is told before anything starts."""
    robot = read_description(file)
    if robot.scene:
        read_scene(Path(robot.scene))
    return robot
