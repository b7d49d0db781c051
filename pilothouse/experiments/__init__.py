"""The experiments: each reproduces figures of a paper or measures what we promise, beside others' numbers.

    definition.py         what an experiment is: `Experiment`, `Facts`, `Progress`
    report.py             what is made of its figures: JSON, a table, a picture
    NAME/experiment.yaml  what it is compared with and has to reach
    NAME/                 how it is measured and drawn; imported when it is asked for

`pilothouse.cli.experiment` is the command. Part of a checkout.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Final

from framework.errors import PluginUnavailable
from pilothouse.experiments.definition import Experiment, facts

NAMES: Final = (
    "registrar", "show-environment", "on-demand", "language", "fci", "gesture", "impedance", "operator-link",
    "people", "phone-session", "observer", "reliability", "ros2", "speech", "stopping", "twin",
)  # fmt: skip


def load(name: str) -> Experiment:
    """The experiment of that name.

    Raises PluginUnavailable if there is none, or if something it needs is not installed.
    """
    if name not in NAMES:
        near = difflib.get_close_matches(name, NAMES, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise PluginUnavailable(
            f"the experiment {name!r}", f"there is none of that name; there are {', '.join(NAMES)}{guess}"
        )
    try:
        package = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    except ImportError as error:
        raise PluginUnavailable(f"the experiment {name!r}", f"{error}; see `pilothouse doctor`") from error
    said = facts(name)
    return Experiment(
        name=name,
        facts=said,
        run=package.measure,
        run_on=getattr(package, "measure_on", None),
        plot=getattr(package, "draw", None),
        notes=tuple(note.format(**vars(package)) for note in said.notes),
    )
