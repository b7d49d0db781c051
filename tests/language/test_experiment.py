"""`pilothouse experiment language`, small: it runs, it takes other people's sets, it says what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pilothouse.cli.main import main
from pilothouse.experiments import language
from pilothouse.experiments.definition import facts
from pilothouse.experiments.language import beside, crowd, generated, sets

SETS = sets.files({})


@pytest.fixture(scope="module")
def short_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the first lines of each set: all of ours are measured by `make bench NAME=language`."""
    folder = tmp_path_factory.mktemp("sets")
    for option, file in SETS.items():
        text = file.read_text()
        whole = file.suffix == ".yaml" or option == "refused"
        (folder / file.name).write_text(
            text if whole else "".join(text.splitlines(keepends=True)[:: len(text.splitlines()) // 25 | 1])
        )
    return folder


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch, short_sets: Path) -> None:
    monkeypatch.setattr(sets, "FOLDER", short_sets)
    for module, name, count in (
        (generated, "SINGLE", 40),
        (generated, "COMPOUND", 40),
        (crowd, "SENTENCES", 30),
        (beside, "SENTENCES", 3),  # of which Lark reads a second each
    ):
        monkeypatch.setattr(module, name, count)


@pytest.fixture
def only_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is timed, and no installation started."""
    monkeypatch.setattr(language, "measure_in_the_flat", lambda *_: {})
    monkeypatch.setattr(language, "measure_crowd", lambda *_: {})
    monkeypatch.setattr(language, "measure_beside", lambda *_: {})


def figures_of(arguments: list[str], folder: Path) -> dict[str, float | None]:
    """Runs it and reads what it wrote."""
    file = folder / "figures.json"
    assert main(["experiment", "language", "--json", str(file), *arguments]) == 0
    found: dict[str, float | None] = json.loads(file.read_text())["figures"]
    return found


def test_it_measures_and_draws_everything(tmp_path: Path) -> None:
    figures = figures_of(["--plot", str(tmp_path / "figures.png"), "--seed", "3"], tmp_path)
    assert figures["generated"] == 80
    assert {
        "generated_exact_pct",
        "ambiguous",
        "parse_ms_p50_1000",
        "parse_ms_p99_1000",
        "foreign_accepted_pct",
        "paraphrase_exact_pct",
        "paraphrase_wrong_pct",
        "paraphrase_asked_pct",
        "paraphrase_held_exact_pct",
        "refused_pct",
        "gpsr_types_slots_pct",
        "flat_gpsr_held_right_pct",
        "flat_people_held_right_pct",
        "ours_ms_median",
        "hassil_ms_median",
        "lark_ms_median",
    } <= set(figures)
    assert all(figure is not None for figure in figures.values())
    assert (tmp_path / "figures.png").stat().st_size > 10_000


@pytest.mark.usefixtures("only_sets")
def test_other_people_bring_their_own_sets(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text('{"text": "show me the camera"}\n{"text": "how tall is the eiffel tower"}\n')
    gpsr = tmp_path / "gpsr.jsonl"
    gpsr.write_text(
        '{"text": "go to the kitchen", "anonymized": "go to the {location room 1}"}\n'
        '{"text": "go to the kitchen", "anonymized": "go to the {location beacon}"}\n'
        '{"text": "paint the kitchen", "anonymized": "paint the {location room}"}\n'
        '{"text": "close the exit door", "anonymized": "close the exit door"}\n'
    )
    figures = figures_of(["--foreign", str(foreign), "--gpsr", str(gpsr)], tmp_path)
    assert figures["foreign_accepted_pct"] == 50.0
    assert figures["gpsr_types_slots_pct"] == 50.0


@pytest.mark.usefixtures("only_sets")
def test_a_paraphrase_with_another_plan_is_wrong_and_counts_in_its_half(tmp_path: Path) -> None:
    wait = '"plan": {"kind": "do", "action": "wait", "parameters": {"duration_s": %s}}'
    file = tmp_path / "paraphrases.jsonl"
    file.write_text(
        "\n".join(
            (
                f'{{"text": "wait ten seconds", {wait % 10}, "half": "dev"}}',
                f'{{"text": "wait ten seconds", {wait % 11}, "half": "held"}}',
                f'{{"text": "flap your wings", {wait % 1}, "half": "held"}}',
                f'{{"text": "wait a minute", {wait % 60}, "half": "held"}}',
            )
        )
    )
    figures = figures_of(["--paraphrases", str(file)], tmp_path)
    assert [figures[f"paraphrase_{name}_pct"] for name in ("exact", "wrong", "asked", "refused")] == [
        50.0,
        25.0,
        0.0,
        25.0,
    ]
    assert figures["paraphrase_dev_exact_pct"] == 100.0
    assert figures["paraphrase_held_wrong_pct"] == pytest.approx(100 / 3)


def test_without_a_checkout_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sets, "FOLDER", tmp_path / "no checkout")
    assert main(["experiment", "language"]) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "run it in a checkout, or give your own: --paraphrases FILE --refused FILE" in told
    wanted = {option for option in facts("language").files if f"--{option} FILE" not in told}
    assert wanted == {"household"}, "all but what comes with the package"


def test_a_file_that_is_not_there_or_not_taken_is_said_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "language", "--gpsr", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
    assert main(["experiment", "registrar", "--gpsr", str(SETS["gpsr"])]) == 2
    assert "takes no such file" in capsys.readouterr().err


def test_a_set_that_is_wrong_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gpsr.jsonl"
    file.write_text('{"text": "go to the kitchen"}\n')
    assert main(["experiment", "language", "--gpsr", str(file)]) == 1
    assert "gpsr.jsonl:1" in capsys.readouterr().err


def test_every_option_is_a_set_and_every_set_an_option() -> None:
    assert set(facts("language").files) == set(sets.FILES)
