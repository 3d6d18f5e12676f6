"""Planetoid's files: what they say, and what a file may not say."""

import codecs
import os
import pickle

import numpy as np
import pytest

from tests.zoo.data.graphs.published import pickled, planetoid
from zoo.data.graphs import pickles
from zoo.data.graphs.read import read_graphs
from zoo.errors import UserError


def test_a_graph_with_its_split(tmp_path):
    features, classes, neighbors = planetoid(tmp_path)
    (graph,) = read_graphs(tmp_path).graphs
    np.testing.assert_array_equal(graph.nodes, features)
    labels = [str(c) for c in classes.argmax(axis=1)]
    assert graph.labels.tolist() == [*labels[:9], "", labels[10]]
    ends = {(a, b) for a, others in neighbors.items() for b in others}
    assert set(zip(*graph.edges.tolist(), strict=True)) == ends | {(b, a) for a, b in ends}
    assert np.flatnonzero(graph.train).tolist() == [0, 1, 2]
    assert np.flatnonzero(graph.test).tolist() == [7, 8, 10]
    assert np.flatnonzero(graph.part("validation")).tolist() == [3, 4, 5, 6]


class Shell:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Shell(os.system, "touch owned"), "system"),
        (Shell(eval, "1 + 1"), "eval"),
        (Shell(np.load, "x.npy"), "numpy.load"),
        (Shell(getattr, "x", "upper"), "getattr"),
    ],
)
def test_a_pickle_that_names_anything_else_is_refused(tmp_path, monkeypatch, value, name):
    monkeypatch.chdir(tmp_path)
    planetoid(tmp_path)
    (tmp_path / "ind.toy.allx").write_bytes(pickle.dumps(value, protocol=2))
    with pytest.raises(UserError, match=f"ind.toy.allx is refused: it names .*{name}"):
        read_graphs(tmp_path)
    assert not (tmp_path / "owned").exists()


TEXT = "x" * 1000
HUGE = pickled(np.zeros(3)).replace(b"K\x03\x85", b"J\xff\xff\xff\x7f\x85")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Ran out of input"),
        (pickled(np.zeros(9))[:-20], "not a pickle of numbers"),
        (HUGE, "an array has another size than its content"),
        (pickled(np.array([None, 3], object)), "arrays must hold numbers"),
        (pickled([1, 2]), "expected an array or a dictionary, found list"),
        (pickled({n: Shell(codecs.encode, TEXT, "latin1") for n in range(9)}), "are larger than"),
        (pickled(Shell(list, (1, 2))), "only names the type of its values"),
    ],
)
def test_a_damaged_pickle_is_named(tmp_path, content, reason):
    assert HUGE != pickled(np.zeros(3))
    planetoid(tmp_path)
    (tmp_path / "ind.toy.ally").write_bytes(content)
    with pytest.raises(UserError, match=rf"ind\.toy\.ally .*{reason}"):
        read_graphs(tmp_path)


def test_a_sparse_matrix_is_checked():
    data, indices = np.ones(2), np.array([0, 4])
    for indptr, shape, reason in [
        ([0, 1, 2], (2, 4), "outside of its columns"),
        ([0, 2, 1], (2, 5), "do not fit together"),
        ([0, 2], (2, 5), "do not fit together"),
        ([0, 1, 2], (2, 1 << 40), "larger than 8 GB"),
    ]:
        with pytest.raises(ValueError, match=reason):
            pickles.dense(data, indices, np.array(indptr), shape)


def test_files_that_do_not_fit_together(tmp_path):
    planetoid(tmp_path)
    (tmp_path / "ind.toy.test.index").write_text("9\n8\n")
    with pytest.raises(UserError, match=r"ind\.toy\.\* do not fit together"):
        read_graphs(tmp_path)
    (tmp_path / "ind.toy.test.index").write_text("9\n999999999\n8\n")
    with pytest.raises(UserError, match="the test index has node 999999999"):
        read_graphs(tmp_path)
    (tmp_path / "ind.toy.test.index").write_text("9\nten\n")
    with pytest.raises(UserError, match=r"test\.index:2: expected the number of a node"):
        read_graphs(tmp_path)
    (tmp_path / "ind.toy.tx").unlink()
    with pytest.raises(UserError, match=r"ind\.toy\.tx does not exist"):
        read_graphs(tmp_path)


def test_sizes_are_checked_before_memory_is_asked_for(tmp_path, monkeypatch):
    planetoid(tmp_path)
    (tmp_path / "ind.toy.graph").write_bytes(pickled({0: [1 << 80]}))
    with pytest.raises(UserError, match=r"ind\.toy\.\* do not fit together"):
        read_graphs(tmp_path)
    planetoid(tmp_path)
    monkeypatch.setattr("zoo.data.graphs.planetoid.MAX_FEATURES", 4 * 11 * 5 - 1)
    with pytest.raises(UserError, match="11 nodes of 5 numbers are too large"):
        read_graphs(tmp_path)


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    inside, outside = tmp_path / "toy", tmp_path / "secret"
    inside.mkdir(), planetoid(inside)
    (inside / "ind.toy.y").rename(outside)
    (inside / "ind.toy.y").symlink_to(outside)
    with pytest.raises(UserError, match=r"ind\.toy\.y is a link out of"):
        read_graphs(inside)
