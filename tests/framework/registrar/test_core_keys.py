"""When two requests are the same, and what can be no request."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import msgspec
import pytest

from framework.errors import RequestTypeError
from framework.registrar.keys import checked_type, converted, key_of, kind_of


class A(msgspec.Struct, frozen=True):
    x: Any


class Length(msgspec.Struct, frozen=True):
    metres: float = 1.0


class Side(Enum):
    LEFT = "left"


class Nested(msgspec.Struct, frozen=True):
    side: Side = Side.LEFT
    length: Length = Length()
    parts: tuple[Length, ...] = ()
    inner: Nested | None = None


class Bend(msgspec.Struct, frozen=True):
    joints: list[float]


class Loose(msgspec.Struct):
    x: int = 0


class Holds(msgspec.Struct, frozen=True):
    loose: Loose | None = None


class Endless(msgspec.Struct, frozen=True):
    x: float = math.inf


def test_python_finds_them_equal_we_do_not() -> None:
    assert A(1) == A(True) == A(1.0)
    assert len({key_of(A(1)), key_of(A(True)), key_of(A(1.0))}) == 3


def test_where_the_annotation_makes_them_the_same_they_are() -> None:
    assert key_of(Length(1)) == key_of(Length(1.0))


def test_equal_content_of_another_type_is_another_request() -> None:
    class Width(msgspec.Struct, frozen=True):
        metres: float = 1.0

    assert key_of(Length()) != key_of(Width())


def test_nested_requests_are_told_apart_by_all_they_hold() -> None:
    deep = Nested(parts=(Length(), Length(2.0)), inner=Nested())
    assert key_of(deep) == key_of(Nested(parts=(Length(), Length(2.0)), inner=Nested()))
    assert key_of(deep) != key_of(Nested(parts=(Length(2.0), Length()), inner=Nested()))


@pytest.mark.parametrize(
    "request_",
    [Length(math.nan), Length(math.inf), Nested(parts=(Length(math.nan),)), A([1]), A({}), A(object())],
)
def test_what_names_nothing_is_refused_when_requested(request_: Any) -> None:
    with pytest.raises(RequestTypeError, match="cannot be requested"):
        key_of(request_)


def test_a_value_that_does_not_fit_its_field_is_refused() -> None:
    with pytest.raises(RequestTypeError, match="cannot be requested"):
        key_of(Length("long"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_type", "reason"),
    [
        (int, "cannot be a request type"),
        (Length(), "cannot be a request type"),
        (Loose, "not frozen"),
        (Bend, "Bend.joints cannot be part of a request, because of a list"),
        (Holds, "Loose, which is not frozen"),
        (Endless, "not finite"),
    ],
)
def test_a_type_whose_values_can_name_nothing_is_refused_at_provides(request_type: Any, reason: str) -> None:
    with pytest.raises(RequestTypeError, match=reason):
        checked_type(request_type)


def test_a_type_that_contains_itself_is_fine() -> None:
    assert checked_type(Nested) is Nested
    assert kind_of(Nested).endswith(":Nested")


def test_plain_containers_from_the_wire_become_the_type_or_an_error() -> None:
    assert converted(Length, {"metres": 2.0}) == Length(2.0)
    with pytest.raises(RequestTypeError, match="is no Length"):
        converted(Length, {"metres": "2"})
