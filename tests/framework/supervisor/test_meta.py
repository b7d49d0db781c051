"""What is understood before any grammar: stop in all its forms, and nothing by accident."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.supervisor import MetaKind, meta_command
from framework.supervisor.meta import clean


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("stop", MetaKind.STOP),
        ("STOP!!!", MetaKind.STOP),
        ("stop stop stop", MetaKind.STOP),
        ("please stop everything now", MetaKind.STOP),
        ("could you stop", MetaKind.STOP),
        ("\x00stop\n", MetaKind.STOP),
        ("ｓｔｏｐ", MetaKind.STOP),
        ("halt.", MetaKind.STOP),
        ("cancel everything", MetaKind.STOP),
        ("emergency stop", MetaKind.EMERGENCY),
        ("Emergency! Emergency stop!", MetaKind.EMERGENCY),
        ("e-stop", MetaKind.EMERGENCY),
        ("stop emergency", MetaKind.EMERGENCY),
        ("reset the emergency stop", MetaKind.RESET),
        ("cancel", MetaKind.CANCEL),
        ("never mind", MetaKind.CANCEL),
        ("pause", MetaKind.PAUSE),
        ("hold on", MetaKind.PAUSE),
        ("carry on", MetaKind.RESUME),
        ("Please continue.", MetaKind.RESUME),
        ("what are you doing?", MetaKind.STATUS),
        ("What’s going on?", MetaKind.STATUS),
        ("yes", MetaKind.YES),
        ("ok", MetaKind.YES),
        ("No, thank you", MetaKind.NO),
    ],
)
def test_meta_commands(text: str, kind: MetaKind) -> None:
    meta = meta_command(text)
    assert meta is not None and meta.kind is kind


@pytest.mark.parametrize(
    ("text", "what", "is_certain"),
    [
        ("cancel the tracking", "the tracking", True),
        ("stop showing the environment", "showing the environment", False),
        ("don't show the scan", "show the scan", False),
        ("cancel plan 2", "plan 2", True),
    ],
)
def test_cancelling_something(text: str, what: str, is_certain: bool) -> None:
    meta = meta_command(text)
    assert meta is not None
    assert (meta.kind, meta.what, meta.is_certain) == (MetaKind.CANCEL, what, is_certain)


@pytest.mark.parametrize(
    ("text", "choice"), [("2", 2), ("two", 2), ("the second one", 2), ("number three", 3), ("one", 1)]
)
def test_choices(text: str, choice: int) -> None:
    meta = meta_command(text)
    assert meta is not None and (meta.kind, meta.choice) == (MetaKind.CHOICE, choice)


OTHER = (
    "show the environment; ; ?;wait ten seconds;show the stop sign;yes master of all;e;stopwatch;non stop;"
    "track the emergency exit;continue to the table;12345678901234567890"
)


@pytest.mark.parametrize("text", OTHER.split(";"))
def test_other_text_is_no_meta_command(text: str) -> None:
    assert meta_command(text) is None


@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    meta_command(text)
    assert all(character.isprintable() for character in clean(text))
