"""Options that all tests share, and which of them have a worker of their own.

`make test` runs on several cores. A test is `real` if it waits for what really happens on this machine:
processes that are started and hurt, sensors that render, browsers, sockets, the wall clock. Two of these
at once would disturb each other, so all of them go one after the other through one worker, beside the
others, which only compute. Everything below the folders and files of `REAL` is real; a single test
elsewhere says so itself, with `@pytest.mark.real` (or `pytestmark = pytest.mark.real` for its file).

Pages in a browser with a scripted robot behind them (`PAGES`) wait for what the page shows, and for nothing
else's time: one after the other, too, but beside the other real ones.

Real tests mostly wait, so there is one worker more than processors (the Makefile), and those that only
compute give way to them where that can be taken back, which takes root.

Real tests run again if they failed while this machine had no time for them: tests/machine_pauses.py.

What only types commands, or runs a program to its end, may run beside anything and is not real.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

pytest_plugins = ["tests.machine_pauses"]

HERE = Path(__file__).parent

#: Folders and files, as seen from here.
REAL = (
    "framework/processes",
    "framework/registrar/test_two_processes.py",
    "framework/transport/test_zenoh_processes.py",
    "framework/transport/test_zenoh_speed.py",
    "framework/transport/test_zenoh_transport.py",
    "pilothouse/cli/test_commands.py",
    "pilothouse/test_browser.py",
    "pilothouse/test_installation.py",
    "pilothouse/test_wheel.py",
    "resources/children",
    "resources/console/test_encoder.py",
    "resources/drivers/franka",
    "resources/drivers/realsense",
    "resources/fci_sim",
    "resources/simulation",
)

PAGES = (
    "resources/console/test_dialogue_in_browser.py",
    "resources/console/test_in_browser.py",
)

#: How far what only computes steps back (nice).
GIVING_WAY = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where browser tests leave the pictures that the README shows."""
    parser.addoption("--pictures", default="", metavar="FOLDER", help="write the README's screenshots there")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is real, and keep it together where tests are shared out among workers."""
    is_shared_out = config.pluginmanager.hasplugin("xdist")
    for item in items:
        below = item.path.relative_to(HERE)
        is_page = any(below.is_relative_to(each) for each in PAGES)
        if is_page or any(below.is_relative_to(each) for each in REAL):
            item.add_marker(pytest.mark.real)
        if is_shared_out and item.get_closest_marker("real") is not None:
            item.add_marker(pytest.mark.xdist_group("pages" if is_page else "real"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """In a worker beside others, what only computes gives way to what waits for real time."""
    if os.geteuid() == 0 and hasattr(item.config, "workerinput"):
        is_real = item.get_closest_marker("real") is not None
        os.setpriority(os.PRIO_PROCESS, 0, 0 if is_real else GIVING_WAY)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is there by now stays, so the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
