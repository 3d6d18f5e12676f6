"""GAT: the numbers of the paper's equations, what has no say, and what its options change."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles.graph import graph_attention
from zoo.models.create import create_model
from zoo.models.gat import GAT

SIZES = {"input_dim": 11, "num_classes": 3, "hidden_dim": 5, "num_heads": 2}


def graph(nodes=13, edges=37, seed=1):
    random = np.random.default_rng(seed)
    x = random.normal(size=(nodes, 11)).astype("float32")
    return {"nodes": x, "edges": random.integers(0, nodes, (2, edges)).astype("int32")}


def jittered(model, seed=3):
    random = np.random.default_rng(seed)
    model.set_weights([0.3 * random.normal(size=w.shape) for w in model.weights])
    return model


def numpy(tensor):
    return np.asarray(ops.convert_to_numpy(tensor))


def by_hand(model, x):
    """The logits in float64, layer by layer."""
    nodes = x["nodes"].astype("float64")
    if model.normalize_features:
        nodes = nodes / np.abs(nodes).sum(axis=1, keepdims=True)
    for number, layer in enumerate(model.layers_of_attention):
        weights = [w.astype("float64") for w in layer.get_weights()]
        y, _ = graph_attention(
            weights,
            nodes,
            x["edges"],
            x.get("edge_features"),
            aggregate=layer.aggregate,
            add_self_loops=model.add_self_loops,
        )
        last = number == len(model.layers_of_attention) - 1
        if 0 < number and not last and model.skips:
            y = y + nodes @ model.skips[number - 1].get_weights()[0]
        nodes = y if last else np.where(y > 0, y, np.expm1(y))
    return nodes


@pytest.mark.parametrize(
    "options",
    [
        {"normalize_features": True},
        {"num_layers": 3, "output_heads": 3, "residual": True, "add_self_loops": False},
        {"edge_dim": 7},
    ],
)
def test_the_numbers_of_the_paper(options):
    model, x = jittered(GAT(**SIZES, **options)), graph()
    if "edge_dim" in options:
        x["edge_features"] = np.random.default_rng(5).normal(size=(37, 7)).astype("float32")
    np.testing.assert_allclose(numpy(model(x)["logits"]), by_hand(model, x), rtol=0, atol=2e-5)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(model))
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(numpy(again(x)["logits"]), numpy(model(x)["logits"]))


def test_padding_and_edges_to_missing_nodes_have_no_say():
    model, x = jittered(GAT(**SIZES)), graph()
    nodes = np.concatenate([x["nodes"], np.full((5, 11), 9, "float32")])
    strange = np.array([[-1, 3, 99, 18], [-1, 18, 2, -7]], "int32")
    edges = np.concatenate([strange, x["edges"]], axis=1)
    actual = numpy(model({"nodes": nodes, "edges": edges})["logits"])
    np.testing.assert_allclose(actual[:13], numpy(model(x)["logits"]), rtol=0, atol=1e-6)


def test_the_penalty_is_that_of_the_published_code():
    model = jittered(GAT(**SIZES, l2=0.03))
    squares = sum((w.astype("float64") ** 2).sum() for w in model.get_weights())
    assert float(sum(model.losses)) == pytest.approx(0.03 / 2 * squares, rel=1e-5)
    assert not GAT(**SIZES).losses


def test_dropout_is_of_features_and_of_weights():
    x = graph()
    for rates in ({"dropout": 0.5, "attention_dropout": 0.0}, {"dropout": 0.0}):
        model = jittered(GAT(**SIZES, **rates))
        apart = numpy(model(x, training=True)["logits"]) - numpy(model(x)["logits"])
        assert np.abs(apart).max() > 0.01
    model = jittered(GAT(**SIZES, dropout=0.0, attention_dropout=0.0))
    np.testing.assert_allclose(
        numpy(model(x, training=True)["logits"]), numpy(model(x)["logits"]), rtol=0, atol=1e-6
    )


def test_presets_are_the_papers():
    cora = create_model("gat", "cora", input_dim=1433, num_classes=7)
    # 1433 x 64 + 2 x 64 + 64, and 64 x 7 + 2 x 7 + 7: table of the published code
    assert cora.count_params() == 1433 * 64 + 3 * 64 + 64 * 7 + 3 * 7
    pubmed = create_model("gat", "pubmed", input_dim=500, num_classes=3)
    assert pubmed.layers_of_attention[1].num_heads == 8 and pubmed.get_config()["l2"] == 0.001
    ppi = create_model("gat", "ppi", input_dim=50, num_classes=121)
    widths = [layer.get_weights()[0].shape for layer in ppi.layers_of_attention]
    assert widths == [(50, 4, 256), (1024, 4, 256), (1024, 6, 121)] and len(ppi.skips) == 1
