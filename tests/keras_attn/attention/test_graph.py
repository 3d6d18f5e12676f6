"""Graph attention of one graph: reference numbers, disjoint unions, odd graphs."""

from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.attention.graph import GraphAttention
from keras_attn.functional.segment import segment_softmax
from tests.litert import in_litert
from tests.oracles import graph as oracle

REFERENCE = Path(__file__).parents[2] / "references" / "graph.npz"
WEIGHTS = "kernel", "source_attention", "target_attention", "bias"


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def draw_edges(nodes, edges, seed=1):
    return np.random.default_rng(seed).integers(0, nodes, (2, edges)).astype("int32")


def build(layer, width=11):
    layer.build((None, width), (2, None))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


def numpy(tree):
    return keras.tree.map_structure(ops.convert_to_numpy, tree)


@settings(max_examples=8, deadline=None)
@given(rows=st.integers(0, 9), segments=st.integers(1, 5), seed=st.integers(0, 99))
def test_segment_softmax(rows, segments, seed):
    scores = 30 * draw(rows, 2, seed=seed)
    ids = np.random.default_rng(seed).integers(0, segments, rows).astype("int32")
    weights = numpy(segment_softmax(scores, ids, segments))
    np.testing.assert_allclose(weights, oracle.segment_softmax(scores, ids), rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("greatest", [3e4, np.inf])
def test_segment_softmax_of_huge_scores(greatest, dtype):
    """Half precision has infinities where products overflowed; float32 has none of its own."""
    greatest = greatest if dtype == "float16" else 3e4
    weights = segment_softmax(ops.cast([greatest, -3e4, -3e4], dtype), np.array([0, 0, 1]), 2)
    assert keras.backend.standardize_dtype(weights.dtype) == dtype
    assert numpy(ops.cast(weights, "float32")).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("aggregate", ["concat", "mean"])
def test_the_numbers_of_gatconv(aggregate):
    with np.load(REFERENCE) as reference:
        layer = GraphAttention(3, num_heads=2, aggregate=aggregate)
        layer.build((None, 5), (2, None))
        weights = [reference[name] for name in WEIGHTS]
        weights[3] = weights[3][: layer.bias.shape[0]]
        layer.set_weights(weights)
        output, maps = numpy(
            layer(reference["nodes"], reference["edges"], return_attention_scores=True)
        )
        np.testing.assert_allclose(output, reference[aggregate], rtol=1e-6, atol=5e-6)
        np.testing.assert_allclose(maps, reference["weights"], rtol=1e-6, atol=5e-6)


def test_weights_come_in_the_order_and_with_the_shapes_of_the_docstring():
    layer = build(GraphAttention(7, num_heads=3))
    assert [w.name for w in layer.weights] == list(WEIGHTS)
    assert [w.shape for w in layer.weights] == [(11, 3, 7), (3, 7), (3, 7), (21,)]
    assert build(GraphAttention(7, 3, "mean")).bias.shape == (7,)


def test_maps_are_those_of_the_formula():
    layer, nodes, edges = build(GraphAttention(7, 3)), draw(13, 11), draw_edges(13, 29)
    _, maps = layer(nodes, edges, return_attention_scores=True)
    _, expected = oracle.graph_attention(layer.get_weights(), nodes, edges)
    np.testing.assert_allclose(numpy(maps), expected, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("edges", [0, 3])
def test_a_node_without_edges_gets_its_bias(edges):
    layer, nodes = build(GraphAttention(7, 2)), draw(5, 11)
    output = numpy(layer(nodes, draw_edges(2, edges)))
    np.testing.assert_array_equal(output[2:], np.tile(layer.get_weights()[3], (3, 1)))
    assert np.isfinite(output).all()


def test_graphs_side_by_side_give_what_each_gives_alone():
    layer = build(GraphAttention(7, 2))
    graphs = [(draw(n, 11, seed=n), draw_edges(n, e)) for n, e in [(5, 13), (1, 0), (7, 3)]]
    starts = np.cumsum([0, *(len(nodes) for nodes, _ in graphs)])
    together = layer(
        np.concatenate([nodes for nodes, _ in graphs]),
        np.concatenate([e + at for (_, e), at in zip(graphs, starts, strict=False)], axis=1),
    )
    for (nodes, edges), at in zip(graphs, starts, strict=False):
        alone = numpy(layer(nodes, edges))
        np.testing.assert_allclose(
            numpy(together)[at : at + len(nodes)], alone, rtol=1e-6, atol=5e-6
        )


def test_the_order_of_edges_and_nodes_has_no_say():
    layer, nodes, edges = build(GraphAttention(7, 2)), draw(13, 11), draw_edges(13, 29)
    before = numpy(layer(nodes, edges))
    order = np.random.default_rng(2).permutation(29)
    np.testing.assert_allclose(numpy(layer(nodes, edges[:, order])), before, rtol=1e-6, atol=5e-6)
    place = np.random.default_rng(3).permutation(13)  # node i goes to place[i]
    moved = np.empty_like(nodes)
    moved[place] = nodes
    after = numpy(layer(moved, place[edges].astype("int32")))
    np.testing.assert_allclose(after[place], before, rtol=1e-6, atol=5e-6)


def test_dropout_drops_weights_in_training_alone():
    dropping, plain = build(GraphAttention(7, 2, dropout=0.5)), build(GraphAttention(7, 2))
    nodes, edges = draw(13, 11), draw_edges(13, 29)
    expected = numpy(plain(nodes, edges))
    np.testing.assert_array_equal(numpy(dropping(nodes, edges)), expected)
    got, maps = numpy(dropping(nodes, edges, return_attention_scores=True, training=True))
    assert np.abs(got - expected).max() > 0.01
    sums = ops.segment_sum(maps, edges[1], 13)  # the maps are those before dropout
    np.testing.assert_allclose(numpy(sums)[np.unique(edges[1])], 1, rtol=1e-6, atol=5e-6)


def test_dropout_of_values_leaves_the_weights_as_they_are():
    dropping, plain = build(GraphAttention(7, 2, value_dropout=0.5)), build(GraphAttention(7, 2))
    nodes, edges = draw(13, 11), draw_edges(13, 29)
    expected, maps = numpy(plain(nodes, edges, return_attention_scores=True))
    got, same = numpy(dropping(nodes, edges, return_attention_scores=True, training=True))
    np.testing.assert_array_equal(same, maps)
    assert np.abs(got - expected).max() > 0.01
    np.testing.assert_array_equal(numpy(dropping(nodes, edges)), expected)


def test_heads_are_drawn_as_one_matrix_and_not_alike():
    layer = GraphAttention(8, num_heads=8)
    layer.build((None, 1024), (2, None))
    kernel, source, target, _ = layer.get_weights()
    bound = np.sqrt(6 / (1024 + 64))  # of Glorot's for 1024 -> 8 * 8
    assert 0.99 * bound < np.abs(kernel).max() <= bound
    assert np.abs(source - target).max() > 0.1


def test_bad_arguments_name_themselves():
    for arguments, message in [
        ({"units": 0}, "units must be a positive integer; received 0"),
        ({"num_heads": 0}, "num_heads must be a positive integer; received 0"),
        ({"aggregate": "sum"}, "aggregate must be one of concat, mean; received 'sum'"),
        ({"value_dropout": -0.1}, "value_dropout must be at least 0 and less than 1; received"),
        ({"dropout": 1.0}, "dropout must be at least 0 and less than 1; received 1.0"),
    ]:
        with pytest.raises(ValueError, match=message):
            GraphAttention(**{"units": 2, **arguments})


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (np.array([[0, 5], [1, 1]]), "edges must name nodes from 0 to 4; received 0 to 5"),
        (np.array([[0, 1], [1, -1]]), "edges must name nodes from 0 to 4; received -1 to 1"),
        (
            np.array([[0.0], [1.0]]),
            r"edges must be an integer tensor \(..., 2, E\); received float64",
        ),
    ],
)
def test_bad_edges_are_refused_before_they_are_followed(edges, message):
    layer = build(GraphAttention(7))
    with pytest.raises(ValueError, match=message):
        layer(draw(5, 11), edges)


def test_a_hub_of_many_edges_in_bfloat16():
    """A mean of 5,000 ones is one: summed in bfloat16 it would stop growing at about 0.05."""
    layer = build(GraphAttention(7, dtype="mixed_bfloat16", use_bias=False), width=1)
    edges = np.stack([np.arange(5000), np.zeros(5000)]).astype("int32")
    output = layer(np.ones((5000, 1), "float32"), edges)
    expected = layer.get_weights()[0][0].ravel()
    np.testing.assert_allclose(numpy(ops.cast(output, "float32"))[0], expected, rtol=0.02)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="LiteRT files are made from TensorFlow"
)
def test_a_litert_file_takes_a_graph_without_edges():
    import tensorflow as tf

    layer = build(GraphAttention(7, 2))
    specs = {"nodes": tf.TensorSpec((None, 11)), "edges": tf.TensorSpec((2, None), tf.int32)}
    file = in_litert(lambda nodes, edges: layer(nodes, edges), specs, layer.weights)
    for nodes, edges in [(5, 13), (3, 0)]:
        x = draw(nodes, 11), draw_edges(nodes, edges)
        got = file(nodes=x[0], edges=x[1])
        np.testing.assert_allclose(got, numpy(layer(*x)), rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("batch", [False, True])
def test_added_loops_take_the_place_of_given_ones(batch):
    """Their weights follow those of the edges, and edges from a node to itself have none."""
    layer = GraphAttention(7, 3, add_self_loops=True)
    layer.build((None, 11), (2, None), (None, 5))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    nodes, edges, features = draw(13, 11), draw_edges(13, 29), draw(29, 5, seed=2)
    edges[:, :3] = 4
    x = {"nodes": nodes, "edges": edges, "edge_features": features}
    if batch:
        x = {name: each[None] for name, each in x.items()}
    output, maps = numpy(layer(**x, return_attention_scores=True))
    output, maps = (output[0], maps[0]) if batch else (output, maps)
    expected = oracle.graph_attention(
        layer.get_weights(), nodes, edges, features, add_self_loops=True
    )
    np.testing.assert_allclose(output, expected[0], rtol=1e-6, atol=5e-6)
    np.testing.assert_allclose(maps, expected[1], rtol=1e-6, atol=5e-6)
    assert maps.shape == (29 + 13, 3) and not maps[:3].any() and (maps[29:] > 0).all()


def test_edges_have_features_at_every_call_or_at_none():
    layer, nodes, edges = build(GraphAttention(7, 3)), draw(5, 11), draw_edges(5, 7)
    with pytest.raises(ValueError, match="edge_features must be given at every call"):
        layer(nodes, edges, edge_features=draw(7, 5))
