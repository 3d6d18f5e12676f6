"""The data sets of a preset that make up the tensors of a Hugging Face checkpoint."""

from collections.abc import Iterator
from dataclasses import dataclass

MODEL, TASK = "model.weights.h5", "task.weights.h5"


@dataclass(frozen=True)
class Stored:
    """The data sets of a preset that make up a tensor of a Hugging Face checkpoint.

    Args:
        paths: Paths of the data sets, which are concatenated along the output axis.
        inputs: Number of leading axes of a data set that are inputs; 0 for biases.
        outputs_first: Whether the tensor has outputs before inputs.
        unused_rows: Number of rows of zeros that the tensor begins with.
        file: Name of the file that has the data sets.
    """

    paths: tuple[str, ...]
    inputs: int = 0
    outputs_first: bool = False
    unused_rows: int = 0
    file: str = MODEL


Tensors = Iterator[tuple[str, Stored]]  # name of a tensor, and where it is


def numbered(name: str, number: int) -> str:
    """The path of one of several layers of a class: `dense`, `dense_1`, `dense_2`, ..."""
    return f"layers/{name}_{number}" if number else f"layers/{name}"


def table(name: str, layer: str, unused_rows: int = 0) -> Tensors:
    """The tensor of an embedding."""
    yield f"{name}.weight", Stored((f"{layer}/vars/0",), 1, unused_rows=unused_rows)


def norm(name: str, layer: str, file: str = MODEL) -> Tensors:
    """The tensors of a layer normalization."""
    yield f"{name}.weight", Stored((f"{layer}/vars/0",), file=file)
    yield f"{name}.bias", Stored((f"{layer}/vars/1",), file=file)


def linear(
    name: str, *layers: str, inputs: int = 1, outputs_first: bool = True, file: str = MODEL
) -> Tensors:
    """The tensors of one dense layer, or of several that share a kernel and a bias."""
    kernels = tuple(f"{layer}/vars/0" for layer in layers)
    yield f"{name}.weight", Stored(kernels, inputs, outputs_first, file=file)
    yield f"{name}.bias", Stored(tuple(f"{layer}/vars/1" for layer in layers), file=file)
