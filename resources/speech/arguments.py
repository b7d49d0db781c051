"""What each process of speech is told when it is started: data that stands readable in its command line."""

from __future__ import annotations

from framework.plugins.parameters import Parameters
from resources.robots.description import SpeechDescription
from resources.speech.endpointing import Endpointing
from resources.types.sensors import AudioFeed
from resources.types.speech import SpokenModel, UtteranceFeed


class EndpointArguments(Parameters, frozen=True):
    """The end-of-speech detector's. since_s: what was heard before is not for it, CLOCK_MONOTONIC [s]."""

    run_directory: str
    audio: AudioFeed
    since_s: float
    settings: Endpointing = Endpointing()


class EarArguments(Parameters, frozen=True):
    """Of the ear for "emergency stop"."""

    run_directory: str
    audio: AudioFeed


class RecogniserArguments(Parameters, frozen=True):
    """Of the recogniser. wanted: which one. is_addressed: it listens for no wake phrase."""

    run_directory: str
    utterances: UtteranceFeed
    language: SpokenModel
    wanted: SpeechDescription = SpeechDescription()
    is_addressed: bool = False
