"""Sound, as it is everywhere in the house: one channel, 16 kHz, 16 bits, in blocks of 32 ms.

What a block is stands in `format.py`; `blocks.py` cuts any other sound into such; `sound_file.py` reads
files; `sound_clock.py` tells when a block ended, `reading.py` reads what a microphone's process writes.
Nothing here opens a device, and nothing knows what is said.
"""
