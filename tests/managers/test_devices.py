"""How devices are shown: one whose start failed rests with its reason, and may be tried all the same."""

from __future__ import annotations

from typing import Any, cast

from framework.plugins.driver import DriverSpec
from framework.registrar import Supply
from managers.devices import Devices
from managers.reliability import Reliability
from resources.robots.description import DeviceDescription

ARM = DeviceDescription("arm", "fci_arm", "arm", retry_after_s=30.0)


class HandClock:
    """Time that a test sets."""

    def __init__(self) -> None:
        self.time_s = 100.0

    def now_s(self) -> float:
        return self.time_s

    def wall_s(self) -> float:
        return self.time_s

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits here")


def described(clock: HandClock) -> Devices:
    drivers: dict[str, DriverSpec] = {"fci_arm": DriverSpec("fci_arm", kind="arm")}
    return Devices("franka", "arm", [ARM], drivers, cast(Any, clock), Reliability())


def test_a_device_that_did_not_start_rests_with_its_reason_and_may_be_tried() -> None:
    clock = HandClock()
    devices = described(clock)
    assert devices.view(ARM).state == "free"
    devices.did_not_start(ARM, "nothing answers at 172.16.0.2")
    view = devices.view(ARM)
    assert (view.state, view.detail) == ("resting", "it did not start: nothing answers at 172.16.0.2")
    assert devices.why_not(ARM) == "", "who asks for it tries it"
    clock.time_s += 31.0
    assert devices.view(ARM).state == "free", "nobody knows any more"


def test_what_works_again_has_its_reason_forgotten() -> None:
    devices = described(HandClock())
    devices.did_not_start(ARM, "nothing answers")
    devices.opened("arm", cast(Supply, None))
    assert devices.view(ARM).state == "in use"
    devices.closed("arm")
    assert devices.view(ARM).state == "free"
    devices.did_not_start(ARM, "nothing answers")
    devices.plug_in("arm")
    assert devices.view(ARM).state == "free"
