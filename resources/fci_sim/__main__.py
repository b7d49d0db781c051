"""A control box as a child process: settings in its arguments, orders on standard input, answers on output.

It lives as long as whoever started it keeps its standard input open. `simulated_box.py` is the other end.
"""

from __future__ import annotations

import os
import sys

import msgspec

from framework.errors import DescriptionError, PilothouseError
from resources.fci_sim.orders import Answer, Script, read_order
from resources.fci_sim.server import Server, hurry, to_json
from resources.fci_sim.simulated_box import BoxArguments


def main() -> int:
    """Serve until standard input ends."""
    arguments = msgspec.json.decode(sys.argv[1], type=BoxArguments)
    script: Script = arguments.script
    try:
        server = Server(
            arguments.addresses, lock_step=arguments.lock_step, scene=script.scene, faults=script.faults
        )
    except PilothouseError as error:
        _write(Answer(str(error)))
        return 2
    if not arguments.lock_step:
        hurry()
    with server:
        _listen(server)
        _write(Answer())
        server.run()
    return 0


def _listen(server: Server) -> None:
    begun = bytearray()

    def ready() -> None:
        data = os.read(0, 65536)
        if not data:
            server.stop()
            return
        begun.extend(data)
        while b"\n" in begun:
            line, _, rest = bytes(begun).partition(b"\n")
            begun[:] = rest
            try:
                server.obey(read_order(line), _write)
            except DescriptionError as error:
                _write(Answer(str(error)))

    server.watch(0, ready)


def _write(answer: Answer) -> None:
    try:
        os.write(1, to_json(answer))
    except BrokenPipeError:
        sys.exit(0)  # nobody is left who asked


if __name__ == "__main__":
    sys.exit(main())
