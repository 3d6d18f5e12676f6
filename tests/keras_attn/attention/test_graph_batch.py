"""Graph attention of a batch of padded graphs: each as alone, and the two forms kept apart."""

import keras
import numpy as np
import pytest

from keras_attn import GraphAttention
from keras_attn.functional.segment import segment_softmax
from tests.keras_attn.attention.test_graph import build, draw, draw_edges, numpy
from tests.litert import in_litert

SIZES = (5, 13), (7, 0), (0, 0), (3, 29), (1, 1)  # nodes and edges


def ragged():
    return [(draw(n, 11, seed=n), draw_edges(max(n, 1), e, seed=e)) for n, e in SIZES]


def padded(graphs, nodes=7, edges=29, filler=0):
    """Arrays as a batch takes them, with garbage where it is masked."""
    x = {
        "nodes": np.full((len(graphs), nodes, 11), np.nan, "float32"),
        "edges": np.full((len(graphs), 2, edges), filler, "int32"),
        "nodes_mask": np.zeros((len(graphs), nodes), bool),
        "edges_mask": np.zeros((len(graphs), edges), bool),
    }
    for b, (own, ends) in enumerate(graphs):
        x["nodes"][b, : len(own)], x["nodes_mask"][b, : len(own)] = own, True
        x["edges"][b, :, : ends.shape[1]], x["edges_mask"][b, : ends.shape[1]] = ends, True
    return x


@pytest.mark.parametrize("filler", [0, -1, 99])
@pytest.mark.parametrize("aggregate", ["concat", "mean"])
def test_each_graph_gives_what_it_gives_alone(aggregate, filler):
    layer, graphs = build(GraphAttention(7, 3, aggregate)), ragged()
    output, maps = numpy(layer(**padded(graphs, filler=filler), return_attention_scores=True))
    assert np.isfinite(output).all() and np.isfinite(maps).all()
    for b, (nodes, edges) in enumerate(graphs):
        alone, own = numpy(layer(nodes, edges, return_attention_scores=True))
        np.testing.assert_allclose(output[b, : len(nodes)], alone, rtol=0, atol=1e-5)
        np.testing.assert_allclose(maps[b, : edges.shape[1]], own, rtol=0, atol=1e-5)
        assert not output[b, len(nodes) :].any() and not maps[b, edges.shape[1] :].any()


def test_one_graph_takes_masks_too():
    layer, x = build(GraphAttention(7, 3)), padded(ragged())
    batch = numpy(layer(**x))
    for b, row in enumerate(batch):
        alone = layer(**{name: each[b] for name, each in x.items()})
        np.testing.assert_allclose(numpy(alone), row, rtol=0, atol=1e-5)


def test_an_edge_of_a_masked_node_is_masked():
    layer, nodes, edges = build(GraphAttention(7, 2)), draw(5, 11), draw_edges(5, 37)
    here = np.array([True, True, False, True, True])
    kept = here[edges].all(axis=0)
    expected = numpy(layer(nodes, edges[:, kept]))
    np.testing.assert_allclose(
        numpy(layer(nodes, edges, nodes_mask=here)), expected * here[:, None], rtol=0, atol=1e-5
    )


@pytest.mark.parametrize("nodes_are_masked", [False, True])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_masked_edges_without_any_node(batch, nodes_are_masked):
    x = {
        "nodes": np.zeros((*batch, 0, 11), "float32"),
        "edges": np.zeros((*batch, 2, 29), "int32"),
        "edges_mask": np.zeros((*batch, 29), bool),
    }
    if nodes_are_masked:
        x["nodes_mask"] = np.zeros((*batch, 0), bool)
    output, weights = build(GraphAttention(7, 3))(**x, return_attention_scores=True)
    assert tuple(output.shape) == (*batch, 0, 21)
    np.testing.assert_array_equal(numpy(weights), np.zeros((*batch, 29, 3)))


def test_segment_softmax_of_masked_rows():
    scores = np.array([2.0, 2.0, 90.0, 5.0, 6.0], "float32")
    mask = np.array([True, True, False, False, False])
    weights = segment_softmax(scores, np.array([1, 1, 1, 0, 0]), 3, mask)
    assert numpy(weights).tolist() == [0.5, 0.5, 0, 0, 0]


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ((3, 5, 11), (2, 7)),
        ((5, 11), (3, 2, 7)),
        ((5, 11), (4, 2)),
        ((3, 5, 11), (3, 4, 2)),
        ((3, 5, 11), (1, 2, 7)),
        ((11,), (2, 7)),
    ],
)
def test_one_form_or_the_other(nodes, edges):
    for layer in (GraphAttention(7), build(GraphAttention(7))):
        with pytest.raises(ValueError, match=r"\(B, N, D\) and \(B, 2, E\) of a batch; received"):
            layer(np.zeros(nodes, "float32"), np.zeros(edges, "int32"))


def test_edges_that_could_be_a_batch_of_nodes():
    with pytest.raises(ValueError, match=r"received \(None, 11\) and \(None, None\)"):
        GraphAttention(7)(keras.Input((11,)), keras.Input((None,), dtype="int32"))


def test_edges_name_nodes_of_their_own_graph():
    layer, x = build(GraphAttention(7)), padded(ragged())
    x["edges"][1, :, 3] = 7
    layer(**x)  # it is masked
    x["edges_mask"][1, 3] = True
    with pytest.raises(ValueError, match="edges must name nodes from 0 to 6; received 0 to 7"):
        layer(**x)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="LiteRT files are made from TensorFlow"
)
def test_a_litert_file_takes_any_batch():
    import tensorflow as tf

    layer = build(GraphAttention(7, 2))
    specs = {
        "nodes": tf.TensorSpec((None, None, 11)),
        "edges": tf.TensorSpec((None, 2, None), tf.int32),
        "nodes_mask": tf.TensorSpec((None, None), tf.bool),
        "edges_mask": tf.TensorSpec((None, None), tf.bool),
    }
    file = in_litert(lambda **x: layer(**x), specs, layer.weights)
    for x in (
        padded(ragged()),
        padded(ragged()[:1], 5, 13),
        padded([(draw(3, 11), draw_edges(3, 0))] * 2, 3, 0),
    ):
        x["nodes"] = np.nan_to_num(x["nodes"])
        x["edges"] = x["edges"].astype("int32")
        np.testing.assert_allclose(file(**x), numpy(layer(**x)), rtol=1e-6, atol=5e-6)


def test_masks_that_keras_carries():
    layer, x = build(GraphAttention(7, 2)), padded(ragged())
    nodes = keras.layers.Masking()(np.nan_to_num(x["nodes"]))
    output = layer(nodes, x["edges"], edges_mask=x["edges_mask"])
    np.testing.assert_array_equal(numpy(output), numpy(layer(**x)))
    np.testing.assert_array_equal(numpy(output._keras_mask), x["nodes_mask"])
