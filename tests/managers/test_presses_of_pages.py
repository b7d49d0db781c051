"""A console page repeats its stop until it is confirmed: it counts once, whoever has set the latch by it."""

from __future__ import annotations

from pathlib import Path

from managers.console_backend import InstallationBackend
from tests.managers.operators_at_work import AtWork, at_work

PAGE = "0123456789ab"


def test_a_press_latches_once_and_a_late_duplicate_never_again(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        backend, latch = InstallationBackend(work.managers), work.managers.emergency

        def stop(number: int) -> None:
            backend.stop(who="console page 1", press=f"{PAGE}-{number}")

        stop(1)
        assert latch.is_latched and latch.reason == "stopped by console page 1"
        token = latch.token
        stop(1)
        assert latch.token == token, "it is the same stop"
        assert latch.reset(token)
        stop(1)
        assert not latch.is_latched
        stop(3)
        assert latch.reset(latch.token)
        stop(2)
        assert not latch.is_latched, "it was made before the one that was reset"
        for _ in range(2):  # a program's, which has no press
            backend.stop(who="command line", press="")
            assert latch.is_latched and latch.reset(latch.token)

    at_work(tmp_path, play)
