"""The experiments: each reproduces figures of a paper or measures what we promise, beside others' numbers.

    definition.py  what an experiment is: `Experiment`, `Goal`, `Progress`
    report.py      what is made of its figures: JSON, a table, a picture

The rest are the experiments themselves. None is imported before it is asked for;
`pilothouse.cli.experiment` is the command.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Final

from framework.errors import PluginUnavailable
from pilothouse.experiments.definition import Experiment

MODULES: Final = {
    "registrar": "pilothouse.experiments.registrar",
    "show-environment": "pilothouse.experiments.show_environment",
    "on-demand": "pilothouse.experiments.on_demand",
    "language": "pilothouse.experiments.language",
    "fci": "pilothouse.experiments.fci",
    "impedance": "pilothouse.experiments.impedance",
    "operator-link": "pilothouse.experiments.operator_link",
    "phone-session": "pilothouse.experiments.phone_session",
    "observer": "pilothouse.experiments.observer",
    "stopping": "pilothouse.experiments.stopping",
    "twin": "pilothouse.experiments.twin",
}
"""Where each experiment is; the module has it as `EXPERIMENT`."""

FILES: Final = {
    "language": {
        "paraphrases": "instructions with their plans, JSON lines",
        "refused": "sentences near the domain that have to be refused, JSON lines",
        "foreign": "sentences that are no commands, JSON lines",
        "gpsr": "generated household commands with their templates, JSON lines",
        "household": "the language for those, a domain file (YAML)",
        "lab": "the world of the paraphrases, a domain file (YAML)",
    }
}
"""The files that an experiment can be given, by their option, and what they are."""


def names() -> tuple[str, ...]:
    """All experiments."""
    return tuple(MODULES)


def load(name: str) -> Experiment:
    """The experiment of that name.

    Raises PluginUnavailable if there is none, or if something it needs is not installed.
    """
    if name not in MODULES:
        near = difflib.get_close_matches(name, MODULES, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise PluginUnavailable(
            f"the experiment {name!r}", f"there is none of that name; there are {', '.join(MODULES)}{guess}"
        )
    try:
        module = importlib.import_module(MODULES[name])
    except ImportError as error:
        raise PluginUnavailable(f"the experiment {name!r}", f"{error}; see `pilothouse doctor`") from error
    experiment = module.EXPERIMENT
    assert isinstance(experiment, Experiment)
    return experiment
