"""Writes a small graph as Planetoid's files, as Python 2 wrote those of Cora."""

import pickle
from collections import defaultdict

import numpy as np


class csr_matrix:  # noqa: N801  SciPy's name, which the pickle has
    """Stands for SciPy's, whose name is put into the file in place of this one."""

    def __init__(self, array):
        rows, columns = np.nonzero(array)
        counts = np.bincount(rows, minlength=len(array))
        self._shape = array.shape
        self.data = array[rows, columns]
        self.indices = columns.astype("int32")
        self.indptr = np.concatenate([[0], np.cumsum(counts)]).astype("int32")


def pickled(value):
    """Protocol 2, with the modules of old versions."""
    content = pickle.dumps(value, protocol=2)
    content = content.replace(csr_matrix.__module__.encode(), b"scipy.sparse.csr")
    return content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


def planetoid(folder, seed=3):
    """The features, the classes and the neighbors of 11 nodes, of which 3 are tested and one,
    the tenth, is none of the test's. Returns what `read_planetoid` should find of them."""
    random = np.random.default_rng(seed)
    features = (random.random((11, 5)) < 0.5) * random.integers(1, 9, (11, 5)).astype("float32")
    features[9] = 0
    classes = np.eye(3, dtype="int32")[random.integers(0, 3, 11)]
    neighbors = defaultdict(list, {n: [(n + 1) % 11, (n * n) % 11] for n in range(11)})
    tested = [10, 8, 7]
    parts = {
        "x": csr_matrix(features[:3]),
        "y": classes[:3],
        "allx": csr_matrix(features[:7]),
        "ally": classes[:7],
        "tx": csr_matrix(features[tested]),
        "ty": classes[tested],
        "graph": neighbors,
    }
    for name, value in parts.items():
        (folder / f"ind.toy.{name}").write_bytes(pickled(value))
    (folder / "ind.toy.test.index").write_text("".join(f"{n}\n" for n in tested))
    return features, classes, neighbors
