"""The fixtures of the pytest plugin that plugin authors use, used as they would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from framework.registrar import ResourceRegistrar
from framework.scenarios import How
from framework.testing import ScriptedDevice, ScriptedInstallation
from framework.testing.pytest_plugin import ScenarioPlayer, VirtualRunner
from framework.transport.local import LocalTransport

Registrars = Callable[..., ResourceRegistrar]
Installations = Callable[..., ScriptedInstallation]


class Lamp(msgspec.Struct, frozen=True):
    room: str


def test_registrars_of_a_test_meet_at_its_transport(
    virtual: VirtualRunner, registrar_factory: Registrars, transport: LocalTransport
) -> None:
    async def main() -> object:
        async with registrar_factory("lamps") as lamps, registrar_factory("person") as person:

            @lamps.provides(Lamp)
            @asynccontextmanager
            async def lamp(request: Lamp) -> AsyncIterator[str]:
                yield f"light in the {request.room}"

            async with person.request(Lamp("hall")) as lease:
                assert set(transport.peers) == {"lamps", "person"}
                return lease.value

    assert virtual(main) == "light in the hall"


def test_an_installation_without_a_scenario(
    virtual: VirtualRunner, installation_factory: Installations
) -> None:
    async def main() -> tuple[bool, list[str], list[str]]:
        devices = [ScriptedDevice("good"), ScriptedDevice("other", start_s=0.1)]
        async with installation_factory(devices, {"look": ("good", "other")}) as harness:
            done = await harness.supervisor.say("look").done()
            before = [view.device for view in harness.stage.views()]
            harness.stage.fail("good", How.DIE)
            while not (views := harness.stage.views()) or views[0].device == "good":
                await harness.clock.sleep(0.1)
            return done, before, [view.device for view in views]

    assert virtual(main) == (True, ["good"], ["other"])


def test_a_scenario_is_played_on_an_installation(
    play_scenario: ScenarioPlayer, installation_factory: Installations
) -> None:
    report = play_scenario(
        """
name: the lamp goes out
steps:
  - say: look
  - fail: only
  - expect: {event: failed, text: only}
""",
        lambda: installation_factory([ScriptedDevice("only")], {"look": ("only",)}),
    )
    assert report.passed and report.leaked == ()
