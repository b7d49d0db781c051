"""Where utterances begin and end: knocks, breath, monologues, gaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from resources.audio.format import BLOCK_S
from resources.speech.endpointing import Edge, Endpointer, Endpointing
from resources.types.speech import Phase

SETTINGS = Endpointing()


def fed(*parts: tuple[float, float], endpointer: Endpointer | None = None) -> list[Edge]:
    """Edges of parts, each (how likely a voice, seconds), from the moment 0 on."""
    listening = endpointer or Endpointer(SETTINGS)
    edges, block = [], 0
    for probability, seconds in parts:
        for _ in range(round(seconds / BLOCK_S)):
            block += 1
            edge = listening.block(block * BLOCK_S, probability)
            edges += [edge] if edge else []
    return edges


def kinds(edges: list[Edge]) -> list[Phase]:
    return [edge.phase for edge in edges]


def test_silence_and_knocks_are_nobody() -> None:
    assert fed((0.01, 5.0)) == []
    assert fed((0.1, 1.0), (0.99, 0.1), (0.1, 1.0), (0.99, 0.1), (0.1, 2.0)) == []


def test_an_utterance_begins_when_it_has_lasted_and_ends_after_silence() -> None:
    began, ended = fed((0.0, 2.0), (0.9, 1.5), (0.0, 1.0))
    assert kinds([began, ended]) == [Phase.BEGAN, Phase.ENDED]
    assert abs(began.began_s - (2.0 - SETTINGS.before_s)) < 2 * BLOCK_S
    assert 0.0 < began.until_s - 2.0 < SETTINGS.least_voice_s + 2 * BLOCK_S
    assert ended.began_s == began.began_s
    assert abs(ended.until_s - (3.5 + SETTINGS.after_s)) < 2 * BLOCK_S


def test_who_speaks_when_listening_begins_began_before_and_is_lost_and_the_next_one_counts() -> None:
    """ "Do not …" was said before anybody listened: its rest alone is the opposite of what was said."""
    for pause_s in (0.0, 0.3):
        listening = Endpointer(SETTINGS)
        listening.begins(0.0)
        edges = fed((0.0, pause_s), (0.9, 1.5), (0.0, 1.0), (0.9, 1.0), (0.0, 1.0), endpointer=listening)
        assert kinds(edges) == [Phase.LOST, Phase.BEGAN, Phase.ENDED]
    listening = Endpointer(SETTINGS)
    listening.begins(0.0)
    assert kinds(fed((0.0, 0.7), (0.9, 1.5), (0.0, 1.0), endpointer=listening)) == [Phase.BEGAN, Phase.ENDED]


def test_a_breath_in_the_middle_ends_nothing() -> None:
    assert kinds(fed((0.9, 1.0), (0.1, 0.4), (0.9, 1.0), (0.1, 1.0))) == [Phase.BEGAN, Phase.ENDED]


def test_a_voice_that_fades_is_still_one() -> None:
    """Hysteresis: what begins nothing may go on."""
    assert fed((0.4, 3.0)) == []
    (_, ended) = fed((0.9, 0.5), (0.4, 1.0), (0.0, 1.0))
    assert ended.until_s > 1.5


def test_a_monologue_is_given_up_once_and_the_next_word_counts_after_a_silence() -> None:
    edges = fed((0.9, 600.0), (0.0, 1.0), (0.9, 1.0), (0.0, 1.0))
    assert kinds(edges) == [Phase.BEGAN, Phase.TOO_LONG, Phase.BEGAN, Phase.ENDED]
    assert edges[1].until_s - edges[1].began_s <= SETTINGS.longest_s + SETTINGS.before_s + BLOCK_S
    assert edges[2].began_s > 600.0


def test_what_belongs_to_one_utterance_does_not_belong_to_the_next() -> None:
    edges = fed((0.9, 1.0), (0.0, 0.55), (0.9, 1.0), (0.0, 1.0))
    assert kinds(edges) == [Phase.BEGAN, Phase.ENDED, Phase.BEGAN, Phase.ENDED]
    assert edges[2].began_s >= edges[1].until_s


def test_sound_that_is_missing_ends_what_was_being_said_and_its_rest() -> None:
    listening = Endpointer(SETTINGS)
    fed((0.9, 1.0), endpointer=listening)
    assert listening.is_speaking
    lost = listening.interrupted(1.5)
    assert lost is not None
    assert lost.phase is Phase.LOST
    assert not listening.is_speaking
    assert listening.interrupted(1.5) is None
    later = [listening.block(1.5 + n * BLOCK_S, 0.9 if n < 40 else 0.0) for n in range(1, 80)]
    assert later == [None] * 79
    again = [listening.block(5.0 + n * BLOCK_S, 0.9) for n in range(1, 20)]
    assert [edge.phase for edge in again if edge] == [Phase.BEGAN]


def test_a_gap_in_silence_is_nothing() -> None:
    listening = Endpointer(SETTINGS)
    assert listening.interrupted(0.5) is None
    assert kinds(fed((0.0, 1.0), (0.9, 1.0), (0.0, 1.0), endpointer=listening)) == [Phase.BEGAN, Phase.ENDED]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 40)), max_size=40))
def test_whatever_is_heard_edges_come_in_pairs_and_in_order(parts: list[tuple[float, int]]) -> None:
    listening = Endpointer(Endpointing(longest_s=2.0))
    block, open_since_s, free_from_s = 0, None, float("-inf")
    for probability, blocks in parts:
        for _ in range(blocks):
            block += 1
            edge = listening.block(block * BLOCK_S, probability)
            if edge is None:
                continue
            assert edge.began_s < edge.until_s
            if edge.phase is Phase.BEGAN:
                assert open_since_s is None
                assert edge.began_s >= free_from_s
                open_since_s = edge.began_s
            else:
                assert edge.phase in (Phase.ENDED, Phase.TOO_LONG)
                assert open_since_s == edge.began_s or (open_since_s is None and edge.phase is Phase.TOO_LONG)
                open_since_s, free_from_s = None, edge.until_s
            assert listening.is_speaking == (open_since_s is not None)


def test_who_says_that_all_is_said_has_not_to_wait_for_a_silence() -> None:
    endpointer = Endpointer(SETTINGS)
    assert kinds(fed((0.0, 1.0), (0.9, 1.0), endpointer=endpointer)) == [Phase.BEGAN]
    edge = endpointer.over(2.0)
    assert edge is not None and edge.phase is Phase.ENDED
    assert edge.until_s == 2.0 and abs(edge.began_s - (1.0 - SETTINGS.before_s)) < 2 * BLOCK_S
    assert not endpointer.is_speaking and endpointer.over(2.5) is None


def test_a_noise_and_a_monologue_are_no_instruction_because_somebody_says_that_all_is_said() -> None:
    for parts in ([(0.9, 0.1)], [(0.9, 20.0)]):
        endpointer = Endpointer(SETTINGS)
        fed(*parts, endpointer=endpointer)
        assert endpointer.over(20.0) is None


def test_a_voice_that_is_there_right_after_lost_sound_is_a_rest_and_no_instruction() -> None:
    endpointer = Endpointer(SETTINGS)
    assert endpointer.interrupted(0.0) is None
    edges = fed((0.9, 1.0), (0.0, 1.0), (0.9, 1.0), (0.0, 1.0), endpointer=endpointer)
    assert kinds(edges) == [Phase.LOST, Phase.BEGAN, Phase.ENDED]


def test_a_voice_that_the_detector_knows_late_after_lost_sound_is_a_rest_too() -> None:
    endpointer = Endpointer(SETTINGS)
    endpointer.interrupted(0.0)
    assert kinds(fed((0.0, 0.19), (0.9, 1.0), (0.0, 1.0), endpointer=endpointer)) == [Phase.LOST]


def test_a_voice_that_begins_well_after_lost_sound_is_whole() -> None:
    endpointer = Endpointer(SETTINGS)
    endpointer.interrupted(0.0)
    edges = fed((0.0, 0.26), (0.9, 1.0), (0.0, 1.0), endpointer=endpointer)
    assert kinds(edges) == [Phase.BEGAN, Phase.ENDED]
