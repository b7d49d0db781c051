"""The scripts that authors of actions test with: resources by hand, conditions by hand."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from framework.errors import ResourceUnavailable
from framework.plan.ast import Compare, Comparison, State, Until
from framework.plan.ast import Do as DoAction
from framework.plugins import Action, ActionCatalogue, action_spec, needs
from framework.registrar import ResourceRegistrar
from framework.testing import ScriptedConditions, ScriptedInstallation, ScriptedResources, run
from framework.transport.local import LocalTransport


class Weather(msgspec.Struct, frozen=True):
    town: str = "Tartu"


class Watch(Action):
    """Say what the weather is like."""

    continuous = True
    weather = needs(Weather("Tartu"))

    async def run(self) -> None:
        while True:
            self.established(f"it is {self.weather.handle}")
            await self.weather.changed()


def test_who_asks_gets_what_the_test_wrote_down_and_hears_of_changes() -> None:
    async def scene() -> None:
        transport = LocalTransport()
        told: list[Any] = []
        async with (
            ScriptedResources(transport, {Weather: lambda request: f"rain in {request.town}"}) as resources,
            ResourceRegistrar("client", transport) as client,
        ):
            async with client.request(Weather("Oulu"), on_failure="tell", on_status=told.append) as lease:
                assert lease.value == "rain in Oulu" and resources.in_use == (Weather("Oulu"),)
                lease.send(b"stop it")
                await asyncio.sleep(0.1)
                assert resources.commands == [(Weather("Oulu"), b"stop it")]
                resources.update(Weather, "sunny")
                await asyncio.sleep(0.1)
                assert lease.value == "sunny"
                resources.fail(Weather, "no more weather")
                await lease.failed()
            with pytest.raises(ResourceUnavailable, match="no more weather"):
                async with client.request(Weather()):
                    pass
            resources.update(Weather, "snow")
            async with client.request(Weather()) as lease:
                assert lease.value == "snow"
        assert [str(status.severity.name) for status in told] == ["UPDATE", "FATAL"]

    run(scene)


def test_conditions_are_as_they_were_put() -> None:
    conditions = ScriptedConditions()
    woken: list[int] = []
    end = conditions.watch(lambda: woken.append(1))
    is_open = State("open", {"thing": "door"})
    near = Compare("distance", {"thing": "cup"}, Comparison.LESS, 0.5)
    assert conditions.read(is_open) is None and conditions.read(near) is None
    conditions.put("open", True, thing="door")
    conditions.put("distance", 0.4, thing="cup")
    assert (conditions.read(is_open), conditions.read(near)) == (True, True)
    assert conditions.read(State("open", {"thing": "door"}, is_so=False)) is False
    conditions.put("open", None, thing="door")
    assert conditions.read(is_open) is None
    assert len(woken) == 3
    end()
    end()
    conditions.put("open", True, thing="door")
    assert len(woken) == 3


def test_a_house_runs_an_action_that_needs_them() -> None:
    async def scene() -> None:
        catalogue = ActionCatalogue([action_spec(Watch)])
        async with ScriptedInstallation([], catalogue=catalogue, handles={Weather: "dry"}) as harness:
            plan = Until(DoAction("watch"), State("open", {"thing": "door"}))
            reply = harness.supervisor.carry_out(plan)
            await asyncio.sleep(1.0)
            (view,) = harness.supervisor.plans()
            assert "it is dry" in str(view.tree)
            harness.resources.update(Weather, "wet")
            await asyncio.sleep(1.0)
            (view,) = harness.supervisor.plans()
            assert "it is wet" in str(view.tree)
            harness.conditions.put("open", True, thing="door")
            assert await reply.done()
            await asyncio.sleep(1.0)
            assert harness.stage.leaked() == ()

    run(scene)
