"""Campaigns: random faults at random moments over one story, until every reachable cell was struck.

    story.py      a scenario becomes a story: what is done stays, what is expected is not judged
    coverage.py   which fault was tried at which place in which phase of which action; holes
    drawing.py    the next case, from the seed; empty cells first
    shrinking.py  a failing case with as few faults as still fail
    writing.py    a scenario as a file
    running.py    the campaign itself
    report.py     what came of it, as data; `page.py`, `table.py` and `junit.py` write it down

A case is a `Scenario` with `faults`: whoever plays scenarios can play it. What plays them is handed in.
"""

from framework.scenarios.campaign.coverage import Cell, Coverage
from framework.scenarios.campaign.drawing import Case
from framework.scenarios.campaign.report import CampaignFigures, CampaignReport, Found, Repair
from framework.scenarios.campaign.running import CaseResult, run_campaign
from framework.scenarios.campaign.writing import written

__all__ = [
    "CampaignFigures",
    "CampaignReport",
    "Case",
    "CaseResult",
    "Cell",
    "Coverage",
    "Found",
    "Repair",
    "run_campaign",
    "written",
]
