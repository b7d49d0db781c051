"""Speech: when somebody speaks, what is said, and "emergency stop" at all times.

`endpointing.py` tells where an utterance begins and ends, `detector.py` whether a block is a voice. What runs
as a process of its own stands in `…_child.py`; which process that is, in `specs.py`. What is meant is not
known here: text goes to the supervisor as an instruction.
"""
