"""Speech: when somebody speaks, what is said, and "emergency stop" at all times.

| file | what |
|---|---|
| `endpointing.py` | where an utterance begins and ends |
| `detector.py` | whether a block of sound is a voice |
| `spotting.py` | "emergency stop", and nothing else |
| `waking.py` | the phrase by which an open microphone is addressed |
| `sphinx.py`, `dictionary.py`, `pronunciation.py` | what is said, in the words of this installation |
| `whisper.py`, `whisper_model.py` | what is said, in any English words; where its model is |
| `nearest.py`, `phones.py`, `trigrams.py` | what can be said here that sounds most like that |
| `agreeing.py` | which of all these readings is taken, asked about, or rejected |
| `endpoint_child.py`, `ear_child.py` | the first three as processes; `specs.py` says which |

What is meant is not known here: text goes to the supervisor as an instruction.
"""
