"""Microphones, and what stands in for one: a file, or a folder of files. Kind "audio".

| file | what |
|---|---|
| `microphone.py` | a microphone of this machine, by PortAudio |
| `sound_files.py` | recordings, in their order, as if somebody spoke now |

The process of either is `resources/children/…` of the same name.
"""
