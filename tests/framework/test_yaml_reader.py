"""YAML that people write: into structs; what is wrong is said with its line, all of it at once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from framework.errors import DescriptionError
from framework.yaml_reader import Misplaced, Mistakes, Place, Text, compose, convert, read, text_of


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Wheel(msgspec.Struct, frozen=True):
    name: Annotated[Text, Meta(pattern=r"^[a-z]+\Z", description="small letters")]
    radius_m: Annotated[float, Meta(gt=0.0, le=2.0)] = 0.1
    spokes: int = 0
    place: Place = Place()

    def __post_init__(self) -> None:
        if self.name == "square" and self.radius_m:
            raise Misplaced("radius_m", "what is square has no radius")


class Push(msgspec.Struct, frozen=True, tag_field="do", tag="push"):
    force: tuple[float, float, float]


class Stop(msgspec.Struct, frozen=True, tag_field="do", tag="stop"):
    pass


class Say(msgspec.Struct, frozen=True):
    text: Text = msgspec.field(name="say")
    loud: bool = False


class Wait(msgspec.Struct, frozen=True):
    seconds: float = msgspec.field(name="wait_s")


class Cart(msgspec.Struct, frozen=True):
    wheels: Annotated[tuple[Wheel, ...], Meta(min_length=1)]
    colour: Colour = Colour.RED
    owners: Text | tuple[Text, ...] = ()
    load_kg: float | None = None
    deed: Push | Stop | None = None
    steps: tuple[Say | Wait, ...] = ()
    brakes: Literal["on", "off"] = "off"
    limits: dict[str, float] = {}
    more: dict[str, Any] = {}


GOOD = """\
wheels:
  - {name: left, radius_m: 2e-1}
  - {name: right, spokes: 12}
colour: blue
owners: somebody
load_kg:
deed: {do: push, force: [1, 2.5, -3]}
steps:
  - say: hello
    loud: true
  - wait_s: 3
brakes: "on"
limits: {speed: 1}
more: {list: [1, {deep: yes}]}
"""


def test_what_is_right_becomes_structs() -> None:
    cart: Cart = read(GOOD, Cart, file="cart.yaml", what="a cart")
    assert cart.wheels[0] == Wheel("left", 0.2, place=Place("cart.yaml", 2, {"name": 2, "radius_m": 2}))
    assert (cart.colour, cart.owners, cart.load_kg) == (Colour.BLUE, "somebody", None)
    assert cart.deed == Push((1.0, 2.5, -3.0))
    assert cart.steps == (Say("hello", loud=True), Wait(3.0))
    assert (cart.brakes, cart.limits) == ("on", {"speed": 1.0})
    assert cart.more == {"list": [1, {"deep": True}]}


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("name: left", "name: 7"), 2, "wheels[0].name is '7'; allowed are small letters"),
        (("name: left, ", ""), 2, "wheels[0].name is missing"),
        (("2e-1", "0"), 2, "wheels[0].radius_m must be a finite number above 0 to 2, not '0'"),
        (("2e-1", ".nan"), 2, "wheels[0].radius_m must be a finite number"),
        (("spokes: 12", "spokes: 1.5"), 3, "wheels[1].spokes must be a whole number, not '1.5'"),
        (
            ("spokes: 12", "spoke: 12"),
            3,
            "has no field 'spoke'; allowed are name, radius_m, spokes",
        ),
        (("name: right", "name: square"), 3, "wheels[1]: what is square has no radius"),
        (("colour: blue", "colour: green"), 4, "colour is 'green'; allowed are red, blue"),
        (("colour: blue", "colour: blue\ncolour: red"), 5, "colour is given twice"),
        (("owners: somebody", "owners: [me, 7]"), 5, "owners[1] must be text, not '7' (quote it"),
        (("owners: somebody", "owners: {a: b}"), 5, "owners must be text, not a mapping"),
        (("load_kg:", "load_kg: heavy"), 6, "load_kg must be a finite number, not 'heavy'"),
        (("do: push", "do: pull"), 7, "deed.do is 'pull'; do is one of push, stop"),
        (("do: push, ", ""), 7, "deed is a mapping with do, not a mapping; do is one of push, stop"),
        (("2.5, -3", "2.5"), 7, "deed.force: allowed are 3 numbers in a list, not 2 of them"),
        (("say: hello", "sing: hello"), 9, "steps[0] is a mapping with just one of say, wait_s; none stands"),
        (
            ("wait_s: 3", "wait_s: 3\n    say: x"),
            11,
            "one of say, wait_s; both wait_s and say stand",
        ),
        (("wait_s: 3", "later"), 11, "just one of say, wait_s; not 'later'"),
        (("loud: true", "loud: 1"), 10, "steps[0].loud must be true or false, not '1'"),
        (('"on"', "on"), 12, "brakes is 'on'; allowed are on, off"),
        (("speed: 1", "speed: fast"), 13, "limits.speed must be a finite number, not 'fast'"),
        (("deep: yes", "deep: 2020-13-77"), 14, "more.list cannot be read"),
        (("brakes:", "brakes: ["), 13, "a cart is no YAML"),
        (("brakes:", "\x00"), 12, "a cart is no YAML: the character"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(
    change: tuple[str, str], line: int, words: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        read(GOOD.replace(*change), Cart, file="cart.yaml", what="a cart")
    assert str(caught.value).startswith(f"cart.yaml:{line}: ")
    assert words in str(caught.value)


def test_all_mistakes_are_told_in_the_order_of_their_lines() -> None:
    text = GOOD.replace("colour: blue", "colour: green").replace("left", "LEFT").replace("hello", "7")
    with pytest.raises(DescriptionError) as caught:
        read(text, Cart, file="cart.yaml")
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "4", "9"]


def test_what_is_right_is_there_beside_mistakes_for_whoever_looks_further() -> None:
    mistakes = Mistakes("cart.yaml")
    cart = convert(compose(GOOD.replace("left", "LEFT"), "cart.yaml"), Cart, mistakes)
    assert [wheel.name for wheel in cart.wheels] == ["right"]
    assert len(mistakes) == 1


@pytest.mark.parametrize("text", ["", "[]", "just words", "wheels: []"])
def test_what_is_nothing_of_the_kind_is_refused(text: str) -> None:
    with pytest.raises(DescriptionError):
        read(text, Cart, file="cart.yaml")


def test_a_list_alone_may_stand_for_one_field() -> None:
    cart: Cart = read("- name: left", Cart, under="wheels")
    assert [wheel.name for wheel in cart.wheels] == ["left"]
    with pytest.raises(DescriptionError, match=r"^this: \[0\]\.name is 'L'"):
        read("- name: L", Cart, under="wheels")
    with pytest.raises(DescriptionError, match="wheels is missing"):
        read("", Cart, under="wheels")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"nowhere\.yaml: this cart cannot be read"):
        text_of(tmp_path / "nowhere.yaml", "this cart")
    file = tmp_path / "cart.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DescriptionError, match="is not UTF-8 text"):
        text_of(file, "this cart")
    file.write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(DescriptionError, match="larger than"):
        text_of(file, "this cart")


def test_aliases_and_nesting_cannot_blow_it_up() -> None:
    lists = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lists += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    for text in ("\n".join(lists), "name: &a [*a]", "[" * 1200):
        with pytest.raises(DescriptionError):
            read(text, Any)
