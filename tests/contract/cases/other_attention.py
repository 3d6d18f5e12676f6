"""Attention layers beside the plain ones: pooling, multi-step, linear, random-feature, local."""

import numpy as np

from keras_attn import (
    AttentionPooling,
    LinearAttention,
    LocalAttention,
    MultiStepAttention,
    RandomFeatureAttention,
)
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.oracles import attention, other_attention

NONE_IN_KERAS = "Keras has no equivalent layer"
NO_MAPS = "the attention weights are never computed, only sums over the keys"


def pool(layer, x, **options):
    return layer(x["sequence"], mask=x.get("mask"), **options)


def multi_step(layer, x, **options):
    names = ("state", "target_embedding", "memory", "source_embedding")
    masks = {n: x[n] for n in ("memory_mask", "source_embedding_mask") if n in x}
    return layer(*(x[name] for name in names), **masks, **options)


def multi_step_oracle(weights, x, a):
    *inputs, memory_mask, source_mask = x.values()
    seen = memory_mask & source_mask
    return other_attention.multi_step(weights, *inputs, seen, a["scale"])[0]


def attend(layer, x, **options):
    masks = {name: x[name] for name in MASKS if name in x}
    return layer(x["query"], x["value"], x["key"], **masks, **options)


def attend_causally(layer, x):
    return attend(layer, x, use_causal_mask=True)


def linear_oracle(causal):
    def oracle(weights, x, a):
        *inputs, query_mask, value_mask, key_mask = x.values()
        return other_attention.linear(
            weights, *inputs, query_mask, value_mask & key_mask, causal, a["use_bias"]
        )

    return oracle


def local_oracle(weights, x, a):
    *inputs, query_mask, value_mask, key_mask = x.values()
    positions = np.arange(inputs[0].shape[1])
    near = np.abs(positions[:, None] - positions) <= a["window"]
    seen = near & query_mask[:, :, None] & (value_mask & key_mask)[:, None, :]
    return attention.multi_head(weights, *inputs, seen, a["use_bias"])[0]


MASKS = {
    "query_mask": ("query",),
    "value_mask": ("value", "key"),
    "key_mask": ("value", "key"),
}
TO_ITSELF = {
    "query": floats("BTD"),
    "value": floats("BTW"),
    "key": floats("BTD"),
    "query_mask": mask("BT"),
    "value_mask": mask("BT"),
    "key_mask": mask("BT"),
}
TO_OTHERS = TO_ITSELF | {
    "value": floats("BSW"),
    "key": floats("BSD"),
    "value_mask": mask("BS"),
    "key_mask": mask("BS"),
}
IN_HEADS = {
    "num_heads": 2,
    "key_dim": 13,
    "use_bias": False,
    "output_shape": 19,
    "kernel_initializer": "he_normal",
    "output_kernel_initializer": "lecun_normal",
}
COMMON = {
    "outputs": {"output": "BTU"},
    "masks": MASKS,
    "implicit": {name: name.removesuffix("_mask") for name in MASKS},
    "passes_on": "query_mask",
    "zero_when_masked": dict.fromkeys(MASKS, ("output",)),
}

CASES = [
    Case(
        AttentionPooling,
        arguments=lambda: {"units": 13, "kernel_initializer": "he_normal"},
        variants={"default": {"units": None}},
        inputs={"sequence": floats("BTD"), "mask": mask("BT")},
        outputs={"pooled": "BD"},
        call=pool,
        oracle=lambda weights, x, a: other_attention.pooling(weights, *x.values())[0],
        masks={"mask": ("sequence",)},
        implicit={"mask": "sequence"},
        zero_when_masked={"mask": ("pooled",)},
        maps=Mode(lambda layer, x: pool(layer, x, return_attention_scores=True)),
        maps_axes="BT",
        other_ranks=Ranks("pools words and sentences", fewer=True, extra_at=1),
        not_applicable={
            "keras layer": NONE_IN_KERAS,
            "causal": "the layer reduces the whole sequence to one vector",
        },
    ),
    Case(
        MultiStepAttention,
        arguments=lambda: {"scale": True, "kernel_initializer": "he_normal"},
        variants={"default": {"scale": False}},
        inputs={
            "state": floats("BTD"),
            "target_embedding": floats("BTK"),
            "memory": floats("BSK"),
            "source_embedding": floats("BSK"),
            "memory_mask": mask("BS"),
            "source_embedding_mask": mask("BS"),
        },
        outputs={"output": "BTD"},
        call=multi_step,
        oracle=multi_step_oracle,
        masks=dict.fromkeys(
            ("memory_mask", "source_embedding_mask"), ("memory", "source_embedding")
        ),
        implicit={
            "memory_mask": "memory",
            "source_embedding_mask": "source_embedding",
            "state_mask": "state",
        },
        passes_on="state_mask",
        maps=Mode(lambda layer, x: multi_step(layer, x, return_attention_scores=True)),
        maps_axes="BTS",
        hard_scales={"state": 30.0},
        # The target side alone: each position looks at the whole source.
        causal=Mode(inputs=("state", "target_embedding")),
        not_applicable={"keras layer": NONE_IN_KERAS},
    ),
    Case(
        LinearAttention,
        arguments=lambda: dict(IN_HEADS),
        variants={"default": {"use_bias": True}},
        inputs=TO_ITSELF,
        call=attend_causally,
        oracle=linear_oracle(causal=True),
        causal=Mode(),
        hard_sizes={"T": 149},  # several chunks
        not_applicable={"keras layer": NONE_IN_KERAS, "maps": NO_MAPS},
        **COMMON,
    ),
    Case(
        RandomFeatureAttention,
        arguments=lambda: IN_HEADS | {"num_features": 29, "seed": 7},
        variants={"default": {"use_bias": True}},
        inputs=TO_OTHERS,
        call=attend,
        oracle=linear_oracle(causal=False),
        causal=Mode(attend_causally),
        hard_sizes={"S": 521},
        not_applicable={"keras layer": NONE_IN_KERAS, "maps": NO_MAPS},
        **COMMON,
    ),
    Case(
        LocalAttention,
        arguments=lambda: IN_HEADS | {"window": 1, "dropout": 0.3},
        variants={"default": {"use_bias": True, "window": 17}, "itself": {"window": 0}},
        inputs=TO_ITSELF,
        call=attend,
        oracle=local_oracle,
        aligned={"window": 4},  # with holes, a narrower one leaves queries no choice
        causal=Mode(attend_causally, {"window": 3}),
        maps=Mode(lambda layer, x: attend(layer, x, return_attention_scores=True)),
        maps_axes="BHTT",
        hard_scales={"query": 30.0},
        hard_sizes={"T": 53},  # several chunks
        not_applicable={"keras layer": NONE_IN_KERAS},
        **COMMON,
    ),
]
