"""What rooms and microphones do to sound: far away, too loud, two at once, a telephone's, a film, a radio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pilothouse.experiments.speech.voices import FLITE, Voice, cut, silence, spoken
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, BLOCK_S, RATE_HZ
from resources.audio.reading import Block
from resources.audio.sound_file import blocks_of
from resources.speech.detector import VoiceDetector
from resources.speech.ear_child import Hearing
from resources.speech.endpoint_child import Listening
from resources.speech.endpointing import Endpointer
from resources.speech.spotting import EmergencySpotter
from resources.speech.waking import WakePhrase
from resources.types.speech import Phase

CRY = "emergency stop"


def stops(sound: Samples) -> int:
    """How often the ear would stop everything, with some silence after it."""
    ear = Hearing(EmergencySpotter(VoiceDetector()), 0.0)
    blocks = cut(silence(0.6), sound, silence(1.0))
    found = sum(ear.block(Block(number * BLOCK_S, block)) for number, block in enumerate(blocks, start=1))
    return found + ear.silence()


def phases(sound: Samples) -> list[Phase]:
    listening = Listening(Endpointer(), VoiceDetector())
    blocks = cut(silence(1.0), sound, silence(1.5))
    return [
        mark.phase
        for number, block in enumerate(blocks, start=1)
        for mark in listening.block(Block(number * BLOCK_S, block))
    ]


def louder(sound: Samples, db: float) -> Samples:
    """Clipped, if it is too loud."""
    found: Samples = np.clip(sound * 10 ** (db / 20), -32_768, 32_767).astype(np.int16)
    return found


def together(*sounds: Samples) -> Samples:
    """At once, as long as the longest."""
    whole = np.zeros(max(map(len, sounds)), np.float64)
    for sound in sounds:
        whole[: len(sound)] += sound
    found: Samples = np.clip(whole, -32_768, 32_767).astype(np.int16)
    return found


def music(seconds: float) -> Samples:
    """An arpeggio of sawtooth notes, each with its attack, over a bass."""
    times_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    notes_hz = np.array([262, 330, 392, 523, 392, 330])[(times_s / 0.25).astype(int) % 6]
    attack = np.exp(-4.0 * (times_s % 0.25))
    saw = 2.0 * ((notes_hz * times_s) % 1.0) - 1.0
    found: Samples = (5_000 * (saw * attack + 0.6 * np.sin(2 * np.pi * 65 * times_s))).astype(np.int16)
    return found


def test_music_stops_nothing_wakes_nobody_and_is_no_utterance() -> None:
    sound = music(4.0)
    assert stops(sound) == 0 and WakePhrase("hey pilot house").ends_in(sound) is None
    assert Phase.ENDED not in phases(sound)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("voice", "text"),
    [
        ("de", "Würden Sie bitte das Fenster öffnen, es ist sehr warm hier drin"),
        pytest.param(
            "fr-fr", "Est-ce que vous pouvez fermer la porte, s'il vous plaît", marks=pytest.mark.soak
        ),
        pytest.param("es", "El tren de las ocho sale con mucho retraso", marks=pytest.mark.soak),
    ],
)
def test_another_language_stops_nothing_and_wakes_nobody(voice: str, text: str) -> None:
    sound = spoken(text, Voice(voice, variant=voice))
    assert stops(sound) == 0 and WakePhrase("hey pilot house").ends_in(sound) is None


def test_a_film_in_which_somebody_shouts_it_stops_everything() -> None:
    """Nobody can tell it from a person who means it, and what is too much costs a word."""
    film = together(music(6.0), louder(np.concatenate([silence(2.0), spoken(CRY, Voice("en-us"))]), 3.0))
    assert stops(film) == 1


@pytest.mark.parametrize("db", [12.0, pytest.param(-25.0, marks=pytest.mark.soak)])
def test_it_is_heard_too_loud_for_the_microphone_and_far_too_soft(db: float) -> None:
    assert stops(louder(spoken(CRY, Voice("en-us")), db)) == 1


def test_it_is_heard_from_across_the_room() -> None:
    assert stops(louder(spoken(CRY, Voice("flite, in a room", "flite", is_in_room=True)), -15.0)) == 1


def test_it_is_heard_over_somebody_who_speaks_much_less_loud() -> None:
    other = louder(spoken("and then we went to the market and bought apples"), -20.0)
    assert stops(together(other, np.concatenate([silence(1.0), spoken(CRY, Voice("en-us"))]))) == 1


@pytest.mark.soak
def test_two_who_speak_at_once_are_one_utterance_and_wake_nobody() -> None:
    both = together(spoken("open the gripper", Voice("en-us")), spoken("we went to the market yesterday"))
    assert phases(both) == [Phase.BEGAN, Phase.ENDED]
    assert WakePhrase("hey pilot house").ends_in(np.concatenate([silence(0.4), both])) is None


@pytest.mark.parametrize(
    ("rate_hz", "subtype", "channels"),
    [
        (8_000, "ULAW", 2),
        pytest.param(8_000, "PCM_U8", 1, marks=pytest.mark.soak),
        pytest.param(44_100, "PCM_24", 2, marks=pytest.mark.soak),
    ],
)
def test_it_is_heard_by_telephone_and_in_one_channel_of_two(
    tmp_path: Path, rate_hz: int, subtype: str, channels: int
) -> None:
    cry = spoken(CRY, FLITE).astype(np.float32) / 32_768
    times = np.arange(0, len(cry) - 1, RATE_HZ / rate_hz)
    sound = np.interp(times, np.arange(len(cry)), cry)
    file = tmp_path / "cry.wav"
    soundfile.write(
        file, np.stack([sound, *[np.zeros_like(sound)] * (channels - 1)], axis=1), rate_hz, subtype
    )
    assert stops(np.concatenate(list(blocks_of(file)))) == 1


def test_blocks_that_are_lost_in_the_middle_of_it_are_no_reason_to_miss_what_was_whole() -> None:
    ear = Hearing(EmergencySpotter(VoiceDetector()), 0.0)
    blocks = cut(silence(0.6), spoken(CRY), silence(0.1), spoken("go home"), silence(1.0))
    lost = round((0.6 + len(spoken(CRY)) / RATE_HZ) / BLOCK_S) + 2  # after it: a dropped packet
    heard = [
        ear.block(Block(number * BLOCK_S, block, is_after_gap=number == lost + 1))
        for number, block in enumerate(blocks)
        if number != lost
    ]
    assert sum(heard) == 1 and len(blocks[0]) == BLOCK
