"""`pilothouse campaign` over a played installation: what it writes, and bugs of motion that it finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from framework.scenarios import read_scenario
from framework.scenarios.campaign import Case, CaseResult
from framework.scenarios.campaign.story import story_of
from framework.scenarios.invariants import Breach
from framework.scenarios.phases import Moment
from framework.scenarios.scenario import Fail, How, Phase, Strike, When
from pilothouse.cli.main import main
from pilothouse.testbed import campaigning
from pilothouse.testbed.campaigning import HOUSE, campaign, play_case
from resources.controllers.ideal import IdealArm, IdealDevice

STORY = """
name: the arm moves
description: And is stopped.
clock: virtual
steps:
  - {say: move the left arm up 10 cm slowly, settles: later}
  - wait_s: 1
  - say: stop
  - wait_s: 2
"""


SHOWN = """
name: shown
clock: virtual
steps:
  - {say: show the environment, settles: later}
  - wait_s: 6
  - say: stop
"""


def shown(folder: Path) -> Path:
    file = folder / "shown.yaml"
    file.write_text(SHOWN)
    return file


def story(folder: Path) -> Path:
    file = folder / "moves.yaml"
    file.write_text(STORY)
    return file


def test_it_writes_a_page_a_table_and_junit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml = tmp_path / "results.xml"
    options = ["--faults", "2", "--processes", "1", "--report", str(tmp_path), "--junit", str(xml)]
    assert main(["campaign", str(story(tmp_path)), *options]) == 0
    said = capsys.readouterr().out
    assert "passed: " in said and "leaked 0, dangling 0, never ended 0" in said
    html = (tmp_path / "moves-campaign.html").read_text()
    assert "Coverage" in html and "http" not in html.split("<body")[0]
    assert (tmp_path / "moves-coverage.png").stat().st_size > 10_000
    assert len(list(ElementTree.parse(xml).iter("testcase"))) > 2


@pytest.mark.parametrize("words", [["--house", "x.yaml"], []])
def test_one_story_is_to_be_named(words: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["campaign", *words])


def test_what_cannot_be_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", str(story(tmp_path)), "--faults", "0"]) == 2
    assert "faults must be 1 or more" in capsys.readouterr().err


def test_one_that_is_interrupted_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(campaigning, "campaign", interrupted)
    assert main(["campaign", str(story(tmp_path)), "--report", str(tmp_path)]) == 130
    assert "nothing is written" in capsys.readouterr().out


def test_one_that_is_interrupted_writes_what_came_of_it_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def until_some_have_struck(case: Case) -> CaseResult:
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(case)
        return play_case(case)

    played: list[Case] = []
    monkeypatch.setattr(campaigning, "play_case", until_some_have_struck)
    monkeypatch.setattr(campaigning, "HISTORY_SEEDS", 0)
    figures = tmp_path / "figures.json"
    options = ["--faults", "45", "--processes", "1", "--report", str(tmp_path), "--json", str(figures)]
    assert main(["campaign", str(story(tmp_path)), *options]) == 130
    said = capsys.readouterr().out
    assert "Interrupted after " in said and " of 45 faults. Of those:" in said
    assert msgspec.json.decode(figures.read_bytes())["runs"] > 0
    assert (tmp_path / "moves-campaign.html").exists()


def never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IdealDevice, "rest", lambda self: None)


def jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    tick = IdealArm.tick

    def jump(self: IdealArm, dt_s: float, now_s: float) -> None:
        tick(self, dt_s, now_s)
        x, y, z, *turn = self.base_T_tool
        if self.progress > 0.1:
            self.base_T_tool = (x, y + 0.2, z, turn[0], turn[1], turn[2], turn[3])

    monkeypatch.setattr(IdealArm, "tick", jump)


@pytest.mark.parametrize(("plant", "breach"), [(never_rests, Breach.SURPRISE_MOTION), (jumps, Breach.JUMP)])
def test_a_planted_bug_of_motion_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    plant: Callable[[pytest.MonkeyPatch], None],
    breach: Breach,
) -> None:
    case = Case(story_of(read_scenario(story(tmp_path))), 1)
    assert play_case(case).broken == ()
    plant(monkeypatch)
    assert breach in {each.breach for each in play_case(case).broken}


def test_seeds_of_a_story_differ_and_repeat(tmp_path: Path) -> None:
    scenario = story_of(read_scenario(story(tmp_path)))
    played = [play_case(Case(scenario, seed)) for seed in (1, 1, 2)]
    first, again, other = ((each.played_s, each.first_s) for each in played)
    assert first == again != other


def test_a_place_that_is_not_up_is_struck_when_it_is(tmp_path: Path) -> None:
    scenario = story_of(read_scenario(shown(tmp_path)))
    strikes = (
        Strike(Fail("front_camera"), When(Phase.READY, "show_environment")),
        # It is only started then, to stand in for the camera.
        Strike(Fail("wrist_lidar", How.SLOW), When(Phase.HANDING_OVER, "show_environment"), 0.5),
    )
    result = play_case(Case(msgspec.structs.replace(scenario, faults=strikes), 1))
    assert result.broken == ()
    camera, lidar = result.struck
    assert (camera.strike.fail.device, camera.error) == ("front_camera", "")
    assert (lidar.strike.fail.device, lidar.error) == ("wrist_lidar", "")
    first_s = result.first_s[Moment("show_environment", Phase.HANDING_OVER)]
    assert first_s[""] < first_s["wrist_lidar"] <= lidar.at_s


def test_a_run_that_breaks_off_is_found_and_ends_no_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks_off(*arguments: object, **more: object) -> None:
        raise ExceptionGroup("errors that nobody took notice of", [ZeroDivisionError("in a task")])

    monkeypatch.setattr(campaigning, "play_virtual", breaks_off)
    (broken,) = play_case(Case(story_of(read_scenario(story(tmp_path))), 1)).broken
    assert broken.breach is Breach.ERROR and "ZeroDivisionError" in broken.words


@pytest.mark.soak
def test_the_whole_house_keeps_its_word_under_ten_thousand_faults() -> None:
    report = campaign(read_scenario(HOUSE), faults=10_000, seed=1)
    found = [(each.words, each.seed, *map(str, each.case.faults)) for each in report.found]
    told = [(each.words, f"histories of seed {each.seed}") for each in report.histories if each.words]
    assert report.passed, [*found, *told]
    assert report.coverage.percent >= 90.0
