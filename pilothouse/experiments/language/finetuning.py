"""Fine-tunes a sentence encoder on what people said, for `learn`. Needs the extra `learn` (PyTorch).

All layers of MiniLM and one linear layer on the mean of their outputs (Reimers and Gurevych 2019) are trained
by cross entropy with smoothed labels (Szegedy et al. 2016) and AdamW (Loshchilov and Hutter 2019), on texts
that are mistyped at random now and then. Its weights are then quantized to eight bits, of which seven are
used: the sums of some processors overflow with eight.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from rich.console import Console
from rich.progress import track
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from framework.errors import DescriptionError
from grammars.intent.encoder import MOST_PIECES
from grammars.intent.model import KEY, Rest
from grammars.intent.pieces import BEGIN, END, GOES_ON, UNKNOWN, Pieces, is_mark

WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"
"""The files of all-MiniLM-L6-v2 as its authors published it (Apache-2.0)."""

_WIDE, _LAYERS, _HEADS, _WIDER = 384, 6, 12, 1536
_DROPPED: Final = 0.1
_AT_ONCE: Final = 32
_TIMES: Final = 4
#: How fast it learns: its own layers, its pieces, the new layer; and after which share of all it is fastest.
_RATES: Final = (7e-5, 3.5e-5, 1e-3)
_WARMING: Final = 0.06
_SMOOTHED: Final = 0.1
#: How often a text is mistyped, and a word of it left out.
_MISTYPED, _LEFT_OUT = 0.25, 0.1
_LETTERS: Final = "etaoinshrdlu"


Text = tuple[Sequence[str], int]
"""Words with marks for what is mentioned, and the place of what they are for among all intents."""


class Layer(nn.Module):
    """A transformer's layer (Vaswani et al. 2017), normalized behind each half, as BERT's."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(_WIDE, _WIDE) for _ in range(4))
        self.attended = nn.LayerNorm(_WIDE, eps=1e-12)
        self.wider, self.back = nn.Linear(_WIDE, _WIDER), nn.Linear(_WIDER, _WIDE)
        self.done = nn.LayerNorm(_WIDE, eps=1e-12)
        self.dropout = nn.Dropout(_DROPPED)

    def forward(self, given: Tensor, is_there: Tensor | None) -> Tensor:
        """Texts × pieces × width; is_there: texts × 1 × 1 × pieces, which are no padding."""
        heads = [self._split(each(given)) for each in (self.query, self.key, self.value)]
        mixed = nn.functional.scaled_dot_product_attention(*heads, attn_mask=is_there)
        mixed = mixed.transpose(1, 2).reshape(given.shape)
        given = self.attended(given + self.dropout(self.out(mixed)))
        more = self.back(nn.functional.gelu(self.wider(given)))
        whole: Tensor = self.done(given + self.dropout(more))
        return whole

    def _split(self, given: Tensor) -> Tensor:
        return given.view(*given.shape[:2], _HEADS, _WIDE // _HEADS).transpose(1, 2)


class Network(nn.Module):
    """Pieces to intents: embedded with their places, layer by layer, the mean of all, one linear layer."""

    def __init__(self, pieces: int, intents: int) -> None:
        super().__init__()
        self.pieces, self.places = nn.Embedding(pieces, _WIDE), nn.Embedding(MOST_PIECES, _WIDE)
        self.embedded = nn.LayerNorm(_WIDE, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(_LAYERS))
        self.dropout = nn.Dropout(_DROPPED)
        self.intents = nn.Linear(_WIDE, intents)

    def forward(self, pieces: Tensor, is_there: Tensor | None = None) -> Tensor:
        """Texts × pieces to texts × intents, as logits; is_there: which pieces are no padding."""
        given = self.pieces(pieces) + self.places.weight[: pieces.shape[1]]
        given = self.dropout(self.embedded(given))
        for layer in self.layers:
            given = layer(given, None if is_there is None else is_there[:, None, None, :])
        if is_there is None:
            mean = given.mean(1)
        else:
            mean = (given * is_there[..., None]).sum(1) / is_there.sum(1, keepdim=True)
        logits: Tensor = self.intents(self.dropout(mean))
        return logits


#: Our names of a layer's parts, and those that BERT's authors gave them.
_PARTS: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "attended": "attention.output.LayerNorm",
    "wider": "intermediate.dense",
    "back": "output.dense",
    "done": "output.LayerNorm",
}


def pretrained(minilm: Path, marks: Sequence[str], intents: int) -> tuple[Network, Pieces]:
    """MiniLM as it was published, with those of its pieces that English needs, and our marks beside them.

    A mark ("<number m>") begins as the mean of its words. Raises DescriptionError if the folder has none.
    """
    try:
        weights = load_file(minilm / WEIGHTS)
        every = (minilm / VOCABULARY).read_text(encoding="utf-8").splitlines()
        return _loaded(weights, every, marks, intents)
    except (OSError, SafetensorError, UnicodeError, KeyError, IndexError, ValueError, RuntimeError) as error:
        raise DescriptionError(
            f"there is no all-MiniLM-L6-v2: {error}; it is {WEIGHTS} and {VOCABULARY}, as published",
            file=str(minilm),
        ) from error


def _loaded(
    weights: Mapping[str, Tensor], every: Sequence[str], marks: Sequence[str], intents: int
) -> tuple[Network, Pieces]:
    kept = [place for place, piece in enumerate(every) if _is_needed(piece)]
    plain = Pieces([every[place] for place in kept])
    words = weights["embeddings.word_embeddings.weight"][kept]
    of_marks = [plain.of(mark.strip("<>").split(), MOST_PIECES)[1:-1] for mark in marks]
    meanings = [words[places].mean(0, keepdim=True) for places in of_marks]
    network = Network(len(kept) + len(marks), intents)
    places = weights["embeddings.position_embeddings.weight"][:MOST_PIECES]
    loaded = {
        "pieces.weight": torch.cat([words, *meanings]),
        "places.weight": places + weights["embeddings.token_type_embeddings.weight"][0],
        "embedded.weight": weights["embeddings.LayerNorm.weight"],
        "embedded.bias": weights["embeddings.LayerNorm.bias"],
        "intents.weight": network.intents.weight,
        "intents.bias": network.intents.bias,
    }
    for layer in range(_LAYERS):
        for part, name in _PARTS.items():
            for which in ("weight", "bias"):
                loaded[f"layers.{layer}.{part}.{which}"] = weights[f"encoder.layer.{layer}.{name}.{which}"]
    network.load_state_dict(loaded)
    return network, Pieces([*plain.names, *marks])


def _is_needed(piece: str) -> bool:
    bare = piece.removeprefix(GOES_ON)
    return piece in (BEGIN, END, UNKNOWN) or (bare.isascii() and (bare.isalpha() or len(bare) == 1))


def finetuned(minilm: Path, texts: Sequence[Text], intents: int, seed: int = 0) -> tuple[Network, Pieces]:
    """A network that has learnt what these texts are for. intents: how many there are.

    minilm: see `pretrained`, which may raise DescriptionError.
    """
    torch.manual_seed(seed)
    draw = random.Random(seed)
    marks = sorted({word for words, _ in texts for word in words if is_mark(word)})
    network, pieces = pretrained(minilm, marks, intents)
    steps = max(1, round(_TIMES * len(texts) / _AT_ONCE))
    learner, rate = _learner(network, steps)
    network.train()
    batches = _batches(texts, draw)
    for _ in track(range(steps), "fine-tuning", console=Console(stderr=True)):
        some = next(batches)
        given, is_there = _padded([pieces.of(_mistyped(words, draw), MOST_PIECES) for words, _ in some])
        wanted = torch.tensor([intent for _, intent in some])
        loss = nn.functional.cross_entropy(network(given, is_there), wanted, label_smoothing=_SMOOTHED)
        if not torch.isfinite(loss):
            raise DescriptionError("what is learnt from makes numbers without bounds: no such step helps")
        learner.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        learner.step()
        rate.step()
    return network.eval(), pieces


def write(network: Network, rest: Rest, file: Path) -> None:
    """Quantized to eight bits, with what stands beside the weights."""
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.onnx", Path(folder) / "small.onnx"
        torch.onnx.export(
            network,
            (torch.zeros((1, 8), dtype=torch.long),),
            str(whole),
            input_names=["pieces"],
            output_names=["intents"],
            dynamic_axes={"pieces": {1: "count"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(
            whole,
            small,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Gather", "Gemm"],
            per_channel=True,
            reduce_range=True,
        )
        model = onnx.load(small)
        onnx.helper.set_model_props(model, {KEY: msgspec.json.encode(rest).decode()})
        onnx.save(model, file)


def _learner(network: Network, steps: int) -> tuple[torch.optim.Optimizer, Any]:
    """What changes the weights, and how fast: warming up, then ever slower until the last step."""
    fresh = {id(each) for each in network.intents.parameters()}
    slow = {id(each) for each in (network.pieces.weight, network.places.weight)}
    groups: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for each in network.parameters():
        groups[2 if id(each) in fresh else 1 if id(each) in slow else 0].append(each)
    learner = torch.optim.AdamW(
        [{"params": group, "lr": rate} for group, rate in zip(groups, _RATES, strict=True)]
    )
    return learner, torch.optim.lr_scheduler.LambdaLR(
        learner, lambda step: min(1.0, (step + 1) / (_WARMING * steps)) * max(0.0, 1.0 - step / steps)
    )


def _batches(texts: Sequence[Text], draw: random.Random) -> Iterator[Sequence[Text]]:
    """So many at once, of about the same length, all of them again and again."""
    while True:
        order = draw.sample(texts, len(texts))
        for first in range(0, len(order), 8 * _AT_ONCE):
            alike = sorted(order[first : first + 8 * _AT_ONCE], key=lambda text: len(text[0]))
            batches = [alike[at : at + _AT_ONCE] for at in range(0, len(alike), _AT_ONCE)]
            yield from draw.sample(batches, len(batches))


def _padded(several: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    most = max(map(len, several))
    given = torch.tensor([[*each, *[0] * (most - len(each))] for each in several])
    is_there = torch.tensor([[at < len(each) for at in range(most)] for each in several])
    return given, is_there


def _mistyped(words: Sequence[str], draw: random.Random) -> list[str]:
    """Now and then two letters in the wrong order, one too few or another one; now and then a word less."""
    found = list(words)
    if found and draw.random() < _MISTYPED:
        at = draw.randrange(len(found))
        word = found[at]
        if not is_mark(word) and len(word) > 3:
            place = draw.randrange(1, len(word) - 1)
            begin, letter, end = word[:place], word[place], word[place + 1 :]
            swapped, fewer = begin + end[0] + letter + end[1:], begin + end
            found[at] = draw.choice((swapped, fewer, begin + draw.choice(_LETTERS) + end))
    if len(found) > 4 and draw.random() < _LEFT_OUT:
        del found[draw.randrange(len(found))]
    return found
