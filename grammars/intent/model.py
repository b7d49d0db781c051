"""All that was learnt from what people said, in one file: `learnt.npz`.

Made by `python -m pilothouse.experiments.language.learn`, which also says how good it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import msgspec
import numpy as np

from framework.errors import DescriptionError
from grammars.intent.classifier import Classifier, Texts
from grammars.intent.features import Weights
from grammars.intent.intents import Intent
from grammars.intent.patterns import Pattern
from grammars.intent.spans import Spans

FILE: Final = Path(__file__).parent / "learnt.npz"


class Model(msgspec.Struct, frozen=True):
    """The classifier, and what fills an action.

    patterns: of each intent, the commonest first. spans: where words to be handed on stand.
    learnt_from: says which texts it was learnt from (`fingerprint`).
    """

    classifier: Classifier
    patterns: Mapping[Intent, tuple[Pattern, ...]]
    spans: Spans = Spans()
    learnt_from: str = ""

    def save(self, file: Path = FILE) -> None:
        """Write it."""
        classifier = self.classifier
        rest = msgspec.json.encode(
            {
                "intents": classifier.intents,
                "n_grams": classifier.weights.names,
                "patterns": tuple(self.patterns.items()),
                "spans": self.spans,
                "learnt_from": self.learnt_from,
            }
        )
        np.savez_compressed(
            file,
            weights=classifier.weights.weights,
            begins=classifier.texts.begins,
            rows=classifier.texts.rows.astype(np.uint16),
            factors=classifier.factors.astype(np.float16),
            rest=np.frombuffer(rest, dtype=np.uint8),
        )


class _Rest(msgspec.Struct, frozen=True):
    intents: tuple[Intent, ...]
    n_grams: tuple[str, ...]
    patterns: tuple[tuple[Intent, tuple[Pattern, ...]], ...]
    spans: Spans
    learnt_from: str


def load(file: Path = FILE) -> Model:
    """Read one. Raises DescriptionError if it is none."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        rest = msgspec.json.decode(arrays["rest"].tobytes(), type=_Rest)
        weights = Weights(rest.n_grams, arrays["weights"])
        count, rows = len(arrays["factors"]), arrays["rows"].astype(np.int32)
        classifier = Classifier(
            weights,
            Texts.having(count, arrays["begins"], rows, weights.weights),
            rest.intents,
            arrays["factors"].astype(np.float32),
        )
    except (OSError, EOFError, BadZipFile, ValueError, KeyError, IndexError, msgspec.MsgspecError) as error:
        raise DescriptionError(f"what was learnt cannot be read: {error}", file=str(file)) from error
    return Model(classifier, dict(rest.patterns), rest.spans, rest.learnt_from)


@cache
def house_model() -> Model:
    """What was learnt of our own actions. Raises DescriptionError."""
    return load()


def fingerprint(heard: Iterable[Sequence[str]]) -> str:
    """Of what a model is learnt from: the same for the same texts, in whatever order."""
    whole = hashlib.sha256()
    for each in sorted(tuple(each) for each in heard):
        whole.update(repr(each).encode())
    return whole.hexdigest()
