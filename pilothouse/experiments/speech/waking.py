"""How often the wake phrase is missed, and how often it is heard in what is none: on synthetic voices.

python -m pilothouse.experiments.speech.waking [PHRASE]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from pilothouse.experiments.speech.sentences import foreign
from pilothouse.experiments.speech.voices import VOICES, Voice, silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.audio.format import RATE_HZ
from resources.robots.description import SpeechDescription
from resources.speech.waking import WakePhrase

COMMANDS: Final = (
    "show the environment", "open the gripper", "move the left arm up ten centimetres", "go home",
    "look at the red cup", "what are you doing", "drive to the table", "turn left", "stop", "yes",
)  # fmt: skip
ABOUT_A_ROBOT: Final = (
    "the robot is over there", "that is a robot", "my robot is nice", "robot, open the gripper",
    "hey you, go to the house", "the pilot is in the house", "hey pilot, go home",
)  # fmt: skip


def main(phrase: str) -> None:
    """Measure and print."""
    wake = WakePhrase(phrase)
    for snr_db in (None, 20.0, 10.0):
        said = [uttered(f"{phrase}, {text}", voice, snr_db) for voice in VOICES for text in COMMANDS]
        missed = sum(wake.ends_in(each) is None for each in said)
        print(f"missed at {snr_db or 'no noise'}: {missed} of {len(said)}", flush=True)
    alone = [uttered(phrase, voice) for voice in VOICES]
    print(f"missed alone: {sum(wake.ends_in(each) is None for each in alone)} of {len(alone)}", flush=True)
    for name, sounds in (("foreign", foreign_said()), ("about a robot", about())):
        count, length_s, heard = 0, 0.0, 0
        for sound in sounds:
            count, length_s, heard = count + 1, length_s + len(sound) / RATE_HZ, heard + _is_in(wake, sound)
        print(f"heard in {name}: {heard} of {count} utterances, {length_s / 60:.0f} min", flush=True)


def foreign_said() -> Iterator[Samples]:
    """Two hundred and fifty foreign sentences, each in another voice than the one before."""
    for text, voice in islice(foreign(VOICES), 250):
        yield uttered(text, voice)


def about() -> Iterator[Samples]:
    """What people say beside a robot."""
    return (uttered(text, voice) for voice in VOICES for text in ABOUT_A_ROBOT)


def uttered(text: str, voice: Voice, snr_db: float | None = None) -> Samples:
    """As an utterance is cut out."""
    return with_noise(np.concatenate([silence(0.4), spoken(text, voice), silence(0.3)]), snr_db)


def _is_in(wake: WakePhrase, sound: Samples) -> bool:
    return wake.ends_in(sound) is not None


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or SpeechDescription().wake)
