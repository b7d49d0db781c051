"""The process of a base over ROS: odometry in, velocities out, fifty times a second, and our control loop.

    Odometry → mailbox → `ControlLoopCore` → `BaseController`, looked after by its scanners → Twist

Velocities are sent while it is driven, and some zeros after that; then nothing, so that others may drive it.
Odometry that is old, jumps or is no number is a fault: it stops, and is not driven until it has recovered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import MalformedMessage, MotionFailed
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from resources.children.control_port import ControlPort, HardwareLoop
from resources.children.safety import Safety
from resources.children.scan_reading import ScanReading
from resources.controllers.base import BaseController
from resources.controllers.base_ramp import REST
from resources.controllers.loop import MotionStop
from resources.controllers.protective_field import Twist
from resources.drivers.ros.awaiting import await_heard
from resources.drivers.ros.incoming import Incoming
from resources.drivers.ros.motion_arguments import RosBaseArguments
from resources.drivers.ros.odometry import OdometryTrack
from resources.drivers.ros.trouble import Trouble
from resources.ros.participant import Participant
from resources.types.motion import BaseSample
from resources.types.ros import COMMAND
from resources.types.streams import StreamFormat

BASE_HZ: Final = 50.0
"""So often it is looked what is wanted, a velocity is sent, and a report written."""

LEAST_SILENCE_S: Final = 0.3
"""Without odometry for so long, or for three periods of it, the base is stopped [s]."""

ZEROS: Final = 25
"""So many standstills are sent after the last velocity: half a second of them."""

_PERIOD_S: Final = 1.0 / BASE_HZ
_PERIODS: Final = 3.0
_STOPPED_S: Final = 0.2  # this process stood still, and the base has stopped by itself
_LATE_S: Final = 0.1
_STANDS: Final = 0.01  # [m/s], [rad/s]
_ODOMETRY: Final = "nav_msgs/msg/Odometry"


def main(child: Child, arguments: RosBaseArguments) -> int:
    """Be the base. Raises PilothouseError if there is none to be had."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        participant = stack.enter_context(Participant(child, arguments.device))
        port = ControlPort(child, directory.path, arguments.device, arguments.orders)
        stack.callback(port.close)
        odometry = Incoming(
            participant,
            arguments.odometry,
            _ODOMETRY,
            arguments.qos,
            rate_hz=arguments.odometry_hz,
            own_clock=arguments.own_clock,
        )
        wheels = Wheels(participant, arguments)
        odometry.first()
        await_heard(participant, wheels)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        loop = RosBaseLoop(child, arguments, odometry, wheels, safety, port)
        stack.callback(loop.close)
        child.ready(msgspec.json.encode(port.stream(StreamFormat.BASE, arguments.frame or "base", BASE_HZ)))
        return loop.run(participant)


class Wheels:
    """Where velocities go. Raises DescriptionError for a topic that ROS does not take."""

    def __init__(self, participant: Participant, arguments: RosBaseArguments) -> None:
        self._participant = participant
        self._stamped = arguments.stamped
        self._frame = arguments.base_frame
        type_name = "geometry_msgs/msg/TwistStamped" if arguments.stamped else "geometry_msgs/msg/Twist"
        self._commands = participant.publish(arguments.commands, type_name, COMMAND)
        from geometry_msgs.msg import Twist as TwistMessage
        from geometry_msgs.msg import TwistStamped

        self._twist, self._twist_stamped = TwistMessage, TwistStamped

    @property
    def is_heard(self) -> bool:
        """Whether anybody takes them."""
        return self._commands.is_heard

    def why_silent(self) -> str:
        """Why not, in words."""
        return self._commands.why_silent()

    def drive(self, velocity: Twist) -> None:
        """Send a velocity: forward, left [m/s], turn [rad/s]."""
        twist = self._twist()
        twist.linear.x, twist.linear.y, twist.angular.z = velocity
        if not self._stamped:
            self._commands.send(twist)
            return
        message = self._twist_stamped(twist=twist)
        message.header.stamp = self._participant.node.get_clock().now().to_msg()
        message.header.frame_id = self._frame
        self._commands.send(message)


class RosBaseLoop(HardwareLoop):
    """One base's loop.

    odometry: gives messages, each once (`Incoming`); wheels: takes velocities (`Wheels`).
    """

    def __init__(
        self,
        child: Child,
        arguments: RosBaseArguments,
        odometry: Any,
        wheels: Any,
        safety: Safety,
        port: ControlPort,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._odometry, self._wheels = odometry, wheels
        self._track = OdometryTrack()
        self._oldest_s = max(LEAST_SILENCE_S, _PERIODS / arguments.odometry_hz)
        self._law = BaseController(arguments.outline, arguments.limits, sideways=arguments.sideways)
        self._scans = ScanReading(port.complaints)
        self._driven: Twist = REST
        self._zeros_left = 0
        self._began_s = self._ticked_s = now_s()
        self._trouble = ""
        super().__init__(child, arguments.device, self._law, arguments.stop, safety, port, now_s)
        self._troubles = Trouble(self._core)

    def run(self, participant: Participant) -> int:
        """Until it is told to stop: 0."""
        due_s = self._now_s()
        while True:
            now_s = self._now_s()
            if now_s >= due_s:
                due_s = max(due_s + _PERIOD_S, now_s)
                self.turn(now_s)
                if self._child.stopping and self._has_left(now_s):
                    return 0
            # It is turned while the base comes to rest, too.
            participant.turn(max(due_s - self._now_s(), 0.0))

    def turn(self, now_s: float) -> None:
        """Odometry, orders, law, velocity, report."""
        core, law = self._core, self._law
        self._measure(now_s)
        stop = self._safety.look(now_s)
        if core.begin_turn(self._orders(now_s), stop, now_s, hand=self._port.hand):
            self._recover(now_s)
        law.guard.scanners = tuple(name for name, _ in core.scans)
        for name, scan in self._scans.news(core.scans, now_s):
            law.guard.see(name, scan)
        track = self._track
        # Where nobody says how fast it is, it goes as it is told, for all that is known.
        velocity = self._driven if core.fault else track.velocity
        passed_s, self._ticked_s = now_s - self._ticked_s, now_s
        if passed_s > _STOPPED_S:
            law.drives_stand()
        driven = law.tick(track.odometry, velocity, now_s, min(max(passed_s, 0.0), 2.0 * _PERIOD_S))
        core.end_turn(now_s)
        self._drive(driven, stop)
        self._report(now_s)

    def close(self) -> None:
        """Stand, if it was driven, and let go of the scans; idempotent."""
        if any(self._driven) or self._zeros_left:
            self._wheels.drive(REST)
        self._scans.close()

    def _measure(self, now_s: float) -> None:
        """What the base says of itself; what is wrong with that is a fault."""
        taken = self._odometry.take(now_s)
        if taken is not None:
            message, stamp_s = taken
            self._trouble = self._taken(message, stamp_s, now_s)
        age_s = now_s - self._track.stamp_s
        if not self._trouble and age_s > self._oldest_s:
            self._trouble = f"no odometry for {age_s:.2f} s: {self._why_silent()}"
        stands = self._law.is_at_rest and not self._core.state().following
        self._troubles.look(self._present_trouble(), now_s, stands=stands)

    def _present_trouble(self) -> str:
        """Why it cannot be driven, in words, or ""."""
        return self._trouble or ("" if self._wheels.is_heard else self._wheels.why_silent())

    def _taken(self, message: Any, stamp_s: float, now_s: float) -> str:
        """What is wrong with a message, in words, or ""."""
        pose, twist = message.pose.pose, message.twist.twist
        rotation = pose.orientation
        try:
            self._track.take(
                pose.position.x,
                pose.position.y,
                (rotation.x, rotation.y, rotation.z, rotation.w),
                (twist.linear.x, twist.linear.y, twist.angular.z),
                stamp_s,
            )
        except (MalformedMessage, MotionFailed) as error:
            self._odometry.complain(MalformedMessage(str(error)), now_s)
            return f"its odometry: {error}"
        return ""

    def _why_silent(self) -> str:
        connection = self._odometry.connection
        if connection.newest_s is None or connection.newest_s - self._track.stamp_s < _LATE_S:
            return str(connection.why_silent())
        return self._odometry.complaints.last or "what comes was measured so long ago"

    def _recover(self, now_s: float) -> None:
        """Somebody has confirmed that it may be driven again: so it may if its odometry is well now."""
        if trouble := self._present_trouble():
            self._core.not_recovered(trouble, now_s)
        else:
            self._core.recovered()

    def _drive(self, velocity: Twist, stop: MotionStop) -> None:
        """Send it while it is one, and a while after that; and standstill to who moves under a stop."""
        self._driven = velocity
        goes = not self._core.fault and any(abs(each) > _STANDS for each in self._track.velocity)
        if any(velocity):
            self._zeros_left = ZEROS
        elif stop.emergency and goes:  # whoever else drives it
            self._zeros_left = max(self._zeros_left, 1)
        elif not self._zeros_left:
            return
        else:
            self._zeros_left -= 1
        self._wheels.drive(velocity)

    def _has_left(self, now_s: float) -> bool:
        """On the way out: whether it stands, and has been told so."""
        ends_at_s = self._leaves_by(now_s)
        return (not any(self._driven) and self._law.is_at_rest) or now_s >= ends_at_s

    def _report(self, now_s: float) -> None:
        self._have_reflex_if_told(now_s)
        law = self._law
        sample = BaseSample(
            now_s - self._began_s,
            self._core.state(),
            self._track.odometry,
            self._track.velocity,
            law.blocked,
            law.is_blind,
            law.guard.outline.numbers,
        )
        self._port.publish(sample, now_s)
