"""`pilothouse fci-sim`: a simulated Franka control box that an unmodified pylibfranka connects to."""

from __future__ import annotations

import argparse
import ipaddress
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import msgspec

from framework.errors import DescriptionError, InstallationError
from resources.fci_sim.chronicle import Chronicle, Event
from resources.fci_sim.faults import AnyFault, check
from resources.fci_sim.gripper_wire import GRIPPER_PORT
from resources.fci_sim.orders import Answer, Script, read_fault, read_order, read_script
from resources.fci_sim.physics import check_scene
from resources.fci_sim.server import Server, hurry
from resources.fci_sim.wire import ARM_PORT, VERSION

MOST_ARMS = 8

EPILOG = """
faults (--fault, or a list in --script; each also takes arm: N, at_s: SECONDS, for_s: SECONDS and
since: given|motion; times are the arm's own, which in lock-step stand still while no motion runs):
  {fault: reflex, flag: joint_reflex}                    abort the motion (any of pylibfranka's flags);
                                                         needs one that runs: since: motion waits for it
  {fault: user_stop}                                     somebody holds down the stop button
  {fault: silent_udp}                                    no state out, no command in
  {fault: close_tcp}                                     the box hangs up
  {fault: mute, command: set_load}                       requests of that kind are never answered (or all)
  {fault: wrong_version, version: 9}                     Connect is refused
  {fault: packets, what: drop|late|duplicate, of: states|commands, share: 0.1, count: 25, by: 5}
  {fault: nan, field: q}                                 a field of the states is full of NaN
  {fault: push, force: [0, 0, -20], torque: [0, 0, 0]}   a wrench on the end effector, in the base frame

a script is a list of faults, or
  scene: {q: [...], table_m: 0.3, object_width_m: 0.04, payload_kg: 0.5}
  faults: [...]

while it runs, orders are read from standard input, one a line:
  {do: status}   {do: inject, fault: {fault: push, force: [0, 0, -20], for_s: 0.5}}   {do: clear}
  {do: place, q: [...]}   {do: guide, held: true}   {do: object, width_m: 0.03}   {do: pass, for_s: 1}
  {do: events, after: 0}   {do: wait, text: motion ends, for_s: 10}   {do: sent}
all but inject take arm: N; object is what stands between the fingers, pass is for lock-step without a motion,
sent (when states went out) is for a box that goes by the clock

try it, in another terminal:
  python docs/examples/fci_joint_motion.py 127.0.0.1
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "--arms", type=int, default=1, metavar="N", help=f"how many arms, 1 to {MOST_ARMS} (1)"
    )
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        metavar="A",
        help="loopback address of the first arm; the next arms have the next addresses (127.0.0.1)",
    )
    parser.add_argument(
        "--lock-step",
        action="store_true",
        help="the arm's time waits for its client: the same run every time, as fast as it goes "
        "(without: 1000 steps a second, and commands that are late are lost)",
    )
    parser.add_argument("--script", type=Path, metavar="FILE", help="a scene and faults (YAML)")
    parser.add_argument(
        "--fault", action="append", default=[], metavar="YAML", help="one fault; may be given again"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    script = _script(arguments)
    addresses = _addresses(arguments.address, arguments.arms)
    chronicle = Chronicle(time.monotonic, _show)
    with Server(
        addresses,
        lock_step=arguments.lock_step,
        scene=script.scene,
        faults=script.faults,
        chronicle=chronicle,
    ) as server:
        for number, address in enumerate(addresses):
            print(
                f"Arm {number} is at {address}: control interface version {VERSION} on port {ARM_PORT}, "
                f"gripper on port {GRIPPER_PORT}."
            )
        if arguments.lock_step:
            print("Lock-step: time waits for the clients.")
        else:
            print(f"A thousand steps a second{', at real-time priority' if hurry() else ''}.")
        print("Ctrl-C ends it.", flush=True)
        _listen(server)
        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            server.run()
        except KeyboardInterrupt:
            print()
        finally:
            signal.signal(signal.SIGTERM, before)
        for arm in server.arms:
            status = arm.status()
            print(
                f"Arm {arm.number}: {status.steps} steps, of which {status.digested} in motions, "
                f"digest {status.digest}"
            )
    return 0


def _script(arguments: argparse.Namespace) -> Script:
    script = Script()
    file: Path | None = arguments.script
    if file is not None:
        try:
            script = read_script(file.read_bytes(), str(file))
            _check(script, arguments.arms, str(file))
        except OSError as error:
            raise DescriptionError(f"cannot be read: {error.strerror}", file=str(file)) from None
    faults: tuple[AnyFault, ...] = tuple(read_fault(text) for text in arguments.fault)
    return Script(script.scene, (*script.faults, *faults))


def _check(script: Script, arms: int, file: str) -> None:
    """What the box would refuse, with the file's name. Raises DescriptionError."""
    try:
        check_scene(script.scene)
        for fault in script.faults:
            check(fault, arms)
    except DescriptionError as error:
        raise DescriptionError(str(error), file=file) from None


def _addresses(first: str, count: int) -> tuple[str, ...]:
    """Raises InstallationError for what is no loopback address, and for too many arms."""
    if not 1 <= count <= MOST_ARMS:
        raise InstallationError(f"a box with {count} arms cannot be; 1 to {MOST_ARMS} can")
    try:
        address = ipaddress.IPv4Address(first)
    except ValueError:
        raise InstallationError(f"{first!r} is no IPv4 address; 127.0.0.1 is one") from None
    if not (address.is_loopback and (address + count - 1).is_loopback):
        raise InstallationError(
            f"{first} is no loopback address; whoever reaches a control box can move its arms, so this one "
            f"serves 127.0.0.0/8 only"
        )
    return tuple(str(address + number) for number in range(count))


def _listen(server: Server) -> None:
    """Orders from standard input, as long as there is one."""
    begun = bytearray()

    def ready() -> None:
        data = os.read(0, 65536)
        if not data:
            server.unwatch(0)
            return
        begun.extend(data)
        while b"\n" in begun:
            line, _, rest = bytes(begun).partition(b"\n")
            begun[:] = rest
            if line.strip():
                try:
                    server.obey(read_order(line), _show_answer)
                except DescriptionError as error:
                    print(error, file=sys.stderr, flush=True)

    try:
        server.watch(0, ready)
    except (ValueError, OSError):
        return  # there is no standard input


def _show(event: Event) -> None:
    print(event, flush=True)


def _show_answer(answer: Answer) -> None:
    if answer.problem:
        print(answer.problem, file=sys.stderr, flush=True)
    for event in answer.events:
        _show(event)
    if answer.status is not None:
        for name, value in msgspec.structs.asdict(answer.status).items():
            print(f"  {name}: {value}")
        sys.stdout.flush()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
