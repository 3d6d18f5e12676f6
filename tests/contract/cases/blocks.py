"""Blocks, and the dropout in them."""

import keras
import numpy as np

from keras_attn import (
    DecoderBlock,
    Dropout,
    EncoderBlock,
    FeedForward,
    HeadDiversity,
    LinearAttention,
    LocalAttention,
    MultiHeadAttention,
    RandomFeatureAttention,
    RMSNormalization,
    ShawPositions,
)
from keras_attn.attention.scores import Additive
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.contract.cases.attention import oracle_of
from tests.oracles import attention, other_attention
from tests.oracles import blocks as oracles

BY_ITSELF = "positions are computed independently, and the mask is passed on"
EACH_ALONE = dict.fromkeys(("masked", "all masked", "NaN behind the mask", "neighbours"), BY_ITSELF)
EACH_ALONE["maps"] = "has no attention weights"
NO_WEIGHTS = "the attention weights are never computed, only sums over the keys"
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
        "aggregate": "project",
        "tie_key_value": False,
        "score": "scaled_dot",
        "normalizer": "softmax",
        "attention_regularizer": None,
        "attention_bias": True,
        "attention": None,
        "feed_forward": None,
        "normalization": "layer",
        "output_norm": False,
        "first_norm": True,
    }


def norms_of(arguments):
    """Which normalizations there are, as the oracles take it."""
    return {name: arguments[name] for name in ("output_norm", "first_norm")}


def given_arguments(kind=None, options=None):
    """Sublayers, of which a block makes copies, instead of `block_arguments`."""
    options = {"num_heads": 2, "key_dim": 13, **(options or {})}
    return {
        "attention": None if kind is None else kind(**options),
        "feed_forward": FeedForward(29, "swiglu", use_bias=False),
        "normalization": "rms",
        "pre_norm": True,
    }


def given_to_encoder():
    """The arguments that sublayers replace, back to their defaults."""
    replaced = dict.fromkeys(("num_heads", "key_dim", "intermediate_dim"))
    attention = MultiHeadAttention(2, 13, name="attention")
    return replaced | given_arguments() | {
        "attention": attention,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
        "activation": "relu",
        "epsilon": 1e-6,
    }  # fmt: skip


def given_to_decoder():
    return given_to_encoder() | {"num_heads": 2, "key_dim": 13}


VARIANTS = {
    "default": {"activation": "relu", "pre_norm": False},
    "rotary": {
        "activation": "glu",
        "key_dim": 14,
        "position": "rotary",
        "num_key_value_heads": 1,
        "sliding_window": 3,
    },
    "norms": {"output_norm": True, "first_norm": False},
    "shaw": lambda: {"position": ShawPositions(2)},
    "mean": {
        "aggregate": "mean",
        "score": "general",
        "normalizer": "sparsemax",
        "attention_bias": False,
    },
    "tied": lambda: {
        "tie_key_value": True,
        "score": Additive(),
        "normalizer": "entmax15",
        "attention_regularizer": HeadDiversity(0.1),
    },
}


def attend_like(layer, x, weights, hidden, causal):
    """What the self-attention of a block gives, by the oracle of its layer."""
    seen = x["padding_mask"]
    if isinstance(layer, LinearAttention):
        return other_attention.linear(weights, hidden, hidden, None, None, seen, causal)
    t, s = np.indices((hidden.shape[1],) * 2)
    near = (np.abs(t - s) <= getattr(layer, "window", len(t))) & ((s <= t) | (not causal))
    return attention.multi_head(weights, hidden, hidden, mask=near & seen[:, None, :])[0]


def given_oracle(causal):
    """The block with the sublayers of `given_arguments`."""

    def oracle(weights, x, a):
        sequence = np.where(x["padding_mask"][..., None], x["sequence"], 0)
        to_memory = None
        if "memory" in x:
            memory = np.where(x["memory_mask"][..., None], x["memory"], 0)
            mask = np.broadcast_to(
                x["memory_mask"][:, None], (*sequence.shape[:2], memory.shape[1])
            )

            def to_memory(weights, hidden):
                return attention.multi_head(weights, hidden, memory, mask=mask)[0]

        def attend(weights, hidden):
            return attend_like(a["attention"], x, weights, hidden, causal)

        return oracles.given_sublayers(weights, sequence, attend, to_memory, "swiglu", True, False)

    return oracle


def of_attention(a):
    """What the oracle of an attention needs to know of a block."""
    position = None if a["position"] is None else oracle_of(a["position"])
    names = ("num_key_value_heads", "sliding_window", "aggregate", "tie_key_value", "normalizer")
    score = "additive" if isinstance(a["score"], Additive) else a["score"]
    own = {"position": position, "score": score, "use_bias": a["attention_bias"]}
    return {name: a[name] for name in names} | own


def encode(layer, x, **options):
    masks = {name: x[name] for name in ("padding_mask", "attention_mask") if name in x}
    return layer(x["sequence"], **masks, **options)


def encode_causally(layer, x):
    return encode(layer, x, use_causal_mask=True)


def encoder_oracle(weights, x, a):
    if a["attention"] is not None:
        seen = np.broadcast_to(
            x["attention_mask"], (len(x["sequence"]), *x["attention_mask"].shape[-2:])
        )
        seen = seen & x["padding_mask"][:, None, :]
        sequence = np.where(x["padding_mask"][..., None], x["sequence"], 0)

        def attend(weights, hidden):
            return attention.multi_head(weights, hidden, hidden, mask=seen)[0]

        return oracles.given_sublayers(weights, sequence, attend, None, "swiglu", True, False)
    length = x["sequence"].shape[1]
    seen = np.broadcast_to(x.get("attention_mask", True), (len(x["sequence"]), length, length))
    seen = seen & x["padding_mask"][:, None, :]
    sequence = np.where(x["padding_mask"][..., None], x["sequence"], 0)
    how = (a["activation"], a["pre_norm"], a["epsilon"])
    return oracles.encoder_block(weights, sequence, seen, *how, **norms_of(a), **of_attention(a))


def decode(layer, x, **options):
    masks = {name: x[name] for name in ("padding_mask", "memory_mask") if name in x}
    return layer(x["sequence"], x["memory"], **masks, **options)


def decoder_oracle(weights, x, a):
    if a["attention"] is not None:
        return given_oracle(causal=True)(weights, x, a)
    how = (a["activation"], a["pre_norm"], a["epsilon"])
    return oracles.decoder_block(weights, *x.values(), *how, **norms_of(a), **of_attention(a))


def rms_oracle(scale, x, a):
    axes = tuple(np.atleast_1d(a["axis"]))
    mean = (x**2).mean(axes, keepdims=True)
    return x * scale / np.sqrt(mean + a["epsilon"])


TO_MEMORY = {
    "sequence": floats("BTD"),
    "memory": floats("BSW"),
    "padding_mask": mask("BT"),
    "memory_mask": mask("BS"),
}
MAPS = {
    "maps": Mode(lambda layer, x: encode(layer, x, return_attention_scores=True)),
    "maps_axes": "BHTT",
    "not_applicable": {"keras layer": NO_BLOCKS},
}
NO_MAPS = {"not_applicable": {"keras layer": NO_BLOCKS, "maps": NO_WEIGHTS}}

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
            "use_bias": False,
        },
        variants={
            "default": {"activation": "relu", "use_bias": True},
            **{name: {"activation": name} for name in ("glu", "swiglu", "geglu")},
            # With biases, since the converter takes no exact GELU of what has another one.
            "geglu_tanh": {"activation": "geglu_tanh", "use_bias": True},
        },
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
        RMSNormalization,
        arguments=lambda: {"axis": [-1], "epsilon": 0.01},
        variants={"default": {"axis": -1, "epsilon": 1e-6}, "two axes": {"axis": [-2, -1]}},
        inputs={"x": floats("BKD")},
        outputs={"y": "BKD"},
        call=lambda layer, x: layer(x["x"]),
        oracle=lambda weights, x, a: rms_oracle(weights[0], x["x"], a),
        keras=lambda: keras.layers.RMSNormalization(epsilon=0.01),
        implicit={"mask": "x"},
        passes_on="mask",
        hard_scales={"x": 300.0},
        other_ranks=Ranks("normalizes the last axis", fewer=True, extra_at=1, variant="default"),
        not_applicable={**EACH_ALONE, "length 0": "has no time axis", "causal": "has no time axis"},
    ),
    Case(
        EncoderBlock,
        arguments=block_arguments,
        variants=VARIANTS | {"sublayers": given_to_encoder},
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
    *(
        Case(
            EncoderBlock,
            title=f"EncoderBlock of {kind.__name__}",
            arguments=lambda kind=kind, options=options: given_arguments(kind, options),
            inputs={"sequence": floats("BTD"), "padding_mask": mask("BT")},
            outputs={"y": "BTD"},
            call=encode_causally if is_causal else encode,
            oracle=given_oracle(is_causal),
            masks={"padding_mask": ("sequence",)},
            implicit={"padding_mask": "sequence"},
            passes_on="padding_mask",
            causal=Mode(encode_causally),
            hard_scales={"sequence": 30.0},
            **maps,
        )
        for kind, options, is_causal, maps in (
            (LocalAttention, {"window": 2}, False, MAPS),
            (LinearAttention, {}, True, NO_MAPS),
            (RandomFeatureAttention, {"num_features": 29, "seed": 7}, False, NO_MAPS),
        )
    ),
    Case(
        DecoderBlock,
        title="DecoderBlock of LocalAttention",
        arguments=lambda: {
            "num_heads": 2,
            "key_dim": 13,
            **given_arguments(LocalAttention, {"window": 2}),
        },
        variants={
            "linear": lambda: given_arguments(LinearAttention),
            "random features": lambda: given_arguments(RandomFeatureAttention),
        },
        inputs=TO_MEMORY,
        outputs={"y": "BTD"},
        call=decode,
        oracle=given_oracle(causal=True),
        masks={"padding_mask": ("sequence",), "memory_mask": ("memory",)},
        implicit={"padding_mask": "sequence", "memory_mask": "memory"},
        passes_on="padding_mask",
        causal=Mode(inputs=("sequence",)),
        maps=Mode(lambda layer, x: decode(layer, x, return_attention_scores=True)),
        maps_axes="BHTT BHTS",
        hard_scales={"sequence": 30.0},
        not_applicable={"keras layer": NO_BLOCKS},
    ),
    Case(
        DecoderBlock,
        arguments=block_arguments,
        variants=VARIANTS | {"sublayers": given_to_decoder},
        inputs=TO_MEMORY,
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
