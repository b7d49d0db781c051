"""No bytes on the way from a microphone to words break who reads them: marks, transcripts, talks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import SoundError
from framework.unreadable import UNREADABLE
from resources.audio.format import BLOCK_BYTES
from resources.audio.talk import MOST_BLOCKS, Talk
from resources.types.speech import (
    Phase,
    SpeechMark,
    TimedWord,
    Transcript,
    TranscriptKind,
    decode_mark,
    decode_transcript,
    encode_mark,
    encode_transcript,
)
from resources.web.page_messages import BeginTalk, decode_page_message

MARK = encode_mark(SpeechMark(Phase.ENDED, 12_345, 12.3, 14.5, -20.0, 0.1))
WRITTEN = encode_transcript(
    Transcript(TranscriptKind.WRITTEN, 1, 1.0, 2.0, (TimedWord("go", 0.1, 0.3),), ("so",), 0.8, is_woken=True)
)
TALK = b'{"type":"begin_talk","id":"t1","talk":7}'


@pytest.mark.parametrize(
    ("whole", "decode", "kind"),
    [
        (MARK, decode_mark, SpeechMark),
        (WRITTEN, decode_transcript, Transcript),
        (TALK, lambda content: decode_page_message(content.decode("utf-8", "surrogateescape")), BeginTalk),
    ],
    ids=["mark", "transcript", "begin_talk"],
)
@given(place=st.integers(0, 200), garbage=st.binary(max_size=4), cut=st.integers(0, 4))
def test_a_damaged_message_is_one_or_unreadable(
    whole: bytes, decode: Callable[[bytes], object], kind: type, place: int, garbage: bytes, cut: int
) -> None:
    place %= len(whole)
    with contextlib.suppress(UnicodeError, *UNREADABLE):
        assert isinstance(decode(whole[:place] + garbage + whole[place + cut :]), kind)


@given(
    st.lists(
        st.tuples(
            st.integers(-2, MOST_BLOCKS + 2),
            st.sampled_from((b"", b"x", bytes(BLOCK_BYTES), bytes(BLOCK_BYTES + 2))),
            st.booleans(),
            st.floats(-5.0, 5.0),
        ),
        max_size=20,
    )
)
def test_of_any_blocks_in_any_order_what_is_written_has_whole_blocks_and_rising_times(
    came: list[tuple[int, bytes, bool, float]],
) -> None:
    talk, told_s, now_s = Talk(1), float("-inf"), 100.0
    for sequence, sound, is_last, later_s in came:
        now_s += later_s
        with contextlib.suppress(SoundError):
            for each in talk.take(sequence, sound, now_s, is_last=is_last):
                assert len(each.sound) in (0, BLOCK_BYTES) and each.until_s >= told_s
                told_s = each.until_s
