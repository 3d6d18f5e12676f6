"""Batches of whole graphs, joined and padded to one shape."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data_statistics import Statistics, counted
from zoo.preprocessing.base import TensorSpec
from zoo.preprocessing.graphs import joined

LABELS = "labels"


class GraphUnions(Batches):
    """Batches of graphs with their labels, each batch joined to one graph.

    All batches are padded to the size of the largest, so that XLA compiles once: with nodes that
    have no label, and edges that name no node. A single batch is not padded, and is copied to
    TensorFlow once.

    Source: Veličković et al. 2018, section 3.3.

    Args:
        graphs: For each graph its inputs by name, `nodes` (N, D), `edges` (2, E) and maybe
            `edge_features` (E, F).
        labels: For each graph the class of each node (N,), or 0 and 1 for each class (N, C); and
            NO_LABEL where nothing is to be learned.
        specs: Spec of each input.
        batch_size: Number of graphs in a batch.
        seed: Seed of shuffling.

    Example:
        >>> from zoo.preprocessing.graphs import GraphPreprocessor
        >>> from zoo.data.graphs.graph import Graph
        >>> one = Graph(np.eye(2), [[0], [1]])
        >>> specs = GraphPreprocessor.of([one]).features
        >>> graphs = {"nodes": [one.nodes] * 3, "edges": [one.edges] * 3}
        >>> batches = GraphUnions(graphs, [np.array([0, 1])] * 3, specs, batch_size=2)
        >>> [batch["labels"].tolist() for batch in batches.columns(shuffle=False)]
        [[0, 1, 0, 1], [0, 1, -1, -1]]
    """

    def __init__(
        self,
        graphs: Mapping[str, Sequence[np.ndarray]],
        labels: Sequence[np.ndarray],
        specs: dict[str, TensorSpec],
        batch_size: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(split_labels, seed)
        self.graphs, self.labels, self._specs = graphs, labels, specs
        self.batch_size = min(batch_size, len(labels))
        self.steps_per_epoch = -(-len(labels) // self.batch_size)
        sizes = {"nodes": [len(x) for x in labels], "edges": [x.shape[1] for x in graphs["edges"]]}
        self._sizes = {axis: self._largest(counts) for axis, counts in sizes.items()}
        self.statistics = Statistics()

    def _largest(self, counts: Sequence[int]) -> int:
        """The greatest sum of `batch_size` of these counts, so that any shuffled batch fits."""
        return sum(sorted(counts)[-self.batch_size :])

    def __str__(self) -> str:
        known = sum(int(has_label(each).sum()) for each in self.labels)
        steps, shape = counted(self.steps_per_epoch, "batches"), self._sizes
        size = f"{shape['nodes']:,} nodes and {shape['edges']:,} edges"
        return f"{known:,} labels in {steps} (of {size})"

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        return batch_specs(self._specs, self._sizes, self.labels[0])

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        order = np.arange(len(self.labels))
        if shuffle:
            np.random.default_rng([self.seed, epoch]).shuffle(order)
        for start in range(0, len(order), self.batch_size):
            yield self._batch(order[start : start + self.batch_size])

    def _batch(self, indices: np.ndarray) -> Columns:
        graphs = {name: [column[i] for i in indices] for name, column in self.graphs.items()}
        columns = joined(graphs, self._specs)
        labels = np.concatenate([self.labels[i] for i in indices])
        return padded({**columns, LABELS: labels}, self._specs, self._sizes)

    def dataset(
        self, start_epoch: int = 0, shuffle: bool = True, repeat: bool = False, start_step: int = 0
    ) -> tf.data.Dataset:
        if self.steps_per_epoch > 1:
            return super().dataset(start_epoch, shuffle, repeat, start_step)
        batch = next(self.columns(shuffle=False))
        data = tf.data.Dataset.from_tensors(split_labels(dict(batch)))
        return data.repeat() if repeat else data


def split_labels(batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The inputs of the model, and the labels."""
    labels = batch.pop(LABELS)
    return batch, labels


def has_label(labels: np.ndarray) -> np.ndarray:
    """Which nodes have a label, (N,)."""
    return labels != NO_LABEL if labels.ndim == 1 else (labels != NO_LABEL).all(axis=1)


def batch_specs(
    specs: Mapping[str, TensorSpec], sizes: Mapping[str, int], labels: np.ndarray
) -> dict[str, tf.TensorSpec]:
    """Shape and type of the inputs and of the labels of padded batches.

    Args:
        specs: Spec of each input.
        sizes: Sizes by name of the axis.
        labels: Labels of a graph.
    """
    tensors = {
        name: tf.TensorSpec([sizes.get(str(axis), axis) for axis in spec.shape], spec.dtype)
        for name, spec in specs.items()
    }
    return {**tensors, LABELS: tf.TensorSpec([sizes["nodes"], *labels.shape[1:]], tf.int32)}


def padded(batch: Columns, specs: dict[str, TensorSpec], sizes: dict[str, int]) -> Columns:
    """A batch with all dynamic axes padded to these sizes.

    Args:
        batch: Inputs and labels by name.
        specs: Spec of each input, which has what fills it.
        sizes: Sizes by name of the axis.
    """
    columns = {}
    for name, spec in specs.items():
        axes = zip(spec.shape, batch[name].shape, strict=True)
        widths = [(0, sizes[axis] - size if isinstance(axis, str) else 0) for axis, size in axes]
        array = np.pad(batch[name], widths, constant_values=spec.padding or 0)
        columns[name] = array.astype(spec.dtype, copy=False)
    labels = batch[LABELS]
    widths = [(0, sizes["nodes"] - len(labels))] + [(0, 0)] * (labels.ndim - 1)
    columns[LABELS] = np.pad(labels, widths, constant_values=NO_LABEL).astype("int32")
    return columns
