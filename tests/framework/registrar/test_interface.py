"""The interfaces that stay put: tests outside of the project call these, in exactly this way."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from framework import registrar as package
from framework.errors import (
    CircularDependency,
    PilothouseError,
    Preempted,
    ResourceFailed,
    ResourceUnavailable,
)
from framework.registrar import Lease, ResourceRegistrar, Snapshot, Supply
from framework.status import Hop, Priority, Severity, Status
from framework.transport.local import LocalTransport


def parameters(function: Any) -> list[tuple[str, str, Any]]:
    kinds: dict[Any, str] = {
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_POSITIONAL: "several",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "",
    }
    empty = inspect.Parameter.empty
    return [
        (p.name, kinds[p.kind], "needed" if p.default is empty else p.default)
        for p in inspect.signature(function).parameters.values()
        if p.name != "self"
    ]


WISHES = [
    ("at", "keyword", None),
    ("exclusive", "keyword", False),
    ("priority", "keyword", Priority.AUTONOMY),
    ("wait", "keyword", False),
    ("on_failure", "keyword", "cancel"),
    ("on_status", "keyword", None),
]


def test_a_registrar_is_made_provides_and_requests() -> None:
    made = parameters(ResourceRegistrar)
    assert made[:4] == [
        ("name", "", "needed"),
        ("transport", "", "needed"),
        ("clock", "keyword", None),
        ("catalog", "keyword", None),
    ]
    assert parameters(ResourceRegistrar.provides)[0] == ("request_type", "", "needed")
    asked = parameters(ResourceRegistrar.request)
    assert asked[0] == ("request", "", "needed") and asked[1:7] == WISHES
    several = parameters(ResourceRegistrar.request_all)
    assert several[0] == ("requests", "several", "needed")
    assert ("instead_of", "keyword", ()) in several and all(wish in several for wish in WISHES)
    more = [*made[4:], *asked[7:], *several[8:]]
    assert all(default != "needed" for _, _, default in more), "what was added must not be needed"


def test_what_a_snapshot_lease_supply_and_status_have() -> None:
    assert {"resources", "leases", "is_empty"} <= set(dir(Snapshot))
    assert {"id", "value", "status", "failed", "statuses"} <= set(dir(Lease))
    assert inspect.iscoroutinefunction(Lease.failed) and not inspect.iscoroutinefunction(Lease.statuses)
    assert {"report", "update", "fail", "request"} <= set(dir(Supply))
    assert Status.__struct_fields__[:5] == ("id", "severity", "message", "lease_id", "hops")
    assert Hop.__struct_fields__[0] == "registrar"
    assert [severity.name for severity in Severity] == ["OK", "UPDATE", "WARNING", "ERROR", "FATAL"]
    assert [priority.name for priority in Priority] == ["BACKGROUND", "AUTONOMY", "OPERATOR"]


def test_the_errors() -> None:
    assert issubclass(CircularDependency, ResourceUnavailable)
    for error in (ResourceUnavailable, ResourceFailed, Preempted):
        assert issubclass(error, PilothouseError)
    status = Status("i", Severity.FATAL, "gone", "l")
    assert ResourceFailed(status).status is status
    assert (Preempted("operator", status).by, Preempted("operator", status).status) == ("operator", status)
    assert ResourceUnavailable("no").hops == ()
    assert CircularDependency("no", ("a", "b", "a")).circle == ("a", "b", "a")


def test_the_package_says_what_is_public() -> None:
    for name in package.__all__:
        assert getattr(package, name).__doc__


def test_names_are_checked_and_taken_once() -> None:
    transport = LocalTransport()
    ResourceRegistrar("one", transport)
    with pytest.raises(PilothouseError, match="'one' is already here"):
        ResourceRegistrar("one", transport)
    for bad in ("", "a b", "a/b", "x" * 200):
        with pytest.raises(PilothouseError, match="is no registrar name"):
            ResourceRegistrar(bad, transport)
