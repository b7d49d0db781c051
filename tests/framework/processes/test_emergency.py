"""The latch of the emergency stop: set by anybody, lost by nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from framework.errors import InstallationError
from framework.processes.emergency import FILE_NAME, MOST_LENT_S, EmergencyStop, is_press

LATCH = """
import sys
from pathlib import Path
from framework.processes.emergency import EmergencyStop
EmergencyStop.attach(Path(sys.argv[1])).latch("somebody pressed it")
"""


@pytest.fixture
def latch(tmp_path: Path) -> EmergencyStop:
    return EmergencyStop.create(tmp_path)


def test_it_is_seen_by_everybody_who_attached(latch: EmergencyStop, tmp_path: Path) -> None:
    control = EmergencyStop.attach(tmp_path)
    assert not control.is_latched
    latch.latch("the operator said so")
    assert control.is_latched
    assert control.reason == "the operator said so"
    control.close()


def test_no_reason_however_broken_costs_the_stop(latch: EmergencyStop) -> None:
    latch.latch("stop \udcff")  # what a terminal makes of a byte that is no text
    assert latch.is_latched and latch.reason == "stop ?"
    assert latch.reset(latch.token)
    with pytest.raises(AttributeError):
        latch.latch(None)  # type: ignore[arg-type]
    assert latch.is_latched


def test_another_process_sets_it_while_its_maker_is_stopped(tmp_path: Path) -> None:
    maker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path\n"
            "from framework.processes.emergency import EmergencyStop\n"
            "EmergencyStop.create(Path(sys.argv[1])); print('made', flush=True); sys.stdin.read()",
            str(tmp_path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert maker.stdout is not None
        assert maker.stdout.readline() == b"made\n"
        os.kill(maker.pid, signal.SIGSTOP)
        subprocess.run([sys.executable, "-c", LATCH, str(tmp_path)], check=True)
        control = EmergencyStop.attach(tmp_path)
        assert control.is_latched
        control.close()
    finally:
        maker.kill()
        maker.communicate()


def test_it_stays_until_its_own_token_resets_it(latch: EmergencyStop) -> None:
    latch.latch("first")
    first = latch.token
    latch.latch("second, while the first is being reset")
    assert not latch.reset(first)
    assert latch.is_latched
    assert latch.reset(latch.token)
    assert not latch.is_latched
    assert latch.token == 0


def test_a_reset_without_a_stop_changes_nothing(latch: EmergencyStop) -> None:
    assert not latch.reset(7)
    assert not latch.is_latched


def test_a_heartbeat_is_lent_for_a_bounded_time_after_a_real_one(latch: EmergencyStop) -> None:
    latch.lend(9.0, 9.5)
    assert latch.motion_age_s(9.5) == float("inf"), "nobody has ever said that they are alive"
    latch.beat(10.0)
    latch.lend(9.98, 10.5)
    assert latch.motion_age_s(10.55) == pytest.approx(0.05)
    assert latch.heartbeat_age_s(10.55) == pytest.approx(0.55), "for all who do not move it is what it is"
    assert latch.lent == pytest.approx((9.98, 10.5))
    latch.lend(10.49, 10.0 + MOST_LENT_S + 0.01)  # a watchdog that has gone mad
    assert latch.motion_age_s(11.0) == pytest.approx(1.0)
    latch.lend(1.0, 10.5)
    assert latch.lent == (0.0, 0.0)
    latch.beat(12.0)
    assert latch.motion_age_s(12.1) == pytest.approx(0.1)


def test_the_heartbeat_has_an_age(latch: EmergencyStop) -> None:
    assert latch.heartbeat_age_s(10.0) == float("inf")
    latch.beat(10.0)
    assert latch.heartbeat_age_s(10.25) == pytest.approx(0.25)


def test_a_long_reason_is_cut_and_never_breaks_it(latch: EmergencyStop) -> None:
    latch.latch("ä" * 5000)
    assert latch.is_latched
    assert latch.reason.startswith("ä")


def test_no_installation_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(InstallationError, match="is the installation running"):
        EmergencyStop.attach(tmp_path)


@pytest.mark.parametrize("content", [b"", b"x" * 4096, b"short"])
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(InstallationError, match="not an emergency stop"):
        EmergencyStop.attach(tmp_path)


def test_two_latches_in_one_place_are_refused(latch: EmergencyStop, tmp_path: Path) -> None:
    with pytest.raises(InstallationError, match="cannot be set up"):
        EmergencyStop.create(tmp_path)


PAGE, OTHER = "0123456789ab", "ba9876543210"


def test_a_press_latches_once_and_a_late_duplicate_never_again(latch: EmergencyStop, tmp_path: Path) -> None:
    assert latch.latch_once(f"{PAGE}-1", "phone 1 stopped everything")
    token = latch.token
    other = EmergencyStop.attach(tmp_path)  # whoever serves the page was restarted meanwhile
    assert other.latch_once(f"{PAGE}-1", "again")
    assert (latch.token, latch.reason) == (token, "phone 1 stopped everything")
    assert latch.reset(token)
    assert not other.latch_once(f"{PAGE}-1", "late") and not latch.is_latched
    assert latch.latch_once(f"{OTHER}-1", "another page's first"), "is another press"
    other.close()


def test_an_earlier_press_of_the_page_is_a_duplicate_of_the_later_one(latch: EmergencyStop) -> None:
    assert latch.latch_once(f"{PAGE}-2", "the first was lost")
    assert latch.reset(latch.token)
    assert not latch.latch_once(f"{PAGE}-1", "and came late")
    assert latch.latch_once(f"{PAGE}-3", "pressed anew")


@pytest.mark.parametrize(
    "press",
    [
        "",
        "1",
        PAGE,
        f"{PAGE}-",
        f"{PAGE}-0",
        f"{PAGE}-65536",
        f"x{PAGE}-1",
        f"{PAGE}-1\n",
        f"{PAGE.upper()}-1",
    ],
)
def test_what_is_no_press_latches_each_time(latch: EmergencyStop, press: str) -> None:
    for _ in range(2):
        assert latch.latch_once(press, "a stop is a stop")
        assert latch.reset(latch.token)
    assert not is_press(press)


def test_presses_of_more_pages_than_are_remembered_push_out_the_oldest(latch: EmergencyStop) -> None:
    pages = [f"{number:012x}" for number in range(66)]
    for page in pages:
        latch.latch_once(f"{page}-1", "one of many")
    assert [latch.has_had(f"{page}-1") for page in pages] == [False, False, *(64 * [True])]


def test_a_stop_that_could_not_be_set_is_not_remembered(
    latch: EmergencyStop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(reason: str) -> None:
        raise OSError("no shared memory")

    with monkeypatch.context() as patch:
        patch.setattr(latch, "latch", broken)
        with pytest.raises(OSError, match="no shared memory"):
            latch.latch_once(f"{PAGE}-1", "lost")
    assert latch.latch_once(f"{PAGE}-1", "sent again")
