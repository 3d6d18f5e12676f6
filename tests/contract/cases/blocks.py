"""Blocks, and the dropout in them."""

import keras
import numpy as np

from keras_attn import DecoderBlock, Dropout, EncoderBlock, FeedForward, ShawPositions
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.contract.cases.attention import oracle_of
from tests.oracles import blocks as oracles

BY_ITSELF = "positions are computed independently, and the mask is passed on"
EACH_ALONE = dict.fromkeys(("masked", "all masked", "NaN behind the mask", "neighbours"), BY_ITSELF)
EACH_ALONE["maps"] = "has no attention weights"
NO_BLOCKS = "Keras has no Transformer blocks"


def block_arguments():
    return {
        "num_heads": 2,
        "intermediate_dim": 29,
        "key_dim": 13,
        "activation": "gelu",
        "dropout": 0.3,
        "attention_dropout": 0.2,
        "activation_dropout": 0.1,
        "pre_norm": True,
        "epsilon": 0.01,
        "kernel_initializer": "he_normal",
        "residual_initializer": "lecun_normal",
        "position": None,
        "num_key_value_heads": None,
        "sliding_window": None,
    }


VARIANTS = {
    "default": {"activation": "relu", "pre_norm": False},
    "rotary": {
        "activation": "glu",
        "key_dim": 14,
        "position": "rotary",
        "num_key_value_heads": 1,
        "sliding_window": 3,
    },
    "shaw": lambda: {"position": ShawPositions(2)},
}


def of_attention(a):
    """What the oracle of an attention needs to know of a block."""
    position = None if a["position"] is None else oracle_of(a["position"])
    return {name: a[name] for name in ("num_key_value_heads", "sliding_window")} | {
        "position": position
    }


def encode(layer, x, **options):
    masks = {name: x[name] for name in ("padding_mask", "attention_mask") if name in x}
    return layer(x["sequence"], **masks, **options)


def encoder_oracle(weights, x, a):
    length = x["sequence"].shape[1]
    seen = np.broadcast_to(x.get("attention_mask", True), (len(x["sequence"]), length, length))
    seen = seen & x["padding_mask"][:, None, :]
    sequence = np.where(x["padding_mask"][..., None], x["sequence"], 0)
    how = (a["activation"], a["pre_norm"], a["epsilon"])
    return oracles.encoder_block(weights, sequence, seen, *how, **of_attention(a))


def decode(layer, x, **options):
    masks = {name: x[name] for name in ("padding_mask", "memory_mask") if name in x}
    return layer(x["sequence"], x["memory"], **masks, **options)


def decoder_oracle(weights, x, a):
    how = (a["activation"], a["pre_norm"], a["epsilon"])
    return oracles.decoder_block(weights, *x.values(), *how, **of_attention(a))


CASES = [
    Case(
        Dropout,
        arguments=lambda: {"rate": 0.3, "noise_shape": (None, 1, None), "seed": 5},
        variants={"default": {"noise_shape": None}},
        inputs={"x": floats("BTD")},
        outputs={"y": "BTD"},
        call=lambda layer, x: layer(x["x"]),
        oracle=lambda weights, x, a: x["x"],  # when nothing is dropped; the rest: test_dropout.py
        keras=lambda: keras.layers.Dropout(0.3),
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        other_ranks=Ranks("drops elements", fewer=True, extra_at=1, variant="default"),
        not_applicable=EACH_ALONE,
    ),
    Case(
        FeedForward,
        arguments=lambda: {
            "intermediate_dim": 29,
            "activation": "gelu",
            "dropout": 0.3,
            "kernel_initializer": "he_normal",
            "residual_initializer": "lecun_normal",
        },
        variants={"default": {"activation": "relu"}, "glu": {"activation": "glu"}},
        inputs={"x": floats("BTD")},
        outputs={"y": "BTD"},
        call=lambda layer, x: layer(x["x"]),
        oracle=lambda weights, x, a: oracles.feed_forward(weights, x["x"], a["activation"]),
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        other_ranks=Ranks("computes positions independently", fewer=True, extra_at=1),
        not_applicable={"keras layer": NO_BLOCKS, **EACH_ALONE},
    ),
    Case(
        EncoderBlock,
        arguments=block_arguments,
        variants=VARIANTS,
        inputs={
            "sequence": floats("BTD"),
            "padding_mask": mask("BT"),
            "attention_mask": mask("BTT"),
        },
        outputs={"y": "BTD"},
        call=encode,
        oracle=encoder_oracle,
        masks={"padding_mask": ("sequence",), "attention_mask": ("sequence",)},
        implicit={"padding_mask": "sequence"},
        passes_on="padding_mask",
        maps=Mode(lambda layer, x: encode(layer, x, return_attention_scores=True)),
        maps_axes="BHTT",
        hard_scales={"sequence": 30.0},
        causal=Mode(lambda layer, x: encode(layer, x, use_causal_mask=True), inputs=("sequence",)),
        not_applicable={"keras layer": NO_BLOCKS},
    ),
    Case(
        DecoderBlock,
        arguments=block_arguments,
        variants=VARIANTS,
        inputs={
            "sequence": floats("BTD"),
            "memory": floats("BSW"),
            "padding_mask": mask("BT"),
            "memory_mask": mask("BS"),
        },
        outputs={"y": "BTD"},
        call=decode,
        oracle=decoder_oracle,
        masks={"padding_mask": ("sequence",), "memory_mask": ("memory",)},
        implicit={"padding_mask": "sequence", "memory_mask": "memory"},
        passes_on="padding_mask",
        causal=Mode(inputs=("sequence",)),
        maps=Mode(lambda layer, x: decode(layer, x, return_attention_scores=True)),
        maps_axes="BHTT BHTS",
        hard_scales={"sequence": 30.0},
        not_applicable={"keras layer": NO_BLOCKS},
    ),
]
