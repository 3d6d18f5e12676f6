"""Every layer that Keras or KerasHub has too, beside it: a forward pass and a train step.

    python -m benchmarks.layers --out layers.json
    python -m benchmarks.layers Dropout DecoderBlock    # those alone

Each with and without XLA, in one run. LSTM and GRU, with PyTorch's, are in `benchmarks.recurrent`;
a Transformer made of blocks is in `benchmarks.transformer`.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import keras
import keras_hub
import numpy as np

import keras_attn
from benchmarks.command import main
from benchmarks.contenders import compiled_layer
from zoo.bench.timing import Result, best, compare, take_turns


def alone(layer: Any, x: Any, training: bool) -> Any:
    return layer(x, training=training)


def itself(layer: Any, x: Any, training: bool) -> Any:
    """An attention of a sequence to itself."""
    return layer(x, x, training=training)


def keras_itself(layer: Any, x: Any, training: bool) -> Any:
    """The same, of Keras's layers that take a list."""
    return layer([x, x], training=training)


def causal(layer: Any, x: Any, training: bool) -> Any:
    return layer(x, x, use_causal_mask=True, training=training)


def positions(layer: Any, x: Any, training: bool) -> Any:
    """KerasHub's position layers give the positions alone; ours add them."""
    return x + layer(x)


def without_training(layer: Any, x: Any, training: bool) -> Any:
    return layer(x)


@dataclass(frozen=True)
class Pair:
    """Ours and theirs, and the shape of the input they share; how each is called."""

    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    shape: tuple[int, ...]
    call: Callable = alone
    their_call: Callable | None = None


def pairs(rows: int, length: int, width: int) -> dict[str, Pair]:
    heads = 4
    shape, in_heads = (rows, length, width), width // heads
    many_heads = (rows, heads, length, in_heads)

    def ours(**options: Any) -> Any:
        return keras_attn.MultiHeadAttention(heads, in_heads, **options)

    def theirs() -> Any:
        return keras.layers.MultiHeadAttention(heads, in_heads)

    return {
        "Attention": Pair(
            lambda: keras_attn.Attention(score="dot"),
            keras.layers.Attention,
            shape,
            itself,
            keras_itself,
        ),
        "MultiHeadAttention": Pair(ours, theirs, shape, itself),
        "MultiHeadAttention, causal": Pair(ours, theirs, shape, causal),
        "MultiHeadAttention, grouped": Pair(
            lambda: ours(num_key_value_heads=2),
            lambda: keras.layers.GroupQueryAttention(in_heads, heads, 2),
            shape,
            itself,
        ),
        "Elman": Pair(
            lambda: keras_attn.Elman(width, return_sequences=True),
            lambda: keras.layers.SimpleRNN(width, return_sequences=True),
            shape,
        ),
        "Bidirectional LSTM": Pair(
            lambda: keras.layers.Bidirectional(keras_attn.LSTM(width, return_sequences=True)),
            lambda: keras.layers.Bidirectional(keras.layers.LSTM(width, return_sequences=True)),
            shape,
        ),
        "SinusoidalPositions": Pair(
            lambda: keras_attn.SinusoidalPositions("halves"),
            keras_hub.layers.SinePositionEncoding,
            shape,
            without_training,
            positions,
        ),
        "LearnedPositions": Pair(
            lambda: keras_attn.LearnedPositions(length),
            lambda: keras_hub.layers.PositionEmbedding(length),
            shape,
            without_training,
            positions,
        ),
        "RotaryPositions": Pair(
            lambda: keras_attn.RotaryPositions("halves"),
            lambda: keras_hub.layers.RotaryEmbedding(sequence_axis=2, feature_axis=-1),
            many_heads,
            without_training,
        ),
        "Dropout": Pair(lambda: keras_attn.Dropout(0.2), lambda: keras.layers.Dropout(0.2), shape),
        "EncoderBlock": Pair(
            lambda: keras_attn.EncoderBlock(heads, 4 * width),
            lambda: keras_hub.layers.TransformerEncoder(4 * width, heads),
            shape,
        ),
        "DecoderBlock": Pair(
            lambda: keras_attn.DecoderBlock(heads, 4 * width),
            lambda: keras_hub.layers.TransformerDecoder(4 * width, heads),
            shape,
            itself,
        ),
    }


QUICK, FULL = (2, 8, 8), (16, 128, 256)


def run(quick: bool = False, only: str | None = None) -> Iterator[Result]:
    turns = 3 if quick else 9
    for name, pair in pairs(*(QUICK if quick else FULL)).items():
        if only not in (None, name):
            continue
        x = np.random.default_rng(0).normal(size=pair.shape).astype("float32")
        contenders = {}
        for side in ("ours", "theirs"):
            theirs = side == "theirs"
            call = (theirs and pair.their_call) or pair.call
            for xla in (False, True):
                label = f"{side}{' xla' if xla else ''}"
                made = pair.theirs() if theirs else pair.ours()
                contenders[label] = compiled_layer(made, call, x, xla)
        for what in ("forward", "train"):
            seconds = take_turns({label: runs[what] for label, runs in contenders.items()}, turns)
            versus = {
                "theirs / ours": ("theirs", "ours"),
                "theirs xla / ours xla": ("theirs xla", "ours xla"),
                "best theirs / best ours": (
                    best(seconds, "theirs", "theirs xla"),
                    best(seconds, "ours", "ours xla"),
                ),
            }
            shape = " x ".join(map(str, pair.shape))
            yield Result(f"{name} {what}, {shape}", seconds, compare(seconds, versus))


if __name__ == "__main__":
    each = {name: functools.partial(run, only=name) for name in pairs(*FULL)}
    main(each, __doc__.splitlines()[0])
