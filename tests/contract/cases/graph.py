"""Attention along edges."""

from keras_attn import GraphAttention
from tests.contract.case import Case, Mode, floats, ids
from tests.oracles import graph as oracles

NO_MASK = "the edges act as the mask: nodes without an edge do not interact"


def attend(layer, x, **options):
    return layer(x["nodes"], x["edges"], **options)


def oracle(weights, x, a):
    chosen = {name: a[name] for name in ("aggregate", "negative_slope", "use_bias")}
    return oracles.graph_attention(weights, x["nodes"], x["edges"], **chosen)[0]


CASES = [
    Case(
        GraphAttention,
        arguments=lambda: {
            "units": 19,
            "num_heads": 2,
            "aggregate": "mean",
            "negative_slope": 0.1,
            "dropout": 0.3,
            "use_bias": False,
            "kernel_initializer": "he_normal",
            "bias_initializer": "ones",
        },
        variants={"default": {"aggregate": "concat", "negative_slope": 0.2, "use_bias": True}},
        # Few enough nodes with edges that some have none, some several, some one of them twice.
        inputs={"nodes": floats("ND"), "edges": ids("2E", below=11)},
        outputs={"y": "NU"},
        call=attend,
        oracle=oracle,
        maps=Mode(lambda layer, x: attend(layer, x, return_attention_scores=True)),
        maps_axes="EH",
        hard_sizes={"E": 6007},  # sums of hundreds of small weights, which bfloat16 loses
        not_applicable={
            "keras layer": "Keras has no graph layers",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "implicit mask": NO_MASK,
            "neighbours": NO_MASK,
            "causal": "the nodes of a graph have no order",
        },
    ),
]
