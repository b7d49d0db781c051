"""How tests are shared out among workers: a lane in one piece, what only computes by its files.

pytest-xdist would give away each test on its own, and count all that it has given away whenever one ends:
seven seconds for nine thousand. What the tests of a file share is made once, by the one worker that has it.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadGroupScheduling


class LanesAndFiles(LoadGroupScheduling):  # type: ignore[misc]  # it has no types
    """Workers get lanes, which are groups, and files."""

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group


@pytest.hookimpl(optionalhook=True)  # without xdist nothing is shared out
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LanesAndFiles | None:
    """Where `--dist loadgroup` is asked for."""
    return LanesAndFiles(config, log) if config.getvalue("dist") == "loadgroup" else None
