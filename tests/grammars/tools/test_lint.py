"""The lint: each mistake with file and line; a clean file has none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from framework.plan import Known, NothingKnown
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import read_phrases
from framework.plugins.signature import ActionSpec
from grammars import Language
from grammars.conditions import read_conditions
from grammars.domain import NamesOfFile, read_domain
from grammars.tools.lint import lint, lint_one, main

HOME = Path(__file__).parents[1] / "home.yaml"
THING = ParameterSpec("thing", str)
TIMES = ParameterSpec("times", int, 1, ge=1)
SPEED = ParameterSpec("speed", str, "slow", one_of=("slow", "fast"))
DURATION = ParameterSpec("duration_s", float, unit="s")
WORLD = NamesOfFile({"things": (Known("cup", "cup"), Known("hand", "hand"))})

GOOD = """say:
  - "grasp {thing} [<how>] [{times} times]"
rules: {how: "{speed}"}
lists:
  thing: {provider: things}
  speed: {slow: [slowly], fast: [hastily, at full speed]}
samples: ["grasp the cup slowly"]
"""
LISTS = "\nlists: {thing: {provider: things}}"

MISTAKES = [
    ("say: ['grasp {thing} <well>']" + LISTS, 1, "nobody defines the rule <well>"),
    ("say: ['grasp {thing}']\nrules: {well: 'w'}" + LISTS, 2, "nothing uses the rule <well>"),
    ("say: ['grasp {thing}']\nlists: {thing: {provider: things}, more: {a: [b]}}", 2, "the list more"),
    ("say: ['grasp {thing}']\nlists: {thing: {provider: thinks}}", 2, "'thinks'; there are things"),
    ("say:\n  - 'grasp {thing} with r2d2'" + LISTS, 2, "'r2d2' is no word that one could say"),
    ("say:\n  - 'grasp {thing} @ home'" + LISTS, 2, "'@' is no word"),
    ("say:\n  - 'grasp {thing} ?'" + LISTS, 2, "nobody says '?'"),
    ("say:\n  - 'grasp {thing} (now|later|now)'" + LISTS, 2, "twice: now"),
    ("say:\n  - 'grasp {thing}'\nlists: {thing: {cup: [cup, Cup]}}", 3, "'cup' stands there twice"),
    ("say: ['grasp {thing} {speed:=medium}']" + LISTS, 1, "{speed:=medium} will not do for speed"),
    ("say: ['grasp {thing} {times:=none} none']" + LISTS, 1, "{times:=none} will not do for times"),
    ("say: ['grasp {thing} {times:=0} never']" + LISTS, 1, "too small"),
    (
        "say: ['grasp {thing} [{speed}]']\nlists: {thing: {provider: things}, speed: {medium: [so so]}}",
        2, "'medium' will not do for speed",
    ),
    ("say: ['stop']\nlists: {}", 1, "the supervisor takes it for itself: stop"),
    ("say: ['grasp {thing}']\nsamples:\n  - 'grasp the cup'\n  - 'hold on'" + LISTS, 4, "itself: pause"),
    ("say: ['grasp {thing}']\nsamples:\n  - 'grasp the moon'" + LISTS, 3, "is not understood"),
    ("say: ['grasp {thing}']\nsamples:\n  - 'wave'" + LISTS, 3, "asks for wave(), not only for grasp"),
    ("say:\n  - 'grasp {thing}'\n  - 'wave {thing:=cup}'" + LISTS, 1, "asks for grasp("),
    ("say:\n  - 'grasp {thing}'\n  - 'take {thing} {thing}'" + LISTS, 3, "can never be said"),
    ("say:\n  - 'grasp {thing}'\n  - 'grasp {thing} {speed:=fast}'" + LISTS, 2, "but its slots say"),
]  # fmt: skip


def spec(folder: Path, text: str, name: str = "grasp") -> ActionSpec:
    file = folder / "phrases.yaml"
    file.write_text(text)
    phrases = read_phrases(file)
    said = {word for phrase in phrases.say for word in ("thing", "times", "speed") if word in phrase}
    parameters = tuple(each for each in (THING, TIMES, SPEED) if each.name in said or each is not THING)
    return ActionSpec(name, parameters=parameters, phrases=phrases)


def wave(folder: Path) -> ActionSpec:
    (folder / "wave").mkdir()
    return spec(folder / "wave", "say: ['wave']", "wave")


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES)
def test_each_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    grasp = spec(tmp_path, text)
    found = lint(Language((grasp, wave(tmp_path))), WORLD, providers=WORLD.kinds)
    assert any(problem.line == line and words in str(problem) for problem in found), [*map(str, found)]
    assert all(problem.file for problem in found)


def test_a_good_file_is_clean(tmp_path: Path) -> None:
    assert lint(Language((spec(tmp_path, GOOD), wave(tmp_path))), WORLD, providers=WORLD.kinds) == ()


def test_where_nothing_is_known_nothing_is_wrong(tmp_path: Path) -> None:
    grasp = spec(tmp_path, "say: ['grasp {thing}']" + LISTS)
    assert lint(Language((grasp,)), NothingKnown()) == ()


def test_two_actions_with_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = spec(tmp_path / "other", "say: ['wave']", "greet")
    found = lint(Language((wave(tmp_path), other)), WORLD)
    assert [problem.line for problem in found] == [1, 1]
    assert all("not only for" in str(problem) for problem in found)


def test_what_goes_on_is_nobody_elses_for_a_time(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    rest = msgspec.structs.replace(spec(tmp_path, "say:\n  - 'rest'\n  - 'keep still'"), continuous=True)
    words = "say: ['(wait|keep still) for {duration_s}']"
    phrases = msgspec.structs.replace(spec(tmp_path / "other", words, "wait"), parameters=(DURATION,))
    (found,) = lint(Language((rest, phrases)), WORLD)
    assert found.line == 3 and "means wait(duration_s=10.0), and should mean" in str(found)
    once = msgspec.structs.replace(rest, continuous=False)
    assert lint(Language((once, phrases)), WORLD) == ()


def test_one_plugin_among_those_that_are_loaded(tmp_path: Path) -> None:
    language = Language((wave(tmp_path),))
    assert lint_one(language, spec(tmp_path, GOOD), WORLD) == ()
    bad = spec(tmp_path, "say:\n  - 'grasp {thing}'\n  - 'wave {thing:=cup}'" + LISTS)
    found = lint_one(language, bad, WORLD)
    assert [str(problem).partition(": ")[2] for problem in found] == [
        '"wave" asks for grasp now, and is wave\'s'
    ]
    assert lint_one(Language((wave_spec := language.phrasebook.actions["wave"],)), wave_spec, WORLD) == ()


@pytest.mark.parametrize(("known_only", "problems"), [("true", 0), ("false", 1)])
def test_a_name_alone_comes_behind_an_actions_own_words(
    tmp_path: Path, known_only: str, problems: int
) -> None:
    """ "The hand" is what an action is asked for, not what another plays by that name."""
    (tmp_path / "other").mkdir()
    text = f"say: ['the {{thing}}']\nlists:\n  thing: {{provider: things, known_only: {known_only}}}"
    play, hand = spec(tmp_path / "other", text, "play"), spec(tmp_path, "say: ['hand']", "hand")
    world = NamesOfFile({"things": (Known("hand", "hand"),)})
    assert len(lint_one(Language((play,)), hand, world)) == problems


def test_conditions_that_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "conditions.yaml"
    file.write_text(
        "conditions:\n  far:\n    less: ['{x} is {value} away']\n    more: ['{x} is (over|) {value} away']\n"
        "lists: {x: {provider: things}}\n"
    )
    language = Language((), conditions=read_conditions(file))
    found = lint(language, WORLD, providers=("people",))
    assert {problem.line for problem in found} & {3, 4}
    assert any("should mean" in str(problem) for problem in found)
    assert any("no provider 'things'; there are people" in str(problem) for problem in found)


def test_the_household_is_clean() -> None:
    domain = read_domain(HOME)
    language = Language(domain.actions, conditions=domain.conditions)
    assert [*map(str, lint(language, domain.world, providers=domain.world.kinds))] == []


# -- as a command

ACTION = '''
from framework.plugins import Action

class {name}(Action):
    """It does {name}."""

    async def run(self) -> None:
        """Do it."""
'''


def test_the_command_prints_each_mistake_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, say in (("hop", "['hop']"), ("jump", "['jump', 'hop']"), ("broken", "[oops")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(ACTION.format(name=name.title()))
        (tmp_path / name / "phrases.yaml").write_text(f"say: {say}\n")
    assert main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("broken/phrases.yaml:2: this is no YAML" in line for line in lines), lines
    assert any(line.startswith(f"{tmp_path}/hop/phrases.yaml:1: 'hop'") for line in lines), lines
    for name in ("jump", "broken"):
        (tmp_path / name / "phrases.yaml").write_text(f"say: ['{name}']\n")
    (tmp_path / "typical_names.yaml").write_text("names: {things: [cup]}\n")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "typical_names.yaml").write_text("names: {things: cup}\n")
    assert main([str(tmp_path)]) == 1
    assert "typical_names.yaml:1: names of things have to be a list" in capsys.readouterr().out


def test_what_was_right_is_not_checked_again_before_anything_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, kept = tmp_path / "actions", tmp_path / "kept"
    (actions / "hop").mkdir(parents=True)
    (actions / "hop" / "__init__.py").write_text(ACTION.format(name="Hop"))
    phrases, names = actions / "hop" / "phrases.yaml", tmp_path / "names.yaml"
    phrases.write_text("say: ['hop']\n")
    names.write_text("names: {things: [cup]}\n")
    checked = list[int]()

    def lint_it(*also: str) -> int:
        return main([str(actions), "--names", str(names), "--remember", str(kept), *also])

    def none(*args: object, **options: object) -> tuple[str, ...]:
        checked.append(0)
        return ()

    monkeypatch.setattr("grammars.tools.lint.mistakes", none)
    assert (lint_it(), lint_it(), len(checked)) == (0, 0, 1)
    names.write_text("names: {things: [mug]}\n")
    assert (lint_it(), lint_it(), len(checked)) == (0, 0, 2)
    phrases.write_text("say: ['hop|jump']\n")
    assert (lint_it(), lint_it(), len(checked)) == (0, 0, 3)
    phrases.write_text("say: ['hop']\n")
    names.write_text("names: {things: [cup]}\n")
    assert (lint_it(), len(checked)) == (0, 3), "a branch is gone back to"
    assert (lint_it("--conditions", str(tmp_path / "none.yaml")), len(checked)) == (1, 3), "it cannot be read"
    phrases.write_text("say: ['hop|leap']\n")
    monkeypatch.setattr("grammars.tools.lint.mistakes", lambda *args, **options: ("it is wrong",))
    assert (lint_it(), lint_it()) == (1, 1), "mistakes are told each time"
    assert len(list(kept.iterdir())) == 3
