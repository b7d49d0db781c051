"""How `resources.speech.agreeing.TRUST` was fitted: on utterances on which nothing reports.

    python -m pilothouse.experiments.speech.fitting

Of each utterance the likeliest reading that means something is right, or it is not: other words were said,
or nothing for us. A logistic regression tells both apart. Instructions are those of another seed than the
experiment's, foreign utterances those that it leaves out (`FOREIGN_FITTED`), each in several voices. Prints
what to write into the source, and how many of both come to which trust. Takes half an hour.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.speech import FOREIGN_FITTED, NOISES, around, marked, utterance
from pilothouse.experiments.speech.recognisers import Recognisers
from pilothouse.experiments.speech.sentences import foreign, instructions, model
from pilothouse.experiments.speech.voices import VOICES, spoken, with_noise
from resources.audio.blocks import Samples
from resources.speech.agreeing import Trust
from resources.types.speech import Reading

Array = NDArray[np.float64]

SEED: Final = 31
DRAWN, PEOPLE = 30, 30
FOREIGN_VOICES: Final = 2
_RIDGE: Final = 0.3
_ROUNDS: Final = 50


class Judged(msgspec.Struct, frozen=True):
    """What would be taken of an utterance, and whether that was said. kind: of noise, or "foreign"."""

    kind: str
    reading: Reading
    is_right: bool


def judged() -> Iterator[Judged | None]:
    """Each utterance, in turn; None where nothing means anything."""
    drawn = instructions(DRAWN, PEOPLE, SEED)
    said = (*drawn.drawn, *drawn.people)
    with tempfile.TemporaryDirectory() as folder:
        language, _ = model(Path(folder) / "instructions.arpa", without=drawn.people)
        with Recognisers(language) as recognisers:
            for noise, snr_db in NOISES.items():
                for number, text in enumerate(said):
                    sound = with_noise(around(spoken(text, VOICES[number % len(VOICES)])), snr_db, number)
                    yield _judged(recognisers, noise, text, sound)
            for number, (text, _) in enumerate(islice(foreign(VOICES), FOREIGN_FITTED)):
                for shift in range(FOREIGN_VOICES):
                    sound = around(spoken(text, VOICES[(number + shift) % len(VOICES)]))
                    yield _judged(recognisers, "foreign", "", sound)


def fitted(features: Array, is_right: NDArray[np.bool_]) -> Array:
    """The weights of a logistic regression, the constant first. features (n, k), is_right (n,)."""
    rows = np.column_stack([np.ones(len(features)), features])
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):  # Newton's
        trust = 1.0 / (1.0 + np.exp(-rows @ weights))
        curvature = (rows * (trust * (1.0 - trust))[:, None]).T @ rows + _RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curvature, rows.T @ (is_right - trust) - _RIDGE * weights)
    return weights


def main() -> None:
    """Print the constants, and what they come to."""
    every = [each for each in judged() if each is not None]
    names = [each for each in Trust.__struct_fields__ if each != "nothing"]
    features = np.array([[getattr(each.reading, name) for name in names] for each in every])
    weights = fitted(features, np.array([each.is_right for each in every]))
    trust = Trust(float(weights[0]), **dict(zip(names, (-weights[1:]).tolist(), strict=True)))
    print(trust)
    for least in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        taken = [each for each in every if trust.of(each.reading) >= least]
        counts = {
            kind: f"{sum(each.is_right for each in taken if each.kind == kind)} right of "
            f"{sum(each.kind == kind for each in taken)}"
            for kind in (*NOISES, "foreign")
        }
        print(least, counts)


def _judged(recognisers: Recognisers, kind: str, said: str, sound: Samples) -> Judged | None:
    meanings = recognisers.meanings
    readings = recognisers.readings(utterance(sound, marked(sound)))
    best = next((each for each in readings if meanings.is_understood(each.text)), None)
    if best is None:
        return None
    return Judged(kind, best, meanings.are_same(meanings.of(said), meanings.of(best.text)) if said else False)


if __name__ == "__main__":
    main()
