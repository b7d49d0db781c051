"""Which intent a text has, by a small transformer that had read much English before what people said here.

MiniLM (Wang et al. 2020, "MiniLM: Deep self-attention distillation for task-agnostic compression of
pre-trained transformers") as a sentence encoder (Reimers and Gurevych 2019, "Sentence-BERT"), fine-tuned on
what people said and meant (`heard.jsonl`), its weights quantized to eight bits. A text of fifteen words takes
some 2 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from framework.errors import DescriptionError
from grammars.intent.intents import Intent
from grammars.intent.pieces import Pieces

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MOST_PIECES: Final = 100
"""What is behind so many pieces of a text is not looked at."""

_MOST: Final = 6


class Scored(msgspec.Struct, frozen=True):
    """An intent, and how probable it is: 0 … 1."""

    intent: Intent
    score: float


class Scorer(Protocol):
    """Says what a text may be for. intents: all that it knows."""

    @property
    def intents(self) -> Sequence[Intent]: ...

    def scored(self, words: Sequence[str]) -> list[Scored]:
        """The likeliest intents of a text, the likeliest first. words: with marks for what it mentions."""


class Encoder:
    """What was learnt. intents: by place among the outputs. A scorer."""

    def __init__(self, session: InferenceSession, pieces: Pieces, intents: Sequence[Intent]) -> None:
        self._session = session
        self._pieces = pieces
        self.intents = tuple(intents)

    def scored(self, words: Sequence[str]) -> list[Scored]:
        """See `Scorer`."""
        outputs = self._outputs(self._pieces.of(words, MOST_PIECES))
        chances = np.exp(outputs - np.max(outputs))
        chances /= np.sum(chances)
        order = np.argsort(-chances)[:_MOST]
        return [Scored(self.intents[each], float(chances[each])) for each in order]

    def try_out(self) -> None:
        """Run the network once with the first and the last piece. Raises whatever it raises."""
        self._outputs([0, len(self._pieces.names) - 1])

    def _outputs(self, places: Sequence[int]) -> npt.NDArray[np.float32]:
        (outputs,) = self._session.run(None, {"pieces": np.array([places], dtype=np.int64)})
        found: npt.NDArray[np.float32] = outputs[0]
        return found


def opened(file: Path) -> InferenceSession:
    """What runs the network in a file, in the thread that asks. Raises DescriptionError if nothing can."""
    try:
        from onnxruntime import InferenceSession, SessionOptions
    except ImportError as error:
        raise DescriptionError(f"what was learnt cannot be used: {error}", file=str(file)) from error
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a busy machine has no other to spare
    options.log_severity_level = 4  # what is wrong is raised
    try:
        return InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # it raises what it likes, without a common kind
        raise DescriptionError(f"what was learnt cannot be read: {error}", file=str(file)) from error
