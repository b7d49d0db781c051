"""Failure-injection scenarios: files that say what is done and what has to come of it, and their runner.

    scenario.py   what a scenario is: steps, deeds, conditions
    reading.py    the file format
    stage.py      what a scenario needs of an installation
    runner.py     carries one out; `watching.py` looks on, `judging.py` judges
    comparing.py  whether it went the same way in two worlds
    repeating.py  many seeds, and the smallest that fails
    report.py     what came of it; `markdown.py`, `junit.py` and `picture.py` write it down

No manager, driver or action is known here. `framework.testing` has a stage for the virtual clock, the
command line one of a real installation.
"""

from framework.scenarios.reading import parse_scenario, read_scenario
from framework.scenarios.repeating import Repeated, seeds_of
from framework.scenarios.report import Entry, Kind, Line, Report, Span
from framework.scenarios.runner import run_scenario
from framework.scenarios.scenario import How, Scenario, Step, WhichClock
from framework.scenarios.stage import (
    Stage,
    StageDevice,
    StageProcess,
    StageResource,
    StageView,
    SupervisedStage,
)

__all__ = [
    "Entry",
    "How",
    "Kind",
    "Line",
    "Repeated",
    "Report",
    "Scenario",
    "Span",
    "Stage",
    "StageDevice",
    "StageProcess",
    "StageResource",
    "StageView",
    "Step",
    "SupervisedStage",
    "WhichClock",
    "parse_scenario",
    "read_scenario",
    "run_scenario",
    "seeds_of",
]
