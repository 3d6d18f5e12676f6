"""Attention along edges, of a batch of graphs; tests/keras_attn/attention has single graphs."""

from keras_attn import GraphAttention
from tests.contract.case import Case, Mode, Ranks, floats, ids, mask
from tests.oracles import graph as oracles


def attend(layer, x, **options):
    others = {name: x.get(name) for name in ("nodes_mask", "edges_mask", "edge_features")}
    return layer(x["nodes"], x["edges"], **others, **options)


def oracle(weights, x, a):
    chosen = {
        name: a[name] for name in ("aggregate", "negative_slope", "use_bias", "add_self_loops")
    }
    return oracles.graph_batch(weights, **x, **chosen)


CASES = [
    Case(
        GraphAttention,
        arguments=lambda: {
            "units": 19,
            "num_heads": 2,
            "aggregate": "mean",
            "negative_slope": 0.1,
            "dropout": 0.3,
            "value_dropout": 0.2,
            "use_bias": False,
            "add_self_loops": True,
            "kernel_initializer": "he_normal",
            "bias_initializer": "ones",
            "kernel_regularizer": "l2",
            "bias_regularizer": "l1",
        },
        variants={
            "default": {
                "aggregate": "concat",
                "negative_slope": 0.2,
                "use_bias": True,
                "add_self_loops": False,
            }
        },
        # Few enough edges that some nodes have none, some several.
        inputs={
            "nodes": floats("BND"),
            "edges": ids("B2E", below="N"),
            "nodes_mask": mask("BN"),
            "edges_mask": mask("BE"),
            "edge_features": floats("BEF"),
        },
        outputs={"y": "BNU"},
        call=attend,
        oracle=oracle,
        masks={"nodes_mask": ("nodes",), "edges_mask": ("edges", "edge_features")},
        implicit={"nodes_mask": "nodes", "edges_mask": "edges"},
        passes_on="nodes_mask",
        zero_when_masked={"nodes_mask": ("y",)},
        # Added loops have weights too, which tests/keras_attn/attention/test_graph.py has.
        maps=Mode(
            lambda layer, x: attend(layer, x, return_attention_scores=True),
            arguments={"add_self_loops": False},
        ),
        maps_axes="BEH",
        other_ranks=Ranks("takes one graph, too", fewer=True),
        hard_sizes={"E": 6007},  # sums of hundreds of small weights, which bfloat16 loses
        not_applicable={
            "keras layer": "Keras has no graph layers",
            "causal": "the nodes of a graph have no order",
        },
    ),
]
