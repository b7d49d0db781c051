"""A voice: how an answer's text becomes words that are spoken, when each is said, and the sound of them.

| file | what |
|---|---|
| `speakable.py` | text for eyes → words for ears. Pure |
| `saying.py` | which sentence is said when, and what the others become. Pure |
| `engines.py` | words → sound: espeak-ng, or piper with somebody's own model |

Nothing here opens a device (`resources.children.loudspeaker` does), and nothing knows what an answer means.
"""
