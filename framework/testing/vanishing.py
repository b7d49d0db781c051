"""A registrar whose process is gone, for tests and campaigns: everything that it ran ends with it."""

from __future__ import annotations

from framework.registrar import ResourceRegistrar


def vanish(registrar: ResourceRegistrar) -> None:
    """As by `kill -9`: with no word to anybody, on the loop of the others. What it keeps on disk stays."""
    shell = registrar._shell
    assert shell._link is not None
    shell._link.leave()
    if shell._timer is not None:
        shell._timer.cancel()
    shell._is_left = True
    if shell._catalog is not None:
        shell._catalog.close()
    shell.provider_tasks.abandon_all()
