"""The pytest plugin `pilothouse`: fixtures for tests on the virtual clock. Public, for plugin authors too.

    seed                what was given with --pilothouse-seed
    virtual             runs a coroutine function on the virtual clock; tolerates no leftovers
    transport           where the registrars of a test meet
    registrar_factory   makes registrars there: `async with registrar_factory("sensors") as registrar:`
    installation_factory   makes installations of scripted devices (`framework.testing.scripted_installation`)
    play_scenario       plays a scenario file on such an installation; fails the test with its timeline

It is loaded by every pytest of an environment that has Pilothouse, so it imports
what it gives only when a test asks for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from framework.registrar import ResourceRegistrar
    from framework.scenarios import Report
    from framework.testing.scripted_installation import ScriptedInstallation
    from framework.transport.local import LocalTransport

_T = TypeVar("_T")

_OPTION = "--pilothouse-seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--pilothouse-seed N`."""
    group = parser.getgroup("pilothouse", "Pilothouse: tests on the virtual clock")
    group.addoption(
        _OPTION,
        type=int,
        default=0,
        metavar="N",
        help="seed of every test that draws lots through the fixtures `seed` and `virtual` (default: 0)",
    )


def pytest_report_header(config: pytest.Config) -> str:
    """Say the seed, so that a failed run can be repeated."""
    return f"pilothouse: seed {config.getoption(_OPTION)} (repeat with {_OPTION})"


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What plugins leave behind meanwhile, in words."""
    from framework.plugins.left_behind import log

    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    try:
        yield said
    finally:
        log.removeHandler(handler)


class VirtualRunner:
    """What the fixture `virtual` gives: `virtual(coroutine_function)` returns its result."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(
        self, coroutine_function: Callable[[], Coroutine[Any, Any, _T]], *, limit_s: float | None = None
    ) -> _T:
        """Like `framework.testing.run`; the test fails if tasks would have gone on after the end, or if a
        plugin has left something behind."""
        from framework.testing.runner import run_on
        from framework.testing.virtual_loop import LIMIT_S, VirtualLoop
        from framework.testing.waiting import as_lines

        loop = VirtualLoop(seed=self.seed, limit_s=LIMIT_S if limit_s is None else limit_s)
        with _heard() as left_behind:
            result = run_on(loop, coroutine_function)
        if left_behind:
            pytest.fail("\n".join(left_behind), pytrace=False)
        if loop.leftovers:
            pytest.fail(
                f"{len(loop.leftovers)} tasks were left running at {loop.time():g} s virtual time:\n"
                f"{as_lines(loop.leftovers)}\nCancel and await them, or leave the scope that owns them.",
                pytrace=False,
            )
        return result


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The number given with `--pilothouse-seed`, 0 by default."""
    given = request.config.getoption(_OPTION)
    assert isinstance(given, int)
    return given


@pytest.fixture
def virtual(seed: int) -> VirtualRunner:
    """Run a coroutine function on a fresh virtual clock with the test's seed; leftovers fail the test."""
    return VirtualRunner(seed)


@pytest.fixture
def transport() -> LocalTransport:
    """A local transport of the test's own."""
    from framework.transport.local import LocalTransport

    return LocalTransport()


@pytest.fixture
def registrar_factory(transport: LocalTransport) -> Callable[..., ResourceRegistrar]:
    """`registrar_factory(name, **options)`: a registrar at the test's `transport`, to be entered."""
    from framework.registrar import ResourceRegistrar

    def make(name: str, **options: Any) -> ResourceRegistrar:
        return ResourceRegistrar(name, transport, **options)

    return make


@pytest.fixture
def installation_factory(seed: int) -> Callable[..., ScriptedInstallation]:
    """Makes a `ScriptedInstallation` with the test's seed; call it, enter what it gives, in a coroutine."""
    from framework.testing.scripted_installation import ScriptedInstallation

    def make(*arguments: Any, **options: Any) -> ScriptedInstallation:
        return ScriptedInstallation(*arguments, **{"seed": seed, **options})

    return make


class ScenarioPlayer:
    """What the fixture `play_scenario` gives."""

    def __init__(self, virtual: VirtualRunner) -> None:
        self._virtual = virtual

    def __call__(
        self, source: Path | str, make: Callable[[], ScriptedInstallation], *, may_fail: bool = False
    ) -> Report:
        """Play a file, or the text of one, on the installation that `make` gives.

        The test fails with the timeline if the scenario does not pass, unless it `may_fail`.
        """
        import msgspec

        from framework.scenarios import WhichClock, parse_scenario, read_scenario, run_scenario
        from framework.scenarios.markdown import timeline

        scenario = read_scenario(source) if isinstance(source, Path) else parse_scenario(source, "scenario")
        scenario = msgspec.structs.replace(scenario, clock=WhichClock.VIRTUAL)

        async def play() -> Report:
            async with make() as installation:
                return await run_scenario(scenario, installation.stage, seed=self._virtual.seed)

        report = self._virtual(play)
        if not report.passed and not may_fail:
            pytest.fail(f"{report.failure}\n\n{timeline(report)}", pytrace=False)
        return report


@pytest.fixture
def play_scenario(virtual: VirtualRunner) -> ScenarioPlayer:
    """`play_scenario(file, make)` → the report; `make()` gives an installation, entered for the scenario."""
    return ScenarioPlayer(virtual)
