"""Random inputs of a bare Keras model, and the axes of its outputs, which these show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import keras
import numpy as np

from export.graph_axes import EDGES, NODES, is_edges
from export.protocol import SignatureTensor
from export.worker.axes import BATCH, sizes_of
from export.worker.probes import Probe, Tensors

# Distinct primes: a swapped axis shows. The last batch is a single row.
BATCHES_AND_LENGTHS = ((3, 5), (2, 11), (1, 7))


@dataclass(frozen=True)
class ModelTensor:
    """A `SignatureTensor`."""

    shape: tuple[int | str, ...]
    dtype: str
    padding: int | float | bool | None = None
    meaning: str = ""
    values: tuple[int, int] | None = None


def is_integer(dtype: str) -> bool:
    """Whether a dtype is of whole numbers."""
    return dtype.startswith(("int", "uint"))


def model_probes(
    model: keras.Model,
    inputs: Mapping[str, SignatureTensor],
    sizes: Sequence[tuple[int, int]] = BATCHES_AND_LENGTHS,
    seed: int = 7,
) -> list[Tensors]:
    """Random inputs of several batch sizes and lengths.

    Inputs named `target...` are longer than the others; a mask is a run of True that ends at a
    different place in every row. Integers are valid everywhere: edges name nodes, others stay below
    the size of the smallest embedding table or, of a model without one, the number of rows.

    Args:
        model: The model.
        inputs: Its inputs.
        sizes: The batch size and the length of each.
        seed: Seed of the random numbers.
    """
    random = np.random.default_rng(seed)
    layers = model._flatten_layers(include_self=False)
    tables = [layer.input_dim for layer in layers if hasattr(layer, "input_dim")]

    def probe(batch: int, length: int) -> Tensors:
        known = {BATCH: batch, EDGES: 2 * length + 1}

        def shape_of(name: str) -> list[int]:
            along = length + 2 if name.startswith("target") else length
            axes = inputs[name].shape
            return [axis if isinstance(axis, int) else known.get(axis, along) for axis in axes]

        arrays = {}
        for name, spec in inputs.items():
            shape = shape_of(name)
            if spec.dtype == "bool":
                ends = random.integers(1, shape[-1] + 1, size=shape[:-1])
                array: np.ndarray = np.arange(shape[-1]) < ends[..., None]
            elif is_edges(name, spec.shape, spec.dtype):
                others = [other for other in inputs if "edge" not in other]
                nodes = min(others, key=lambda x: NODES not in inputs[x].shape, default=name)
                array = random.integers(0, shape_of(nodes)[len(shape) - 2], size=shape)
            elif is_integer(spec.dtype):
                # (2, E) may be edges of another name, too.
                entries = tables and not (spec.shape[0] == 2 and isinstance(spec.shape[-1], str))
                highest = min(tables) if entries else batch
                array = random.integers(min(1, highest - 1) if entries else 0, highest, size=shape)
            else:
                array = random.normal(size=shape)
            arrays[name] = array.astype(spec.dtype)
        return arrays

    return [probe(batch, length) for batch, length in sizes]


def output_axes(
    inputs: Mapping[str, ModelTensor], probes: Sequence[Probe]
) -> dict[str, tuple[int | str | None, ...]]:
    """The axes of each output, from its sizes in all probes: the input axis of the same sizes, of
    several the one at the same index; a number where the size is always the same; or else None."""
    axes = {name: spec.shape for name, spec in inputs.items()}
    index_of = {axis: index for shape in axes.values() for index, axis in enumerate(shape)}
    known = [
        sizes_of(axes, {name: x.shape for name, x in probe.inputs.items()}) for probe in probes
    ]

    def axis_of(index: int, sizes: list[int]) -> int | str | None:
        same = [axis for axis in known[0] if [each[axis] for each in known] == sizes]
        if same:
            return min(same, key=lambda axis: index_of[axis] != index)
        return sizes[0] if len(set(sizes)) == 1 else None

    named = {}
    for name in probes[0].outputs:
        shapes = [probe.outputs[name].shape for probe in probes]
        columns = enumerate(zip(*shapes, strict=True))
        named[name] = tuple(axis_of(index, list(sizes)) for index, sizes in columns)
    return named
