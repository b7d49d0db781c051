"""The process in the operator process's place when a scenario with scripted people runs for real.

The people are those of the virtual clock (`virtual_operators.py`); hands, orders and handle are a real
process's, which can be killed. Who is there is kept in the run directory, as people do not leave when
it dies. Links
themselves are not played: what they do is tried in `tests/resources/operator`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import ResourceUnavailable
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from pilothouse.testbed.virtual_operators import Person, VirtualOperators
from resources.operator.arguments import OperatorArguments

TARGET: Final = "pilothouse.testbed.people_child:main"

_TURN_S: Final = 0.005
_FILE: Final = "people.json"


class Sentence(msgspec.Struct, frozen=True, tag="sentence"):
    """Somebody does something: `VirtualOperators.play`."""

    words: str


def main(child: Child, arguments: OperatorArguments) -> None:
    """Play people until told to stop."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    people = VirtualOperators(arguments)
    file = directory.path / _FILE
    with suppress(FileNotFoundError):
        people.come_back(msgspec.json.decode(file.read_bytes(), type=tuple[Person, ...]), time.monotonic())
    people.changed = child.ready
    child.ready(msgspec.json.encode(people.handle))
    try:
        while not child.wait(_TURN_S):
            for payload in child.commands():
                _obey(child, people, payload)
                file.write_bytes(msgspec.json.encode(people.people))
            people.tick(time.monotonic())
    finally:
        people.close()
        directory.leave()


def _obey(child: Child, people: VirtualOperators, payload: bytes) -> None:
    try:
        sentence = msgspec.msgpack.decode(payload, type=Sentence)
    except UNREADABLE:
        with suppress(*UNREADABLE):  # what is told to pages, nobody here sees
            people.order(payload)
        return
    try:
        people.play(sentence.words, time.monotonic())
    except ResourceUnavailable as error:
        child.status(Severity.WARNING, str(error))
