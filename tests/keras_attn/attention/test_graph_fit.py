"""Graph attention in `fit`: on one graph, on batches of graphs as one, and on padded graphs."""

import keras
import numpy as np
import pytest

from keras_attn import GraphAttention, GraphBatches
from tests.keras_attn.attention.test_graph import numpy
from tests.keras_attn.attention.test_graph_batch import padded


def labelled(seed, nodes, edges=40):
    """A graph whose nodes have noisy features of their class, and edges within the class."""
    random = np.random.default_rng(seed)
    labels = np.arange(nodes) % 3
    features = random.normal(size=(nodes, 11)).astype("float32")
    features[:, :3] += np.eye(3)[labels]
    ends = random.integers(0, nodes, (2, 9 * edges))
    alike = ends[:, labels[ends[0]] == labels[ends[1]]][:, :edges]
    return (features, np.concatenate([alike, np.tile(np.arange(nodes), (2, 1))], axis=1)), labels


def network(batched=False):
    """The network of the paper, smaller; features and coefficients are dropped."""
    nodes = keras.Input((None, 11) if batched else (11,), name="nodes")
    shape = (None, 2, None) if batched else (2, None)
    x = {"nodes": nodes, "edges": keras.Input(batch_shape=shape, dtype="int32", name="edges")}
    masks = {}
    if batched:
        names = ("nodes_mask", "edges_mask")
        masks = {name: keras.Input((None,), dtype="bool", name=name) for name in names}
    y = keras.layers.Dropout(0.1, seed=1)(nodes)
    y = keras.layers.ELU()(GraphAttention(8, 8, dropout=0.1)(y, x["edges"], **masks))
    y = GraphAttention(3, 2, "mean")(keras.layers.Dropout(0.1, seed=2)(y), x["edges"], **masks)
    model = keras.Model(x | masks, y)
    loss = keras.losses.SparseCategoricalCrossentropy(True, reduction="mean_with_sample_weight")
    model.compile(keras.optimizers.Adam(0.01), loss, weighted_metrics=["accuracy"])
    return model


@pytest.mark.thorough(1)
@pytest.mark.parametrize("jit", ["auto", True])
def test_fit_on_one_graph_with_few_labels(jit):
    keras.utils.set_random_seed(1)
    (graph, labels), known = labelled(1, 31), np.arange(31) < 11
    training = GraphBatches([graph], [labels], [known])
    others = GraphBatches([graph], [labels], [~known])
    model = network()
    model.jit_compile = model.jit_compile if jit == "auto" else jit
    history = model.fit(training, validation_data=others, epochs=40, verbose=0).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    assert history["val_accuracy"][-1] > 0.8
    actual = model.predict(training, verbose=0)
    x = {"nodes": graph[0], "edges": graph[1].astype("int32")}
    np.testing.assert_allclose(actual, numpy(model(x)), rtol=0, atol=1e-5)


@pytest.mark.thorough
def test_fit_on_batches_of_graphs():
    keras.utils.set_random_seed(1)
    graphs, labels = zip(*[labelled(i, n) for i, n in enumerate((13, 7, 19, 5, 11))], strict=True)
    data, model = GraphBatches(graphs, labels, batch_size=2), network()
    history = model.fit(data, epochs=20, verbose=0).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    loss, accuracy = model.evaluate(data, verbose=0)
    actual = data.split(model.predict(GraphBatches(graphs, batch_size=2), verbose=0))
    right = [(x.argmax(-1) == y).sum() for x, y in zip(actual, labels, strict=True)]
    assert accuracy == pytest.approx(sum(right) / sum(map(len, labels)))
    for (nodes, edges), output in zip(graphs, actual, strict=True):
        alone = numpy(model({"nodes": nodes, "edges": edges.astype("int32")}))
        np.testing.assert_allclose(output, alone, rtol=0, atol=1e-5)


@pytest.mark.long
def test_fit_on_padded_arrays_gives_what_the_union_gives():
    """The same weights after a step, without dropout: the padding has no say in the loss."""
    graphs, labels = zip(*[labelled(i, n) for i, n in enumerate((13, 7, 19))], strict=True)
    x = padded([(n, e) for n, e in graphs], 19, 61)
    x["nodes"] = np.nan_to_num(x["nodes"])
    y = np.stack([np.pad(each, (0, 19 - len(each))) for each in labels])
    union, batch = network(), network(batched=True)
    batch.set_weights(union.get_weights())
    before = union.get_weights()
    for model in (union, batch):
        for layer in model.layers:
            if isinstance(layer, keras.layers.Dropout):
                layer.rate = 0.0
            if isinstance(layer, GraphAttention):
                layer._dropout.rate = 0.0
    union.fit(GraphBatches(graphs, labels, batch_size=3), verbose=0)
    batch.fit(x, y, sample_weight=x["nodes_mask"].astype("float32"), verbose=0)
    for start, one, other in zip(before, union.get_weights(), batch.get_weights(), strict=True):
        assert np.abs(one - start).max() > 1e-3
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)


def test_the_last_batch_is_padded_with_what_has_no_say():
    graphs, labels = zip(*[labelled(i, n, 7) for i, n in enumerate((5, 3, 4))], strict=True)
    data = GraphBatches(graphs, labels, batch_size=2)
    (first, _, _), (x, y, weight) = data[0], data[1]
    assert first["nodes"].shape == x["nodes"].shape == (9, 11)
    assert first["edges"].shape == x["edges"].shape == (2, 5 + 3 + 14)
    assert (x["edges"][:, 11:] == 8).all()
    assert weight.tolist() == [1] * 4 + [0] * 5 and y.tolist() == [0, 1, 2, 0] + [0] * 5


def test_what_graph_batches_refuses():
    graph, labels = labelled(1, 5)
    for arguments, message in [
        ({"graphs": []}, "graphs must have at least one graph"),
        ({"batch_size": 0}, "batch_size must be a positive integer; received 0"),
        ({"labels": [labels[:4]]}, r"labels must have one entry .* \[5\]; received \[4\]"),
        ({"sample_weight": []}, r"sample_weight must have one entry .* \[5\]; received \[\]"),
    ]:
        with pytest.raises(ValueError, match=message):
            GraphBatches(**{"graphs": [graph], "labels": [labels], **arguments})
