"""Figures that take hours to make are handed in as files, and stand beside what is measured at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest

from framework.errors import DescriptionError
from framework.scenarios.campaign import CampaignFigures
from pilothouse.experiments import reliability
from pilothouse.experiments.definition import Figures

FOUND = CampaignFigures("house", 7, 10_012, 1300, 1, 0, 0, 0, 2, 1, 93.5, 4.0, {})


@pytest.fixture(autouse=True)
def nothing_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def besides(*_: Any) -> Figures:
        return {"exit_s_max": 1.5}

    def campaign(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("it is played although it was handed in")

    monkeypatch.setattr(reliability, "_besides", besides)
    monkeypatch.setattr(reliability, "campaign", campaign)


def measured(**given: Path) -> Figures:
    progress: Any = None
    figures = reliability.measure_on(given)(progress, 0)
    assert isinstance(figures, dict)
    return figures


def test_a_campaign_that_was_handed_in_is_not_played_again(tmp_path: Path) -> None:
    (tmp_path / "campaign.json").write_bytes(msgspec.json.encode(FOUND))
    figures = measured(campaign=tmp_path / "campaign.json")
    assert (figures["faults"], figures["surprise_motion"], figures["untold"]) == (10_012, 2, 1)
    assert (figures["coverage_pct"], figures["exit_s_max"]) == (93.5, 1.5)
    assert figures["mutants_by_campaign_pct"] is None, "nobody has said"


def test_what_is_no_campaign_is_refused_by_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "campaign.json").write_bytes(b"{}")
    with pytest.raises(DescriptionError, match=r"campaign\.json"):
        measured(campaign=tmp_path / "campaign.json")
