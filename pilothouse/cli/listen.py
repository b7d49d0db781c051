"""`pilothouse listen`: what is said to the robot is carried out, and what comes of it is printed.

By a microphone of the robot it goes on until Ctrl-C, and only what follows the wake phrase is for the robot.
A recording (`--wav`) is heard as if somebody spoke now, and all of it is for the robot, but for `--wake`.
0 if it ended in order and the last instruction was done or stands.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from framework.errors import SoundError
from pilothouse.cli.api import Api
from pilothouse.cli.following import Following, add_following
from pilothouse.cli.operator import who


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--wav",
        metavar="FILE",
        type=Path,
        help="a file of sound, or a folder of such, instead of a microphone: WAV, FLAC, Ogg, Opus, MP3 …",
    )
    parser.add_argument(
        "--at", metavar="MOUNT", default="", help="only the microphone there, as `pilothouse status` lists it"
    )
    parser.add_argument(
        "--wake", action="store_true", help="of a recording, too, only what follows the wake phrase counts"
    )
    add_following(parser)


def run(arguments: argparse.Namespace) -> int:
    """Listen, and follow. Raises SoundError if there is no such file."""
    if arguments.wav is not None and not arguments.wav.exists():
        raise SoundError(f"there is no file {arguments.wav}; a file of sound is wanted, or a folder of such")
    recording = "" if arguments.wav is None else str(arguments.wav.resolve())
    asker = who(arguments)
    following = Following(Api.of_state(arguments.state), asker, arguments)
    body = {
        "recording": recording,
        "audience": arguments.at,
        "is_addressed": bool(recording) and not arguments.wake,
        "who": asker,
    }
    return following.follow("/api/listen", body)
