"""How devices are shown: one whose start failed rests with its reason, and may be tried all the same."""

from __future__ import annotations

from typing import Any, cast

from framework.plugins.driver import DriverSpec
from framework.registrar import Supply
from framework.status import ReasonKind
from managers.devices import LONGEST_REST_S, Devices
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


def test_who_keeps_failing_rests_longer_each_time_until_it_worked_for_long_or_retry_now_is_said() -> None:
    clock = HandClock()
    devices = described(clock)

    def fails_after(up_s: float) -> None:
        devices.opened("arm", cast(Supply, None))
        clock.time_s += up_s
        devices.closed("arm")
        devices.failed(ARM, "it died", rests=True)

    fails_after(2.0)
    assert devices.why_not(ARM).endswith("tried again in 30 s")
    clock.time_s += 30.0
    fails_after(2.0)
    refusal = devices.refusal(ARM)
    assert refusal is not None and refusal.reason.kind is ReasonKind.RETRYING
    assert "2 times in a row" in refusal.message and refusal.message.endswith("tried again in 60 s")
    devices.retry("arm")
    assert devices.refusal(ARM) is None
    for _ in range(9):
        fails_after(2.0)
    assert devices.why_not(ARM).endswith(f"tried again in {LONGEST_REST_S:.0f} s")
    fails_after(60.0)
    assert devices.why_not(ARM).endswith("tried again in 30 s"), "it had worked for a minute"


def test_what_was_unplugged_is_not_said_to_be_tried_again_even_if_it_failed_before() -> None:
    devices = described(HandClock())
    devices.failed(ARM, "it died", rests=True)
    devices.unplug("arm")
    refusal = devices.refusal(ARM)
    assert refusal is not None and refusal.reason.kind is ReasonKind.FAILED
