"""Prints the microphones of this machine, one a line, or its loudspeakers; a process of its own, since
PortAudio may hang.

    python -m resources.drivers.sound.listing [loudspeakers]
"""

from __future__ import annotations

import sys

from framework.errors import SoundError
from resources.children.portaudio import names

if __name__ == "__main__":
    try:
        print("\n".join(names("output" if sys.argv[1:] == ["loudspeakers"] else "input")))
    except SoundError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
