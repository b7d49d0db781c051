"""Playing scenarios: each on an installation of its own, real or virtual; or on both, and then compared."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import InstallationError
from framework.scenarios.comparing import Comparison, compare
from framework.scenarios.report import Entry, Report
from framework.scenarios.runner import CLEANUP_S, run_scenario
from framework.scenarios.scenario import Play, Scenario, WhichClock
from pilothouse.leaving import Leaving

START_S: Final = 90.0
"""An installation is up after so long, or does not come up at all."""

LEAVE_S: Final = 60.0
"""It is gone after so long, or hangs."""

Watch = Callable[[Entry], None]


def both_ways(
    scenario: Scenario, seed: int, watch: Watch = lambda entry: None, leaving: Leaving | None = None
) -> tuple[Report, Report, Comparison]:
    """One run on the virtual clock and one for real, and how they compare. Raises as `play` does."""
    virtual, real = (
        play(msgspec.structs.replace(scenario, clock=clock), seed, watch, leaving)
        for clock in (WhichClock.VIRTUAL, WhichClock.REAL)
    )
    return virtual, real, compare(virtual, real)


def play(
    scenario: Scenario, seed: int, watch: Watch = lambda entry: None, leaving: Leaving | None = None
) -> Report:
    """One run; what was logged as an error meanwhile is a failure too. leaving: watches over its end.

    Raises DescriptionError for devices that there are not, InstallationError.
    """
    with Logged() as logged:
        if scenario.clock is WhichClock.VIRTUAL:
            from pilothouse.testbed.virtual_installation import play_virtual

            report = play_virtual(scenario, seed, watch)
        else:
            # Everything below has its own bound; this is for the loop itself, should it ever hang.
            most_s = 2 * START_S + scenario.timeout_s + CLEANUP_S + 2 * LEAVE_S
            faulthandler.dump_traceback_later(most_s, exit=True, file=2)
            try:
                report = asyncio.run(_play_real(scenario, seed, watch, leaving))
            finally:
                faulthandler.cancel_dump_traceback_later()
    return _with_failures(report, [f"an error was logged: {text}" for text in logged.texts])


async def _play_real(scenario: Scenario, seed: int, watch: Watch, leaving: Leaving | None) -> Report:
    from pilothouse.installation import Installation
    from pilothouse.testbed.installation_stage import InstallationStage, children, settings_of
    from pilothouse.testbed.peopled_installation import PeopledInstallation, PeopledStage

    before = children()
    with tempfile.TemporaryDirectory(prefix="pilothouse-scenario-") as state:
        has_people = any(isinstance(step.do, Play) for step in scenario.all_steps)
        of, on = (PeopledInstallation, PeopledStage) if has_people else (Installation, InstallationStage)
        installation = of(settings_of(scenario, Path(state), seed, port=0))
        if leaving is not None:
            leaving.watches(installation)
        try:
            async with asyncio.timeout(START_S):
                await installation.__aenter__()
        except TimeoutError as error:
            raise InstallationError(f"the installation did not start within {START_S:g} s") from error
        try:
            stage = on(installation)
            try:
                await stage.until_up()
                report = await run_scenario(scenario, stage, seed=seed, watch=watch)
            finally:
                stage.close()
        finally:
            try:
                async with asyncio.timeout(LEAVE_S):
                    await installation.__aexit__(None, None, None)
            except TimeoutError as error:
                raise InstallationError(f"the installation did not end within {LEAVE_S:g} s") from error
    left = [f"process {pid}" for pid, _ in children().items() - before.items()]
    if installation.directory.exists():
        left.append(f"the run directory {installation.directory.name}")
    if not left:
        return report
    leaked = (*report.leaked, *left)
    report = msgspec.structs.replace(
        report, leaked=leaked, numbers={**report.numbers, "leaked": float(len(leaked))}
    )
    return _with_failures(report, [f"left after the installation's end: {', '.join(left)}"])


def _with_failures(report: Report, more: Sequence[str]) -> Report:
    failure = "\n".join(filter(None, (report.failure, *more)))
    return msgspec.structs.replace(report, failure=failure)


class Logged(logging.Handler):
    """Collects what is logged as an error while it is entered: what nobody expected to happen."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, with the last line of its traceback."""
        text = record.getMessage()
        if record.exc_info is not None and record.exc_info[1] is not None:
            text += f" ({record.exc_info[1]!r})"
        self.texts.append(text)

    def __enter__(self) -> Logged:
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *error: object) -> None:
        logging.getLogger().removeHandler(self)
