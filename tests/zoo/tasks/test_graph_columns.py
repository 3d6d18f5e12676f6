"""Features of nodes and of edges are found by the names of their columns."""

import numpy as np
import pytest

import export
import zoo
from export.serving import open_artifact
from tests.zoo.server.serving import serving
from zoo.errors import UserError
from zoo.server.opening import servable_of

NODES = {"id": "abcd", "size": [1, 2, 3, 4], "age": [9, 7, 8, 6], "label": "xyxy"}
EDGES = {"source": "abc", "target": "bcd", "near": [0.1, 0.2, 0.3], "far": [5, 6, 7]}


def written(folder, nodes, edges, **more):
    folder.mkdir()
    for name, columns, known in (("nodes", nodes, {**NODES, **more}), ("edges", edges, EDGES)):
        rows = zip(*(known[each] for each in columns), strict=True)
        lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs")
    written(path / "trained", ["id", "size", "age", "label"], ["source", "target", "near", "far"])
    written(path / "turned", ["age", "id", "label", "size"], ["far", "source", "near", "target"])
    wind = {"wind": [1, 1, 1, 1]}
    edges = ["source", "target", "far", "near"]
    written(path / "more", ["wind", "age", "size", "id"], edges, **wind)
    written(path / "less", ["id", "size"], ["source", "target", "near", "far"])
    return path


@pytest.fixture(scope="module")
def trained(folder):
    sizes = {"hidden_dim": 4, "num_heads": 1, "num_layers": 1}
    task = zoo.NodeClassifier(**sizes)
    task.adapt(folder / "trained")
    task.fit(folder / "trained", epochs=1, xla=False, verbose=False)
    task.save(folder / "run")
    return task


def test_a_run_finds_features_by_name(trained, folder, caplog):
    expected = trained.predict_proba([folder / "trained"])[0]
    for task in (trained, zoo.load(folder / "run")):
        for name in ("turned", "more"):
            np.testing.assert_allclose(task.predict_proba([folder / name])[0], expected, rtol=1e-5)
    with pytest.raises(UserError, match="nodes have no column age; their columns are size"):
        trained.predict([folder / "less"])
    both = trained.predict_proba([zoo.Graph(np.array([[1.0, 9], [2, 7]]), np.zeros((2, 0), int),
                                            edge_features=np.zeros((0, 2)))])  # fmt: skip
    assert both[0].shape == (2, 2)  # without names, by position


def test_graphs_of_one_data_set_have_their_features_in_one_order(folder):
    from zoo.data.graphs.read import read_graphs

    first, second = read_graphs([folder / "trained", folder / "turned"]).graphs
    np.testing.assert_array_equal(first.nodes, second.nodes)
    np.testing.assert_array_equal(first.edge_features, second.edge_features)
    assert second.columns == ["size", "age"] and second.edge_columns == ["near", "far"]


def test_an_artifact_finds_features_by_name(trained, folder):
    export.saved_model(trained, folder / "served")
    predict = export.Predictor(folder / "served")
    (graph,) = trained.graphs_of([folder / "trained"])
    given = {"edges": graph.edges, "edge_features": graph.edge_features}
    right = predict(nodes=graph.nodes, **given)["scores"]
    nodes = {name: NODES[name] for name in ("age", "size")}
    np.testing.assert_array_equal(predict(nodes=nodes, **given)["scores"], right)
    with pytest.raises(ValueError, match="input 'nodes' has no column size; its columns are age"):
        predict(nodes={"age": NODES["age"]}, **given)
    with pytest.raises(ValueError, match=r"'nodes' must have 2 values in each row \(size, age\)"):
        predict(nodes=np.ones((4, 3)), **given)
    with serving(servable_of("model", open_artifact(folder / "served"))) as client:
        plain = {name: array.tolist() for name, array in given.items()}
        rows = [{"age": a, "size": b} for a, b in zip(NODES["age"], NODES["size"], strict=True)]
        for each in (graph.nodes.tolist(), nodes, rows):
            status, actual = client.ask(
                "/v1/models/model:predict", {"inputs": {"nodes": each, **plain}}
            )
            assert status == 200
            np.testing.assert_allclose(actual["outputs"]["scores"], right, rtol=1e-5)
