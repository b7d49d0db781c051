"""The process of a simulated world: steps it in real time, runs its control loops, publishes.

A tick, a hundred times a second: look at the emergency stop and the mailboxes, make the steps that are due
(in each of them every controller ticks), publish. The world itself is `resources.worlds`, its loops are
`controls.py`.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec

from framework.errors import CommandRefused
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.children.arguments import WorldArguments
from resources.children.complaints import Complaints
from resources.children.controls import Controls, arm_options
from resources.children.failing import Fail, FailMode, babble, die, hang
from resources.children.orders import Lead, Put, decode_order
from resources.children.pacing import Pacer
from resources.children.safety import Safety
from resources.children.world_files import WorldFiles, write_world_files
from resources.children.world_rings import STATE_HZ, WorldRings
from resources.controllers.loop import MotionStop
from resources.types.control import SimulationHandle, SimulationReport, ThingReport
from resources.worlds.state_vector import signature
from resources.worlds.world import World

_TICK_S = 1 / STATE_HZ

_STEPS_UNSEEN = 10
"""So many steps at most are made without a look at the emergency stop and the orders."""


def main(child: Child, arguments: WorldArguments) -> None:
    """Be the world. Raises SharedMemoryFull, DescriptionError (no such world), InstallationError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    emergency = EmergencyStop.attach(directory.path)
    world = World.named(
        arguments.world,
        arguments.seed,
        loose_cups=arguments.loose_cups,
        scene=arguments.scene,
        options=arm_options(arguments.controls),
    )
    complaints = Complaints(child.status)
    with (
        WorldRings(world, directory.path) as rings,
        Controls(arguments.controls, world, directory.path, complaints) as controls,
    ):
        files = write_world_files(world, directory.path)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        ticking = _Ticking(child, world, rings, controls, safety, complaints)
        rings.publish_state(time.monotonic())
        child.sampled("world_state")
        child.ready(msgspec.json.encode(_handle(world, rings, controls, files)))
        try:
            ticking.run()
        finally:
            files.remove()
    emergency.close()
    directory.leave()


class _Ticking:
    """The main loop."""

    def __init__(
        self,
        child: Child,
        world: World,
        rings: WorldRings,
        controls: Controls,
        safety: Safety,
        complaints: Complaints,
    ) -> None:
        self._child = child
        self._world = world
        self._rings = rings
        self._controls = controls
        self._safety = safety
        self._complaints = complaints
        self._failing: FailMode | None = None
        # Its owner is gone: the main loop is told, and stops the world in the order of its own steps.
        self._asked_to_rest = threading.Event()
        child.safe_stop = self._asked_to_rest.set

    def run(self) -> None:
        """Tick until the child is to stop."""
        world, rings = self._world, self._rings
        due_s = time.monotonic()
        pacer = Pacer(due_s, timestep_s=world.timestep_s)
        while not self._child.stopping:
            now_s = time.monotonic()
            stop = self._safety.look(now_s)
            if self._asked_to_rest.is_set():
                self._asked_to_rest.clear()
                for control in self._controls:
                    control.release("nobody is there any more to command it", now_s)
            self._controls.before(stop, now_s)
            for payload in self._child.commands():
                self._obey(payload, now_s)
            steps = pacer.due(now_s)
            began_s = now_s - steps * world.timestep_s  # so that the last one is now
            while True:
                few = min(steps, _STEPS_UNSEEN)
                world.step(few, now_s=began_s, broke=self._controls.broke)
                began_s += few * world.timestep_s
                steps -= few
                if steps <= 0:
                    break
                # A late world makes many steps at once; a stop must not wait for the last of them.
                now_s = time.monotonic()
                stop = self._safety.look(now_s)
                self._controls.before(stop, now_s)
            if self._failing is None:
                self._controls.after(now_s)
                rings.publish_state(now_s)
                self._child.sampled("world_state")
                if rings.report_is_due(now_s):
                    rings.publish_report(self._report(pacer, stop), now_s)
            elif self._failing is FailMode.GARBAGE:
                babble(self._child, rings.states, now_s)
            self._complaints.settle(now_s)
            self._child.beat()
            due_s = max(due_s + _TICK_S, time.monotonic())
            self._child.wait(due_s - time.monotonic())

    def _obey(self, payload: bytes, now_s: float) -> None:
        try:
            order = decode_order(payload)
            match order:
                case Fail(device="", how=how):
                    self._fail(how)
                case Fail(device=device, how=how):
                    self._controls.of(device).fail(how, now_s)
                case Put():
                    self._world.put(order.thing, order.state)
                case Lead(device=device, way=way):
                    self._controls.lead(device, way)
        except CommandRefused as error:
            self._complaints.add(f"refused: {error}", now_s)
        except UNREADABLE as error:
            self._complaints.add(f"an order of {len(payload)} bytes cannot be read: {error}", now_s)

    def _fail(self, how: FailMode) -> None:
        if how is FailMode.REFLEX:
            raise CommandRefused("a reflex is a device's: say which")
        self._failing = how
        if how is FailMode.DIE:
            die()
        if how is FailMode.HANG:
            hang()

    def _report(self, pacer: Pacer, stop: MotionStop) -> SimulationReport:
        return SimulationReport(
            time_s=self._world.time_s,
            real_time_factor=pacer.real_time_factor,
            lag_s=pacer.lag_s,
            lost_s=pacer.lost_s,
            emergency=stop.emergency,
            stopped=stop.words,
            refused=self._complaints.count,
            refusal=self._complaints.last,
            things=tuple(
                ThingReport(
                    thing.name, (*thing.position, *thing.quaternion), self._world.state_of(thing.name)
                )
                for thing in self._world.sensed()
            ),
            controls=tuple(control.report for control in self._controls),
        )


def _handle(world: World, rings: WorldRings, controls: Controls, files: WorldFiles) -> SimulationHandle:
    return SimulationHandle(
        world=world.scene.name,
        state=rings.state,
        poses=rings.poses,
        report=rings.report,
        scene=str(files.scene),
        things=str(files.things),
        model=str(files.model),
        signature=signature(world.scene),
        controls=tuple(control.handle for control in controls),
    )
