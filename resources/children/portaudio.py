"""PortAudio as all processes of sound use it: which devices there are, and which of them is meant."""

from __future__ import annotations

from typing import Any, Final, Literal

from framework.errors import SoundError

INSTALL: Final = "install its library: apt-get install libportaudio2"

Way = Literal["input", "output"]

_CALLED: Final = {"input": "microphone", "output": "loudspeaker"}
_AT: Final = {"input": 0, "output": 1}  # in PortAudio's pair of defaults


def devices(way: Way) -> tuple[Any, list[Any]]:
    """The library, and what it knows of each device that sound goes in or out by.

    Raises SoundError if PortAudio is not there.
    """
    try:
        import sounddevice
    except OSError as error:
        raise SoundError(f"PortAudio cannot be loaded ({error}); {INSTALL}") from error
    try:
        every = [each for each in sounddevice.query_devices() if each[f"max_{way}_channels"] > 0]
    except sounddevice.PortAudioError as error:
        raise SoundError(f"PortAudio finds no sound on this machine: {error}") from error
    return sounddevice, every


def names(way: Way) -> tuple[str, ...]:
    """Of this machine's microphones or loudspeakers. Raises SoundError if PortAudio is not there."""
    return tuple(str(each["name"]) for each in devices(way)[1])


def chosen(way: Way, hardware: str) -> tuple[Any, Any]:
    """The library, and the device of this name, of which a part will do; "" is the machine's default.

    Raises SoundError with what there is.
    """
    sounddevice, every = devices(way)
    fitting = [each for each in every if hardware.lower() in str(each["name"]).lower()]
    if not fitting:
        found = ", ".join(str(each["name"]) for each in every)
        there = f"there are {found}" if found else "this machine has none"
        named = f"there is no {_CALLED[way]} {hardware!r}" if hardware else f"a {_CALLED[way]}"
        raise SoundError(f"{named}: {there}")
    index = sounddevice.default.device[_AT[way]]
    default = next((each for each in fitting if each["index"] == index), fitting[0])
    return sounddevice, fitting[0] if hardware else default
