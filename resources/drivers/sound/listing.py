"""Prints the microphones of this machine, one a line: a process of its own, since PortAudio may hang."""

from __future__ import annotations

import sys

from framework.errors import SoundError
from resources.children.microphone import microphones

if __name__ == "__main__":
    try:
        print("\n".join(microphones()))
    except SoundError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
