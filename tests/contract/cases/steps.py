"""A layer that reads each step of a sequence, here words of sentences."""

import functools
from typing import Any

import keras
import numpy as np

from keras_attn import (
    GRU,
    LSTM,
    RNN,
    Elman,
    GRUCell,
    Jordan,
    OrthogonalCell,
    SimpleRNN,
    TimeDistributed,
)
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.oracles import recurrent as oracles

FORMULAS = {
    LSTM: oracles.lstm,
    GRU: oracles.gru,
    SimpleRNN: functools.partial(oracles.elman, activation="tanh"),
    Elman: functools.partial(oracles.elman, activation="sigmoid"),
    Jordan: functools.partial(oracles.jordan, activation="tanh", output_activation="sigmoid"),
    OrthogonalCell: functools.partial(oracles.orthogonal, activation="tanh"),
    GRUCell: oracles.gru,
}
STATES = {LSTM: 2}
INITIALIZER = {"recurrent_initializer": "glorot_uniform"}  # bfloat16 has no orthogonal one
WORDS = {"return_sequences": True, **INITIALIZER}


def of_steps(layer, x):
    options = {"mask": x["mask"]} if "mask" in x else {}
    return layer(x["inputs"], **options)


def oracle(weights, x, arguments):
    """Each sentence on its own, in both directions if the layer has two."""
    layer, words, keep = arguments["layer"], x["inputs"], x["mask"]
    actual = [read(layer, weights, words[:, s], keep[:, s]) for s in range(words.shape[1])]
    return [np.stack(actual, axis=1)]


def read(layer, weights, words, keep):
    if isinstance(layer, keras.layers.Bidirectional):
        half = len(weights) // 2
        forward = recur(layer.forward_layer, weights[:half], words, keep)
        backward = recur(layer.backward_layer, weights[half:], words, keep, True)[:, ::-1]
        return np.where(keep[..., None], forward + backward, 0)  # as Keras asks its layers to
    return recur(layer, weights, words, keep)


def recur(layer, weights, words, keep, backwards=False):
    kind = type(layer.cell) if type(layer) is RNN else type(layer)
    zeros = [np.zeros((len(words), 19))] * STATES.get(kind, 1)
    return oracles.run(FORMULAS[kind](*weights), words, zeros, keep, backwards)[0]


def layer(made: keras.layers.Layer) -> dict[str, Any]:
    return {"layer": made}


def both_ways(made: keras.layers.Layer) -> dict[str, Any]:
    return layer(keras.layers.Bidirectional(made, merge_mode="sum"))


CASES = [
    Case(
        TimeDistributed,
        arguments=lambda: layer(LSTM(19, **WORDS)),
        variants={
            "GRU": lambda: layer(GRU(19, **WORDS)),
            "SimpleRNN": lambda: layer(SimpleRNN(19, **WORDS)),
            "Elman": lambda: layer(Elman(19, "sigmoid", **WORDS)),
            "Jordan": lambda: layer(Jordan(23, 19, output_activation="sigmoid", **WORDS)),
            "orthogonal": lambda: layer(
                RNN(OrthogonalCell(19, activation="tanh"), return_sequences=True)
            ),
            "RNN": lambda: layer(RNN(GRUCell(19, **INITIALIZER), return_sequences=True)),
            "both ways": lambda: both_ways(LSTM(19, **WORDS)),
            "GRU, both ways": lambda: both_ways(GRU(19, **WORDS)),
        },
        inputs={"inputs": floats("BTSD"), "mask": mask("BTS")},
        outputs={"y": "BTSU"},
        call=of_steps,
        oracle=oracle,
        keras=lambda: keras.layers.TimeDistributed(keras.layers.LSTM(19, return_sequences=True)),
        masks={"mask": ("inputs",)},
        implicit={"mask": "inputs"},
        passes_on="mask",
        zero_when_masked={"mask": ("y",)},
        causal=Mode(inputs=("inputs",)),
        other_ranks=Ranks("the layer within decides", within="sequences"),
        integers={"inputs": "ids are for an embedding"},
        not_applicable={"maps": "has no attention weights"},
    ),
]
