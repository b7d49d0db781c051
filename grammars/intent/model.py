"""All that was learnt from what people said, in one file: `learnt.onnx`, a network with the rest as metadata.

Made by `python -m pilothouse.experiments.language.learn`, which also says how good it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import DescriptionError
from grammars.intent.encoder import Encoder, Scorer, opened
from grammars.intent.intents import Intent
from grammars.intent.patterns import Pattern
from grammars.intent.pieces import Pieces
from grammars.intent.spans import Spans

FILE: Final = Path(__file__).parent / "learnt.onnx"
KEY: Final = "pilothouse"
"""Under this name the rest stands in the network's metadata: `Rest` as JSON."""


class Model(msgspec.Struct, frozen=True):
    """What tells intents, and what fills an action.

    patterns: of each intent, the commonest first. spans: where words to be handed on stand.
    learnt_from: says which texts it was learnt from (`fingerprint`).
    """

    scorer: Scorer
    patterns: Mapping[Intent, tuple[Pattern, ...]]
    spans: Spans = Spans()
    learnt_from: str = ""


class Rest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands beside the network. pieces, intents: by its inputs and outputs; the others: see `Model`."""

    pieces: tuple[str, ...]
    intents: tuple[Intent, ...]
    patterns: tuple[tuple[Intent, tuple[Pattern, ...]], ...]
    spans: Spans
    learnt_from: str


def load(file: Path = FILE) -> Model:
    """Read one. Raises DescriptionError if it is none, or cannot be used on this machine."""
    session = opened(file)
    try:
        rest = msgspec.json.decode(session.get_modelmeta().custom_metadata_map[KEY], type=Rest)
        outputs = session.get_outputs()[0].shape[-1]
        if outputs != len(rest.intents):
            raise ValueError(f"{outputs} outputs are for {len(rest.intents)} intents")
        encoder = Encoder(session, Pieces(rest.pieces), rest.intents)
    except (KeyError, ValueError, msgspec.MsgspecError) as error:
        raise DescriptionError(f"what was learnt cannot be read: {error!r}", file=str(file)) from error
    try:
        encoder.try_out()
    except Exception as error:  # whatever the network raises; it has no common kind
        raise DescriptionError(f"what was learnt cannot be used: {error}", file=str(file)) from error
    return Model(encoder, dict(rest.patterns), rest.spans, rest.learnt_from)


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
