"""LSTM and GRU beside their peers: a forward pass and a train step, in one run.

    python -m benchmarks.recurrent --out recurrent.json

Contenders: ours, `keras.layers`, each with and without XLA, and PyTorch where it is installed.
A train step is the forward pass, a loss and the gradients of weights and inputs.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import os
from collections.abc import Iterator
from itertools import product
from typing import Any

import keras
import numpy as np

from benchmarks.command import main
from benchmarks.contenders import compiled_layer
from keras_attn.recurrent.gru import GRU
from keras_attn.recurrent.lstm import LSTM
from zoo.bench.timing import Contender, Result, best, compare, take_turns

SIZES = [(32, 100, 256, 512), (32, 100, 64, 128), (32, 100, 64, 64), (32, 100, 64, 48)]
LAYERS = {
    "lstm": (LSTM, keras.layers.LSTM, {}),
    "gru": (GRU, keras.layers.GRU, {"reset_after": False}),
    "gru_reset_after": (GRU, keras.layers.GRU, {"reset_after": True}),
}


def call(layer: Any, x: Any, training: bool) -> Any:
    return layer(x, training=training)


def torch_contenders(kind: str, units: int, x: np.ndarray) -> dict[str, Contender]:
    """PyTorch's own layer; its GRU has the reset gate after the matrix only."""
    import torch

    torch.set_num_threads(os.cpu_count() or 1)
    layer = {"lstm": torch.nn.LSTM, "gru_reset_after": torch.nn.GRU}[kind](
        x.shape[-1], units, batch_first=True
    )
    inputs = torch.tensor(x, requires_grad=True)

    def forward() -> Any:
        with torch.no_grad():
            return layer(inputs)[0]

    def train() -> Any:
        layer.zero_grad()
        inputs.grad = None
        layer(inputs)[0].square().mean().backward()

    return {"forward": forward, "train": train}


def contenders(kind: str, units: int, x: np.ndarray) -> dict[str, dict[str, Contender]]:
    ours, theirs, arguments = LAYERS[kind]
    found: dict[str, dict[str, Contender]] = {}
    for name, layer in (("ours", ours), ("keras", theirs)):
        for xla in (False, True):
            label = f"{name}{' xla' if xla else ''}"
            made = layer(units, return_sequences=True, **arguments)
            found[label] = compiled_layer(made, call, x, xla)
    if kind != "gru":
        try:
            found["torch"] = torch_contenders(kind, units, x)
        except ImportError:
            pass
    return found


def run(quick: bool = False) -> Iterator[Result]:
    sizes, turns = ([(3, 7, 5, 11)], 3) if quick else (SIZES, 9)
    for (rows, length, width, units), kind in product(sizes, LAYERS):
        x = np.random.default_rng(0).normal(size=(rows, length, width)).astype("float32")
        runs = contenders(kind, units, x)
        for what in ("forward", "train"):
            seconds = take_turns({name: run[what] for name, run in runs.items()}, turns)
            ours = best(seconds, "ours", "ours xla")
            versus = {
                "keras / ours": ("keras", "ours"),
                "keras xla / ours xla": ("keras xla", "ours xla"),
                "best keras / best ours": (best(seconds, "keras", "keras xla"), ours),
                "torch / best ours": ("torch", ours),
            }
            name = f"{kind} {what}, {rows} x {length} x {width} -> {units}"
            yield Result(name, seconds, compare(seconds, versus))


if __name__ == "__main__":
    main({"recurrent": run}, __doc__.splitlines()[0])
