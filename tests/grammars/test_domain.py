"""A domain is data alone; each mistake in it gets its file, its line, and what may stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plan import Do, If, NothingKnown, Parallel, Plan, Sequence, State, Understood, Until, Wait
from framework.plan.ast import Compare, Comparison, Elapsed
from grammars.conditions import read_conditions
from grammars.domain import read_domain, read_names
from tests.grammars.home import DOMAIN, LANGUAGE

OF_DOMAINS = [
    ("", 1, "empty"),
    ("- a", 1, "keys and values"),
    (
        "action: {}",
        1,
        "there is no key 'action' here; keys are names, rules, lists, parameters, actions, conditions",
    ),
    ("actions: {go: {say: ['go']}\n", 2, "no YAML"),
    ("actions:\n  go: {say: [go [home]]}", 2, "no YAML"),
    ("actions:\n  go:\n    say:\n      - [home]", 4, "put the phrase in quotes"),
    ("actions:\n  go: {parameters: {}}", 2, "phrases of go are missing"),
    ("actions:\n  go: {say: []}", 2, "at least one"),
    ("actions:\n  go:\n    say: ['go', 'go']", 3, "'go' stands in line 3 already"),
    ("actions:\n  go:\n    say: ['go to {room}']", 3, "{room} is no parameter"),
    ("actions:\n  go: {say: ['go'], parameters: {room: text}}", 2, "can be said without {room}"),
    (
        "actions:\n  go: {say: ['go {r:room}'], parameters: {room: text}}",
        2,
        "nobody says what the list 'r' is",
    ),
    ("actions:\n  go: {say: ['go'], parameters: {far: {default: 1}}}", 2, "needs a type"),
    (
        "actions:\n  go: {say: ['go'], parameters: {far: metre}}",
        2,
        "no type; types are text, whole, number, flag",
    ),
    ("actions:\n  go: {say: ['go'], parameters: {far: {type: text, ge: 1}}}", 2, "it is no number"),
    ("actions:\n  go: {say: ['go'], parameters: {far: {type: number, ge: 1, default: 0}}}", 2, "too small"),
    ("actions:\n  go: {say: ['go'], parameters: {far: {type: whole, default: x}}}", 2, "'x' is no whole"),
    ("actions:\n  go: {say: ['go'], parameters: {far: {type: whole, one_of: 3}}}", 2, "list of values"),
    ("actions:\n  go: {say: ['go'], parameters: {far: {type: whole, default: [1]}}}", 2, "a text, a number"),
    ("actions:\n  go: {say: ['go'], continuous: maybe}", 2, "true or false"),
    ("actions:\n  go: {say: ['go'], risk: big}", 2, "is no risk; risks are"),
    ("actions:\n  go: {say: ['go'], fast: yes}", 2, "there is no key 'fast'"),
    ("actions:\n  go home: {say: ['go']}", 2, "cannot name an action"),
    ("actions:\n  yes: {say: ['go']}", 2, "put it in quotes"),
    ("actions:\n  go: {say: ['go']}\n  go: {say: ['went']}", 3, "twice"),
    ("names: {rooms: bedroom}", 1, "have to be a list"),
    ("names:\n  rooms:\n    - {value: a}", 3, "at least name"),
    ("names:\n  rooms:\n    - hall\n    - {name: the hall, value: hall}", 4, "twice"),
    ("names: {rooms: ['😀']}", 1, "no letter"),
    ("names: {rooms: [12]}", 1, '"12"'),
    ("lists:\n  room: {provider: rooms}", 2, "no names of 'rooms'"),
    ("lists: {room: {}}", 1, "empty"),
    ("rules:\n  a: 'x <b>'\n  b: 'y <a>'", 2, "contains itself"),
    ("rules:\n  a: '(x'", 2, "no ')' closes"),
    ("actions: &a {go: *a}", 1, ""),
]
OF_CONDITIONS = [
    ("", 1, "empty"),
    ("rules: {}", 1, "conditions are missing"),
    ("conditions: [open]", 1, "keys and values"),
    ("conditions: {open: ['x is open']}", 1, "keys and values"),
    ("conditions:\n  open: {}", 2, "nobody can say 'open'"),
    ("conditions:\n  open: {yes: ['x']}", 2, "put it in quotes"),
    ("conditions:\n  open: {is: ['x']}", 2, "keys are so, not, becomes, ceases, unit"),
    ("conditions:\n  open: {so: 'x is open'}", 2, "list of texts"),
    ("conditions:\n  open: {so: ['[is open]']}", 2, "saying nothing"),
    ("conditions:\n  open: {so: ['{thing} is open', 'it is open']}", 2, "have to say the same slots"),
    ("conditions:\n  open: {so: ['[{thing}] is open']}", 2, "with or without {thing}"),
    ("conditions:\n  open: {so: ['{all:thing} is open']}", 2, "nobody says what the list 'all' is"),
    ("conditions:\n  far: {less: ['{thing} is close']}", 2, "without {value}"),
    ("conditions:\n  far: {so: ['x'], less: ['{value}']}", 2, "cannot be both"),
    ("conditions:\n  far: {so: ['x'], unit: m}", 2, "nothing that is measured"),
    (
        "conditions:\n  far: {unit: ell, less: ['x is less than {value}']}",
        2,
        "'ell' is no unit; units are m, s",
    ),
]


@pytest.mark.parametrize(("text", "line", "words"), OF_DOMAINS)
def test_mistakes_in_domains(tmp_path: Path, text: str, line: int, words: str) -> None:
    file = tmp_path / "domain.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError) as caught:
        read_domain(file)
    assert (caught.value.file, caught.value.line) == (str(file), line), caught.value
    assert words in str(caught.value)


@pytest.mark.parametrize(("text", "line", "words"), OF_CONDITIONS)
def test_mistakes_in_conditions(tmp_path: Path, text: str, line: int, words: str) -> None:
    file = tmp_path / "conditions.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError) as caught:
        read_conditions(file)
    assert (caught.value.file, caught.value.line) == (str(file), line), caught.value
    assert words in str(caught.value)


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="cannot be read"):
        read_domain(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DescriptionError, match="not UTF-8"):
        read_names(tmp_path / "bytes.yaml")


# -- another domain


def do(action: str, **values: str | int | float | bool) -> Do:
    return Do(action, dict(values))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("could you bring the red mug to Bob please", do("bring", object="red_mug", person="uncle_bob")),
        ("tidy up the lounge", do("clean", room="living_room")),
        ("boil the soup for a quarter of an hour", do("cook", object="soup", duration_s=900.0)),
        ("set the oven to full with fan", do("heat", heat="very_high", fan=True)),
        ("knock three times", do("knock", times=3)),
        ("knock twice", do("knock", times=2)),
        ("clean the kitchen then bring the apple",
         Sequence((do("clean", room="kitchen"), do("bring", object="apple")))),
        ("play music and clean the bedroom",
         Parallel((do("play", what="music"), do("clean", room="bedroom")))),
        ("clean the bedroom and play music",
         Sequence((do("clean", room="bedroom"), do("play", what="music")))),
        ("play the news for ten minutes", Until(do("play", what="news"), Elapsed(600.0))),
        ("when Ann is home, bring the newspaper",
         Sequence((Wait(State("home", {"person": "Ann"})), do("bring", object="newspaper")))),
        ("if uncle Bob is away clean the kitchen otherwise play waves",
         If(State("home", {"person": "uncle_bob"}, False),
            do("clean", room="kitchen"), do("play", what="waves"))),
        ("if Ann isn't back clean the kitchen",
         If(State("home", {"person": "Ann"}, False), do("clean", room="kitchen"))),
        ("play music until the washing machine has finished",
         Until(do("play", what="music"), State("finished", {"appliance": "washing_machine"}))),
        ("wait until the kitchen is warmer than 20 units",
         Wait(Compare("temperature", {"room": "kitchen"}, Comparison.MORE, 20.0))),
    ],
)  # fmt: skip
def test_it_is_understood_like_any_other(text: str, plan: Plan) -> None:
    result = LANGUAGE.parse(text, DOMAIN.world)
    assert isinstance(result, Understood), result
    assert result.readings[0].plan == plan


def test_what_a_robot_is_asked_is_not_understood_here() -> None:
    for text in ("show the camera", "track the hand", "show the environment"):
        assert not isinstance(LANGUAGE.parse(text, DOMAIN.world), Understood)


def test_names_of_a_file() -> None:
    assert DOMAIN.world.names("rooms") == ("bedroom", "kitchen", "living room")
    assert DOMAIN.world.known("rooms")[2].says == ("lounge",)
    assert DOMAIN.world.known("robots") == NothingKnown().known("robots") == ()
    assert DOMAIN.world.kinds == ("rooms", "people", "goods", "appliances")


def test_units_come_from_the_ends_of_names() -> None:
    cook = next(action for action in DOMAIN.actions if action.name == "cook")
    assert cook.parameters[1].unit == "s"
    assert (cook.continuous, cook.doc) == (False, "Cook something.")


def test_a_list_within_a_list_stands_for_its_names(tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    file.write_text("names:\n  chairs: &chairs [stool, bench]\n  furniture: [*chairs, table]\n")
    known = read_names(file)
    assert known.names("chairs") == ("stool", "bench")
    assert known.names("furniture") == ("stool", "bench", "table")


def test_an_action_has_the_shared_parameters_that_its_phrases_say(tmp_path: Path) -> None:
    file = tmp_path / "domain.yaml"
    file.write_text(
        "rules: {there: 'to {room}'}\n"
        "parameters: {room: text, times: {type: whole, default: 1}, speed: {type: number, default: 1.0}}\n"
        "actions:\n"
        "  go: {say: ['go <there>']}\n"
        "  ring: {say: ['ring {times}'], parameters: {times: {type: whole, ge: 2}}}\n"
        "  rest: {say: ['rest']}\n"
    )
    go, ring, rest = read_domain(file).actions
    assert [each.name for each in go.parameters] == ["room"]
    assert [(each.name, each.ge) for each in ring.parameters] == [("times", 2)]
    assert rest.parameters == ()
