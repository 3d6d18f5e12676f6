"""Attention layers."""

import keras
import numpy as np

from keras_attn import (
    Attention,
    General,
    HeadDiversity,
    MultiHeadAttention,
    RMSNormalization,
    RotaryPositions,
    ShawPositions,
)
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.oracles import attention as oracles

INPUTS = {
    "query": floats("BTD"),
    "value": floats("BSW"),
    "key": floats("BSD"),
    "attention_mask": mask("BTS"),
    "query_mask": mask("BT"),
    "value_mask": mask("BS"),
    "key_mask": mask("BS"),
}
MASKED = ("value", "key")
MASKS = {
    "attention_mask": MASKED,
    "query_mask": ("query",),
    "value_mask": MASKED,
    "key_mask": MASKED,
}
IMPLICIT = {"query_mask": "query", "value_mask": "value", "key_mask": "key"}


def call(layer, x, **options):
    masks = {name: x[name] for name in MASKS if name in x}
    return layer(x["query"], x["value"], x["key"], **masks, **options)


def causal(layer, x):
    return layer(x["query"], x["value"], x["key"], use_causal_mask=True)


def maps(layer, x):
    return call(layer, x, return_attention_scores=True)


def oracle_of(position):
    """The name and the arguments of a position scheme's oracle."""
    if isinstance(position, RotaryPositions):
        options = {"layout": position.layout, "max_wavelength": position.max_wavelength}
        return "rotary", options
    return ("shaw" if isinstance(position, ShawPositions) else position), {}


def oracle(formula, *names):
    """An oracle that joins the masks, and takes the arguments named."""

    def outputs(weights, x, arguments):
        joint = np.array(True)
        for name in MASKS:
            axis = {"query_mask": 2, "value_mask": 1, "key_mask": 1}.get(name)
            given = x[name] if name in x else np.array(True)
            joint = joint & (given if axis is None else np.expand_dims(given, axis))
        chosen = {name: arguments[name] for name in names}
        if chosen["score"] is None:
            chosen["score"] = f"mode_{arguments['score_mode']}"
        if not isinstance(chosen["score"], str):
            chosen["score"] = type(chosen["score"]).__name__.lower()
        if chosen.get("position") is not None:
            chosen["position"] = oracle_of(chosen["position"])
        with np.errstate(over="ignore"):  # exp of what the sigmoid takes to zero
            return formula(weights, x["query"], x["value"], x["key"], joint, **chosen)[0]

    return outputs


def attention(weights, *inputs, **arguments):
    return oracles.attention(*inputs, weights=weights, **arguments)


COMMON = {
    "call": call,
    "masks": MASKS,
    "implicit": IMPLICIT,
    "passes_on": "query_mask",
    "causal": Mode(causal),
    "maps": Mode(maps),
    "hard_scales": {"query": 30.0},
}

CASES = [
    Case(
        Attention,
        arguments=lambda: {
            "use_scale": False,
            "score_mode": "dot",
            "dropout": 0.3,
            "seed": 5,
            "score": "general",
            "normalizer": "sparsemax",
        },
        variants={
            "default": {"score": "scaled_dot", "normalizer": "softmax"},
            "additive": {"score": "additive", "normalizer": "entmax15"},
            "cosine": {"score": "cosine", "normalizer": "sigmoid"},
            "score layer": lambda: {"score": General(), "normalizer": "sigmoid"},
            "exp_dot": {"score": "exp_dot", "normalizer": "ratio"},
            "scale": {"score": None, "use_scale": True, "normalizer": "softmax"},
            "mode concat": {
                "score": None,
                "use_scale": True,
                "score_mode": "concat",
            },
            "mode additive": {
                "score": None,
                "use_scale": True,
                "score_mode": "additive",
                "normalizer": "softmax",
            },
        },
        inputs=INPUTS,
        outputs={"context": "BTW"},
        oracle=oracle(attention, "score", "normalizer"),
        keras=lambda: keras.layers.Attention(use_scale=True, score_mode="concat"),
        keras_call=lambda layer, x: layer(
            [x["query"], x["value"], x["key"]], mask=[x["query_mask"], x["value_mask"]]
        ),
        keras_inputs=("query", "value", "key", "query_mask", "value_mask"),
        keras_arguments={
            "score": None,
            "use_scale": True,
            "score_mode": "concat",
            "normalizer": "softmax",
        },
        zero_when_masked=dict.fromkeys(MASKS, ("context",)),
        other_ranks=Ranks("attends along the last axis but one", extra_at=1),
        maps_axes="BTS",
        **COMMON,
    ),
    Case(
        MultiHeadAttention,
        arguments=lambda: {
            "num_heads": 2,
            "key_dim": 13,
            "value_dim": 5,
            "dropout": 0.3,
            "use_bias": False,
            "output_shape": (19,),
            "attention_axes": (1,),
            "sliding_window": 5,
            "flash_attention": False,
            "kernel_regularizer": "l2",
            "bias_regularizer": "l1",
            "activity_regularizer": "l2",
            "kernel_constraint": "max_norm",
            "bias_constraint": "non_neg",
            "use_gate": True,
            "seed": 5,
            "aggregate": "project",
            "tie_key_value": False,
            "score": "additive",
            "normalizer": "entmax15",
            "position": None,
            "num_key_value_heads": None,
            "kernel_initializer": "he_normal",
            "output_kernel_initializer": "lecun_normal",
            "bias_initializer": "ones",
            "attention_regularizer": None,
            "use_output_bias": False,
            "query_key_normalization": None,
        },
        variants={
            "default": {
                "use_bias": True,
                "attention_axes": None,
                "sliding_window": None,
                "activity_regularizer": None,
                "use_gate": False,
                "score": "scaled_dot",
                "normalizer": "softmax",
                "use_output_bias": None,
            },
            "concat": {
                "output_shape": None,
                "output_kernel_initializer": None,
                "aggregate": "concat",
                "score": "dot",
                "use_bias": True,
            },
            "tied mean": {
                "output_shape": None,
                "output_kernel_initializer": None,
                "aggregate": "mean",
                "tie_key_value": True,
                "value_dim": None,
                "score": "exp_dot",
                "normalizer": "ratio",
            },
            "rotary grouped": lambda: {
                "key_dim": 14,
                "score": "scaled_dot",
                "normalizer": "softmax",
                "position": RotaryPositions("halves", 500),
                "num_key_value_heads": 1,
                "use_bias": True,
                "use_output_bias": False,
                "query_key_normalization": RMSNormalization(epsilon=1e-3),
            },
            "diverse heads": lambda: {
                "score": "scaled_dot",
                "attention_regularizer": HeadDiversity(0.2),
            },
            "alibi window": {
                "score": "scaled_dot",
                "position": "alibi",
                "sliding_window": 3,
            },
            "shaw": lambda: {
                "score": "scaled_dot",
                "normalizer": "softmax",
                "position": ShawPositions(2),
                "num_key_value_heads": 1,
            },
        },  # fmt: skip
        inputs=INPUTS | {"value": floats("BSD")},  # tied keys and values are equally wide
        outputs={"output": "BTU"},
        oracle=oracle(
            oracles.multi_head,
            "use_bias",
            "aggregate",
            "tie_key_value",
            "score",
            "normalizer",
            "position",
            "num_key_value_heads",
            "sliding_window",
            "use_gate",
            "use_output_bias",
            "query_key_normalization",
        ),
        keras=lambda: keras.layers.MultiHeadAttention(
            2, 13, output_shape=19, use_gate=True, attention_axes=1
        ),
        # Keras gives a query that may look nowhere the mean of all values, and on JAX takes
        # values and keys to be equally wide.
        keras_inputs=("query", "value", "key", "attention_mask", "value_mask", "key_mask"),
        keras_arguments={
            "value_dim": None,
            "sliding_window": None,
            "use_bias": True,
            "use_output_bias": None,
            "score": "scaled_dot",
            "normalizer": "softmax",
        },
        zero_when_masked=dict.fromkeys(MASKS, ("output",)),
        other_ranks=Ranks("attends along several axes", extra_at=2, variant="default"),
        maps_axes="BHTS",
        **COMMON,
    ),
]
