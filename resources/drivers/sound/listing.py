"""Prints the microphones of this machine, one a line, or its loudspeakers; a process of its own, since
PortAudio may hang.

    python -m resources.drivers.sound.listing [loudspeakers]
"""

from __future__ import annotations

import sys

from framework.errors import SoundError
from resources.children.microphone import microphones
from resources.children.sounding import loudspeakers

if __name__ == "__main__":
    try:
        print("\n".join(loudspeakers() if sys.argv[1:] == ["loudspeakers"] else microphones()))
    except SoundError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
