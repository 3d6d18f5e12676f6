"""Graphs from tables, from arrays and from memory, and what is wrong with others."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.tasks.cases import files
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import read_graphs
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.errors import UserError

NODES = "id,label,split,a,b\nx,red,train,0.5,1\ny,blue,val,-2,0\n\nz,,test,3e2,7\n"
EDGES = "from,to,weight\nx,y,0.25\nz,y,-1\n"


def tables(folder, nodes=NODES, edges=EDGES, suffix=".csv"):
    folder.mkdir(exist_ok=True)
    for name, text in (("nodes", nodes), ("edges", edges)):
        path = folder / f"{name}{suffix}"
        if suffix == ".parquet":
            header, *rows = [line.split(",") for line in text.splitlines() if line]
            columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
            pa.parquet.write_table(pa.table(columns), path)
        else:
            path.write_text(text.replace(",", "\t") if suffix == ".tsv" else text)
    return folder


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_tables(tmp_path, suffix):
    folder = tables(tmp_path / "toy", suffix=suffix)
    for data in (folder, folder / f"nodes{suffix}", [folder / f"nodes{suffix}"]):
        (graph,) = read_graphs(data, directed=True).graphs
        assert graph.ids == ["x", "y", "z"] and graph.labels.tolist() == ["red", "blue", ""]
        assert graph.nodes.tolist() == [[0.5, 1], [-2, 0], [300, 7]]
        assert graph.edges.tolist() == [[0, 2], [1, 1]]
        assert graph.edge_features.tolist() == [[0.25], [-1]]
        masks = [graph.train, graph.validation, graph.test]
        assert np.array(masks).tolist() == np.eye(3, dtype=bool).tolist()
    (graph,) = read_graphs(folder).graphs
    assert graph.edges.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graph.edge_features.ravel().tolist() == [0.25, 0.25, -1, -1]


def test_several_labels_of_a_node(tmp_path):
    nodes = "id,label,a\nx,red|big,1\ny,,2\nz,big,3\n"
    folder = tables(tmp_path / "toy", nodes)
    (graph,) = read_graphs(folder, multi_label=True).graphs
    assert graph.label_names == ["big", "red"]
    assert graph.labels.tolist() == [[1, 1], [-1, -1], [1, 0]]
    assert graph.known.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (NODES, EDGES + "x,w,1\n", "edges.csv:4: the target 'w' is not the id of a node"),
        (NODES.replace("z,", "x,"), EDGES, "nodes.csv:5: the id 'x' is that of line 2, too"),
        (NODES.replace("3e2", "nan"), EDGES, "nodes.csv:5: a must be a finite number, got 'nan'"),
        (NODES.replace("3e2", "1e39"), EDGES, "nodes.csv:5: a must be a finite number"),
        (NODES.replace("-2", "two"), EDGES, "nodes.csv:3: a must be a finite number, got 'two'"),
        (NODES.replace("val", "exam"), EDGES, "nodes.csv:3: split must be train, validation, "),
        (NODES, EDGES.replace("from", "begin"), "has no column source or src: name the source of"),
        (
            NODES.replace("id,", "key,").replace("x,", "w,"),
            EDGES,
            "has no column id or node: name the id of nodes",
        ),
        (NODES + "v,red\n", EDGES, "nodes.csv:6: expected 5 columns, found 2"),
        ("", EDGES, "nodes.csv has no first row"),
    ],
)
def test_tables_that_are_wrong(tmp_path, nodes, edges, message):
    with pytest.raises(UserError) as actual:
        read_graphs(tables(tmp_path / "toy", nodes, edges))
    assert message in str(actual.value) and "\n" not in str(actual.value)


def test_columns_with_other_names(tmp_path):
    nodes, edges = NODES.replace("id,label", "key,hue"), EDGES.replace("from", "begin")
    options = ReadOptions(ColumnNames(id="key", label="hue", source="begin"))
    (graph,) = read_graphs(tables(tmp_path / "toy", nodes, edges), options).graphs
    assert graph.ids == ["x", "y", "z"] and graph.labels[0] == "red"


def test_arrays(tmp_path):
    arrays = {
        "feat_data": np.array([3, 5], "uint8"),
        "feat_indices": np.array([1, 0]),
        "feat_indptr": np.array([0, 1, 1, 2]),
        "feat_shape": np.array([3, 2]),
        "edges": np.array([[0, 1], [1, 2], [2, 2]]),
        "labels": np.array([1, -1, 0]),
        "train_mask": np.array([True, False, False]),
    }
    np.savez(tmp_path / "toy.npz", **arrays)
    (graph,) = read_graphs(tmp_path / "toy.npz").graphs
    assert graph.nodes.tolist() == [[0, 3], [0, 0], [5, 0]]
    assert graph.edges.tolist() == [[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]]
    assert graph.labels.tolist() == ["1", "", "0"] and graph.part("test").tolist() == [0, 0, 1]
    np.savez(
        tmp_path / "several.npz", nodes=np.eye(2), edges=np.eye(2, dtype=int), labels=np.eye(2)
    )
    (graph,) = read_graphs(tmp_path / "several.npz").graphs
    assert graph.multi_label and graph.label_names == ["0", "1"]


@pytest.mark.parametrize(
    ("limit", "part", "message"),
    [
        ("MAX_NODES", {"nodes": np.zeros((5, 0))}, "it has 5 nodes; 4 are the limit"),
        ("MAX_EDGES", {"edges": np.zeros((2, 5), int)}, "it has 5 edges; 4 are the limit"),
        ("MAX_FEATURES", {"nodes": np.zeros((2, 5), "int8")}, "it has 40 bytes of nodes; 4 are"),
        ("MAX_LABEL", {"labels": ["a", "abcde"]}, "it has 5 characters of a label; 4 are the"),
    ],
)
def test_a_graph_that_is_too_large(limit, part, message, monkeypatch, tmp_path):
    arrays = {"nodes": np.zeros((2, 0)), "edges": np.zeros((2, 1), int), **part}
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    assert len(read_graphs(tmp_path / "a.npz").graphs) == 1
    monkeypatch.setattr(f"zoo.data.graphs.graph.{limit}", 4)
    with pytest.raises(UserError, match=message):
        read_graphs(tmp_path / "a.npz")


def test_too_many_labels_of_too_many_nodes(monkeypatch, tmp_path):
    nodes = "id,label\na,x|y\nb,\nc,z\n"
    path = tables(tmp_path / "toy", nodes, "from,to\na,b\n")
    (graph,) = read_graphs(path, multi_label=True).graphs
    assert graph.labels.tolist() == [[1, 1, 0], [-1, -1, -1], [0, 0, 1]]
    monkeypatch.setattr("zoo.data.graphs.tables.MAX_LABELS", 8)
    with pytest.raises(UserError, match="3 labels are too many for 3 nodes"):
        read_graphs(path, multi_label=True)


def test_a_long_label_does_not_make_others_long(tmp_path):
    nodes = "id,label\n0," + "x" * 100_000 + "\n" + "".join(f"{n},a\n" for n in range(1, 10_000))
    path = tables(tmp_path / "toy", nodes, "from,to\n0,1\n")
    with pytest.raises(UserError, match="100,000 characters of a label; 1,000 are the limit"):
        read_graphs(path)  # 4 GB


def test_arrays_that_are_wrong(tmp_path, monkeypatch):
    path = tmp_path / "toy.npz"
    for arrays, message in [
        ({"nodes": np.eye(2)}, "has no edges or edge_index; its arrays are nodes"),
        ({"nodes": np.array([object()]), "edges": np.eye(2, dtype=int)}, "Object arrays"),
        ({"nodes": np.eye(2), "edges": np.array([[0], [2]])}, "names node 2, and the nodes are 0"),
        ({"nodes": np.full((2, 2), np.nan), "edges": np.eye(2, dtype=int)}, "not a finite number"),
        ({"nodes": np.full((2, 2), 1e300), "edges": np.eye(2, dtype=int)}, "not a finite number"),
    ]:
        np.savez(path, **arrays)
        with pytest.raises(UserError, match=message):
            read_graphs(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UserError, match="is not an .npz file of numbers"):
        read_graphs(path)
    np.savez_compressed(path, nodes=np.zeros((1000, 99)), edges=np.zeros((2, 0), int))
    monkeypatch.setattr("zoo.data.readers.npz.MAX_BYTES", 1 << 16)
    with pytest.raises(UserError, match="has arrays of more than"):
        read_graphs(path)


def test_folders_of_graphs(tmp_path):
    for name, width in (("a", 2), ("b", 2), ("c", 3)):
        np.savez(tmp_path / f"{name}.npz", nodes=np.eye(3, width), edges=np.zeros((2, 0), int))
    with pytest.raises(UserError, match=r"c\.npz has 3 features of nodes, and .*a\.npz has 2"):
        read_graphs(tmp_path)
    (tmp_path / "c.npz").unlink()
    assert len(read_graphs(tmp_path).graphs) == 2
    (tmp_path / "c.npz").symlink_to("/etc/hosts")
    with pytest.raises(UserError, match="is a link out of"):
        read_graphs(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="empty has no graph: expected a folder with"):
        read_graphs(empty)
    with pytest.raises(UserError, match="nowhere does not exist"):
        read_graphs(tmp_path / "nowhere")


def test_graphs_in_memory_that_are_wrong():
    nodes, edges = np.eye(3), np.zeros((2, 0), int)
    for arguments, message in [
        ({"edges": [[0], [3]]}, "edge 0 names node 3, and the nodes are 0 to 2"),
        ({"edges": [[-1], [0]]}, "edge 0 names node -1"),
        ({"edges": [[0.5], [1.0]]}, "edges must be integers of the shape"),
        ({"nodes": np.array([[1.0, np.inf]])}, "feature 1 of row 0 of nodes is not a finite"),
        ({"nodes": np.array(["a"])}, "nodes must be numbers with two axes"),
        ({"labels": ["a"]}, "labels must have an entry for each of 3 nodes"),
        ({"labels": np.full((3, 2), 7)}, "labels with two axes must be 0, 1"),
        ({"train": [1, 0, 1]}, "train must be booleans .* got int64"),
        ({"ids": ["a", "b", "a"]}, "the id 'a' is there twice"),
        ({"edge_features": np.ones((2, 1))}, "an entry for each of 0 edges"),
    ]:
        with pytest.raises(UserError, match=message):
            Graph(**{"nodes": nodes, "edges": edges, **arguments})
    with pytest.raises(UserError, match=r"must be a zoo.Graph or \(nodes, edges\), got int"):
        read_graphs([3])


def test_nodes_that_are_held_out(tmp_path):
    graphs = read_graphs(files.graph(tmp_path), ReadOptions(ColumnNames(label="color")))
    kept, held = graphs.split(0.3, seed=1)
    train, validation = kept.part("train")[0], held.part("validation")[0]
    assert train.any() and validation.any() and not (train & validation).any()
    assert ((train | validation) == graphs.part("train")[0]).all()
    assert (graphs.split(0.3, seed=1)[0].part("train")[0] == train).all()
    assert not (graphs.split(0.3, seed=2)[0].part("train")[0] == train).all()


def test_a_split_without_validation_or_test(tmp_path):
    write = (tmp_path / "nodes.csv").write_text
    write("id,label,split,x\na,A,train,1\nb,B,train,2\nc,A,,3\nd,,,4\n", "utf-8")
    (tmp_path / "edges.csv").write_text("source,target\na,b\n", "utf-8")
    graphs = read_graphs(tmp_path)
    assert not graphs.has_validation and graphs.own_validation() is None
    assert [graphs.part(name)[0].tolist() for name in ("train", "test")] == [
        [True, True, False, False],
        [False, False, True, False],
    ]


def test_graphs_without_a_validation_mask_do_not_validate_with_what_they_train_on():
    masked = Graph(np.eye(3), [[0], [1]], labels=["a", "b", "a"], validation=[False, False, True])
    graphs = read_graphs([masked, Graph(np.eye(3), [[0], [1]], labels=["a", "b", "b"])])
    assert [part.sum() for part in graphs.part("train")] == [2, 3]
    assert [part.sum() for part in graphs.own_validation().part("validation")] == [1, 0]
    assert "5 to train on, 1 to validate with" in str(graphs)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"train": np.ones((3, 2), bool)}, r"train must be booleans of the shape \(3,\)"),
        ({"train": np.array(True)}, r"train must be booleans of the shape \(3,\)"),
        ({"classes": ["a", "b"]}, "classes must be distinct, and need labels with two axes"),
        ({"labels": np.eye(3), "classes": ["a", "b"]}, "classes must be .* need 3 names"),
        ({"labels": np.eye(3), "classes": list("aba")}, "classes must be distinct"),
    ],
)
def test_parts_that_do_not_fit(parts, message):
    with pytest.raises(UserError, match=message):
        Graph(np.eye(3), [[0], [1]], **parts)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"labels": [1.5, 0, 1]}, "labels must be whole numbers"),
        ({"labels": [np.inf, 0, 1]}, "labels must be whole numbers"),
        ({"train_mask": np.ones((3, 10), bool)}, "train must be booleans"),
        (
            {"feat_data": ["a"], "feat_indices": [0], "feat_indptr": [0, 1], "feat_shape": [1, 3]},
            "graph.npz",
        ),
    ],
)
def test_arrays_that_are_no_graph(tmp_path, arrays, message):
    given = {"nodes": np.eye(3), "edges": [[0], [1]], **arrays}
    np.savez(tmp_path / "graph.npz", **{name: np.asarray(x) for name, x in given.items()})
    with pytest.raises(UserError, match=message):
        read_graphs(tmp_path / "graph.npz")


def test_a_link_to_its_own_folder(tmp_path):
    np.savez(tmp_path / "graph.npz", nodes=np.eye(3), edges=[[0], [1]])
    (tmp_path / "again").symlink_to(tmp_path)
    with pytest.raises(UserError, match="again is a link to a folder"):
        read_graphs(tmp_path)


def gephi(folder, name):
    folder.mkdir()
    rows = "".join(f"{i}\tPerson {i}\t{i % 2}\t{i}.5\n" for i in range(12))
    (folder / "nodes.tsv").write_text(f"Id\tLabel\t{name}\tage\n{rows}")
    (folder / "edges.tsv").write_text(
        "Source\tTarget\n" + "".join(f"{i}\t{(i + 2) % 12}\n" for i in range(12))
    )
    return folder


def test_names_of_nodes_are_no_labels(tmp_path):
    """Gephi calls names Label: a classifier would have as many classes as nodes."""
    (graph,) = read_graphs(gephi(tmp_path / "a", "modularity_class")).graphs
    assert graph.labels.tolist() == ["0", "1"] * 6 and graph.nodes[:, 0].tolist()[:2] == [0.5, 1.5]
    folder = gephi(tmp_path / "b", "party")
    with pytest.raises(UserError, match="Label of most nodes is its own.*, such as party"):
        read_graphs(folder)
    (graph,) = read_graphs(folder, options=ReadOptions(ColumnNames(label="party"))).graphs
    assert graph.labels.tolist() == ["0", "1"] * 6
