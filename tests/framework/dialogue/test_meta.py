"""What is understood before any grammar: stop in all its forms, and nothing by accident."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.dialogue.meta import Meta, MetaKind, MetaPhrases
from framework.dialogue.meta_reading import MetaReader, meta_command, meta_swallows, reader_of
from framework.dialogue.spelling import clean
from grammars.core_file import english


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


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("pause plan two", MetaKind.PAUSE, "plan 2"),
        ("resume the second plan", MetaKind.RESUME, "plan 2"),
        ("carry on with the tracking", MetaKind.RESUME, "the tracking"),
        ("stop plan 3", MetaKind.CANCEL, "plan 3"),
        ("cancel plan two", MetaKind.CANCEL, "plan 2"),
        ("pause the picture", MetaKind.PAUSE, "the picture"),
    ],
)
def test_what_a_command_is_about(text: str, kind: MetaKind, what: str) -> None:
    meta = meta_command(text)
    assert meta is not None and (meta.kind, meta.what) == (kind, what)


@pytest.mark.parametrize("text", ["the last one", "last", "the last"])
def test_the_last(text: str) -> None:
    assert meta_command(text) == Meta(MetaKind.CHOICE, choice=-1)


GERMAN = MetaPhrases(
    phrases={MetaKind.YES: ("ja",), MetaKind.NO: ("nein", "stop"), MetaKind.STOP: ("anhalten",)},
    openings={MetaKind.CANCEL: ("beende",)},
    numbers=(("eins",), ("zwei",)),
    ordinals=(("erste",),),
    polite_after=("bitte", "vielen dank"),
    polite_openings=("kannst du",),
    plan_words=("plan",),
)


@pytest.mark.parametrize(
    ("text", "meta"),
    [
        ("Ja, bitte!", Meta(MetaKind.YES)),
        ("ja vielen Dank bitte", Meta(MetaKind.YES)),
        ("kannst du anhalten bitte", Meta(MetaKind.STOP)),
        ("zwei", Meta(MetaKind.CHOICE, choice=2)),
        ("beende Plan zwei", Meta(MetaKind.CANCEL, "plan 2")),
        ("stop", Meta(MetaKind.STOP)),
        ("Stop everything, please", Meta(MetaKind.STOP)),
        ("freeze", Meta(MetaKind.STOP)),
        ("emergency stop", Meta(MetaKind.EMERGENCY)),
        ("yes", None),
        ("pause", None),
    ],
)
def test_another_language_brings_its_own_words_but_the_stop_stays(text: str, meta: Meta | None) -> None:
    assert meta_command(text, GERMAN) == meta


WRONG = MetaPhrases(
    phrases={MetaKind.NO: ("stop", "halt", "emergency stop"), MetaKind.YES: ("stop everything",)},
    openings={MetaKind.RESUME: ("stop",)},
    doubtful_openings=("emergency",),
    polite_before=("stop", "emergency", "halt"),
    polite_after=("stop", "everything", "moving"),
    polite_openings=("stop",),
    numbers=(("stop",),),
    filling=("stop",),
)


@pytest.mark.parametrize(
    "text", ["stop", "stop stop", "please stop everything", "stop moving now", "halt", "stop it", "freeze!"]
)
def test_no_file_takes_the_stop_away(text: str) -> None:
    assert meta_command(text, WRONG) == Meta(MetaKind.STOP)
    assert meta_command("emergency stop", WRONG) == Meta(MetaKind.EMERGENCY)


def test_no_words_at_all_leave_the_stop() -> None:
    reader = MetaReader(MetaPhrases())
    assert reader.stops("stop") and reader.stops("please halt now") and reader.stops("emergency!")
    assert reader.command("yes") is None and reader.command("2") == Meta(MetaKind.CHOICE, choice=2)


@pytest.mark.parametrize(
    ("phrase", "kind"),
    [
        ("wait", MetaKind.PAUSE),
        ("Stop!", MetaKind.STOP),
        ("the second one", MetaKind.CHOICE),
        ("do it", MetaKind.YES),
        ("wait ten seconds", None),
        ("show the camera", None),
        ("stop at the door", None),
    ],
)
def test_phrases_of_actions_that_commands_would_swallow(phrase: str, kind: MetaKind | None) -> None:
    assert meta_swallows(phrase) is kind


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("hello again", ""),
        ("Thanks again everyone!", ""),
        ("once again thank you", ""),
        ("welcome back", ""),
        ("hello again, it's me", "it's me"),
        ("hi", "hi"),
        ("sorry, once more please", "sorry, once more please"),
        ("thanks, do that again", "thanks, do that again"),
        ("back", "back"),
    ],
)
def test_again_in_a_courtesy_asks_for_nothing(text: str, rest: str) -> None:
    assert reader_of(english().meta).without_courtesies(text) == rest
