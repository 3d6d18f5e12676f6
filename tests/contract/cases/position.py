"""Positions."""

import numpy as np
from keras import ops

from keras_attn import (
    AlibiBias,
    LearnedPositions,
    RotaryPositions,
    ShawPositions,
    SinusoidalPositions,
)
from tests.contract.case import Case, Mode, Ranks, floats
from tests.oracles import position as oracles

NO_MASK = "positions are computed independently, and the mask is passed on"
LEADING = Ranks("positions run along the last axis but one", fewer=True, extra_at=1)
INSIDE = "used inside an attention layer, which handles masks and attention maps"
NOT_BY_ITSELF = {
    "masked": INSIDE,
    "all masked": INSIDE,
    "NaN behind the mask": INSIDE,
    "implicit mask": INSIDE,
    "neighbours": INSIDE,
    "maps": INSIDE,
}


def rotate(layer, x):
    """Two inputs of 13 features as one of 26, since pairs need an even width."""
    y = layer(ops.concatenate([x["first"], x["second"]], axis=-1), start_index=3)
    return ops.split(y, 2, axis=-1)


def rotated(weights, x, arguments):
    y = oracles.rotary(np.concatenate([x["first"], x["second"]], axis=-1), 3, **arguments)
    return np.split(y, 2, axis=-1)


def shaw(weights, x, arguments):
    of_keys, of_values = (oracles.shaw(table, *x["weights"].shape[2:], 3) for table in weights)
    change = np.einsum("bhtk,tsk->bhts", x["query"], of_keys)
    context = np.einsum("bhts,tsd->bhtd", x["weights"], of_values)
    return change, x["weights"] @ x["value"] + context


CASES = [
    Case(
        SinusoidalPositions,
        arguments=lambda: {"layout": "halves", "max_wavelength": 500},
        variants={"default": {"layout": "interleaved", "max_wavelength": 10000}},
        inputs={"x": floats("BTD")},
        outputs={"y": "BTD"},
        call=lambda layer, x: layer(x["x"], start_index=3),
        oracle=lambda weights, x, a: x["x"] + oracles.sinusoidal(*x["x"].shape[1:], 3, **a),
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        hard_sizes={"T": 521},  # bfloat16 cannot tell position 257 from 256
        other_ranks=LEADING,
        not_applicable={
            "keras layer": "Keras has no sinusoidal positions",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "NaN behind the mask": NO_MASK,
            "neighbours": NO_MASK,
            "maps": "has no attention weights",
        },
    ),
    Case(
        LearnedPositions,
        arguments=lambda: {"max_length": 17, "embeddings_initializer": "he_normal"},
        inputs={"x": floats("BTD")},
        outputs={"y": "BTD"},
        call=lambda layer, x: layer(x["x"], start_index=3),
        oracle=lambda weights, x, a: x["x"] + weights[0][3 : 3 + x["x"].shape[1]],
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        other_ranks=LEADING,
        not_applicable={
            "keras layer": "Keras has no learned positions",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "NaN behind the mask": NO_MASK,
            "neighbours": NO_MASK,
            "maps": "has no attention weights",
        },
    ),
    Case(
        RotaryPositions,
        arguments=lambda: {
            "layout": "halves",
            "max_wavelength": 500,
            "scaling": {"rope_type": "linear", "factor": 3.0},
        },
        variants={"default": {"layout": "interleaved", "max_wavelength": 10000, "scaling": None}},
        inputs={"first": floats("BTK"), "second": floats("BTK")},
        outputs={"first_rotated": "BTK", "second_rotated": "BTK"},
        call=rotate,
        oracle=rotated,
        causal=Mode(),
        hard_sizes={"T": 521},  # bfloat16 cannot tell position 257 from 256
        other_ranks=LEADING,
        not_applicable=NOT_BY_ITSELF | {"keras layer": "Keras has no rotary positions"},
    ),
    Case(
        AlibiBias,
        arguments=dict,
        inputs={"scores": floats("BHTS")},
        outputs={"biased": "BHTS"},
        call=lambda layer, x: layer(x["scores"], start_index=3),
        oracle=lambda weights, x, a: x["scores"] + oracles.alibi(*x["scores"].shape[1:], 3),
        output_dtype="float32",
        hard_sizes={"S": 521},
        not_applicable=NOT_BY_ITSELF
        | {
            "keras layer": "Keras has no ALiBi",
            "causal": "the attention layer applies the causal mask",
        },
    ),
    Case(
        ShawPositions,
        arguments=lambda: {"max_distance": 2},
        inputs={"query": floats("BHTK"), "weights": floats("BHTS"), "value": floats("BHSD")},
        outputs={"change": "BHTS", "context": "BHTD"},
        call=lambda layer, x: layer(x["query"], x["weights"], x["value"], start_index=3),
        oracle=shaw,
        not_applicable=NOT_BY_ITSELF
        | {
            "keras layer": "Keras has no relative positions",
            "causal": "the attention layer applies the causal mask",
        },
    ),
]
