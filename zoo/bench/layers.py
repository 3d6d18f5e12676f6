"""Layers beside those of Keras and PyTorch: a training step and a forward pass, in turns."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.recurrent.gru import GRU
from keras_attn.recurrent.lstm import LSTM
from zoo.bench.timing import Contender, Result, best, compare, take_turns

HEADS = 8
OURS, KERAS, TORCH = "keras-attn", "keras.layers", "torch"
STEP, FORWARD = "training step", "forward pass"


def layers(rows: int, length: int, units: int, turns: int) -> Iterator[Result]:
    """The times of LSTM, GRU and attention, as `train_on_batch` and `predict_on_batch` run them.

    Args:
        rows: Rows of a batch.
        length: Length of sequences.
        units: Width of inputs and outputs, which 8 divides.
        turns: Turns.
    """
    x = np.random.default_rng(0).normal(size=(rows, length, units)).astype("float32")
    recurrent = {"return_sequences": True}
    kinds: dict[str, tuple[Callable[[], Any], Callable[[], Any], bool]] = {
        "LSTM": (
            lambda: LSTM(units, **recurrent),
            lambda: keras.layers.LSTM(units, **recurrent),
            False,
        ),
        "GRU": (
            lambda: GRU(units, **recurrent),
            lambda: keras.layers.GRU(units, **recurrent),
            False,
        ),
        "MultiHeadAttention": (
            lambda: MultiHeadAttention(HEADS, units // HEADS),
            lambda: keras.layers.MultiHeadAttention(HEADS, units // HEADS),
            True,
        ),
    }
    for name, (ours, theirs, attends) in kinds.items():
        made: dict[str, dict[str, Contender]] = {}
        for who, layer in ((OURS, ours), (KERAS, theirs)):
            for xla in _choices():
                made[f"{who}{', XLA' if xla else ''}"] = _runs(layer(), attends, x, xla)
        if (torch := _of_torch(name, units, x)) is not None:
            made[TORCH] = torch
        for what in (STEP, FORWARD):
            seconds = take_turns({who: runs[what] for who, runs in made.items()}, turns)
            own = best(seconds, *(who for who in seconds if who.startswith(OURS)))
            peer = best(seconds, *(who for who in seconds if who.startswith(KERAS)))
            versus = {f"{KERAS} / {OURS}, each at its best": (peer, own)}
            versus |= {f"{TORCH} / {OURS}": (TORCH, own)}
            title = f"{name} of {units} units, {what} of {rows} x {length}"
            yield Result(title, seconds, compare(seconds, versus))


def _choices() -> tuple[bool, ...]:
    """Whether XLA compiles: both with TensorFlow; JAX always does, and PyTorch never."""
    return {"tensorflow": (False, True), "jax": (True,)}.get(keras.backend.backend(), (False,))


def _runs(layer: Any, attends: bool, x: np.ndarray, xla: bool) -> dict[str, Contender]:
    inputs = keras.Input(x.shape[1:])
    model = keras.Model(inputs, layer(inputs, inputs) if attends else layer(inputs))
    model.compile("sgd", "mse", jit_compile=xla)
    zeros = np.zeros_like(x)
    return {
        STEP: lambda: model.train_on_batch(x, zeros),
        FORWARD: lambda: model.predict_on_batch(x),
    }


def _of_torch(name: str, units: int, x: np.ndarray) -> dict[str, Contender] | None:
    """PyTorch's own layer, without its optimizer; None if it is not installed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(os.cpu_count() or 1)
    made = {
        "LSTM": lambda: torch.nn.LSTM(units, units, batch_first=True),
        "GRU": lambda: torch.nn.GRU(units, units, batch_first=True),
        "MultiHeadAttention": lambda: torch.nn.MultiheadAttention(units, HEADS, batch_first=True),
    }
    layer, inputs = made[name](), torch.tensor(x, requires_grad=True)

    given = [inputs] * (3 if name == "MultiHeadAttention" else 1)

    def call() -> Any:
        return layer(*given)[0]

    def forward() -> None:
        with torch.no_grad():
            call()

    def step() -> None:
        layer.zero_grad()
        inputs.grad = None
        call().square().mean().backward()

    return {STEP: step, FORWARD: forward}
