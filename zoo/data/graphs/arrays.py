"""The reader of graphs in `.npz` files, which have no pickles."""

from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.graphs.graph import UNKNOWN, Graph
from zoo.data.graphs.pickles import dense
from zoo.data.readers.npz import read_arrays
from zoo.errors import UserError

# The names under which a part is found, in this order.
NAMES = {
    "nodes": ("nodes", "features", "x"),
    "edges": ("edges", "edge_index"),
    "edge_features": ("edge_features", "edge_attr"),
    "labels": ("labels", "y"),
    "known": ("has_label",),
    "ids": ("ids",),
    "classes": ("classes",),
    "train": ("train", "train_mask"),
    "validation": ("validation", "val_mask", "valid_mask"),
    "test": ("test", "test_mask"),
}
SPARSE = ("feat_data", "feat_indices", "feat_indptr", "feat_shape")


def read_npz(path: Path) -> Graph:
    """Reads the graph of a file.

    Features are `nodes` (N, D), or a sparse matrix in CSR format in `feat_data`, `feat_indices`,
    `feat_indptr` and `feat_shape`. `edges` may be (2, E) or (E, 2). `labels` are (N), or (N, C) of
    0 and 1; a negative label is unknown. See `NAMES` for all names.

    Raises:
        UserError: If the file is missing, damaged or too large, or has no features or no edges.
    """
    arrays = read_arrays(path)
    parts: dict[str, Any] = {
        part: next((arrays[name] for name in names if name in arrays), None)
        for part, names in NAMES.items()
    }
    try:
        if all(name in arrays for name in SPARSE):
            parts["nodes"] = dense(*(arrays[name] for name in SPARSE))
        parts["labels"] = _labels(parts["labels"], parts.pop("known"))
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise UserError(f"{path}: {error}") from None
    if parts["nodes"] is None and parts["labels"] is not None:
        parts["nodes"] = np.zeros((len(parts["labels"]), 0), "float32")
    for part in ("nodes", "edges"):
        if parts[part] is None:
            names = " or ".join(NAMES[part])
            raise UserError(f"{path} has no {names}; its arrays are {', '.join(arrays)}")
    edges = parts["edges"]
    if edges.ndim == 2 and edges.shape[1] == 2 and len(edges) != 2:
        parts["edges"] = edges.T
    for name in ("ids", "classes"):
        if parts[name] is not None:
            parts[name] = parts[name].ravel().tolist()
    return Graph(**parts, path=str(path))


def _labels(labels: Any, known: Any) -> Any:
    if labels is None or labels.ndim != 1:
        return labels
    named = labels.astype(str).astype(object)
    if labels.dtype.kind in "iuf":
        numbers = labels[labels >= 0]
        if not (np.isfinite(numbers) & (np.trunc(numbers) == numbers)).all():
            raise ValueError("labels must be whole numbers, or strings")
        named = np.array([str(int(each)) if each >= 0 else UNKNOWN for each in labels], object)
    if known is not None and known.shape == labels.shape:
        named[~known.astype(bool)] = UNKNOWN
    return named
