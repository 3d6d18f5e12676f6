"""Maps between the tensors of a checkpoint and the weights of a model, to read and to write."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import keras
import numpy as np
from keras import ops

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint


@dataclass(frozen=True)
class TensorRow:
    """A tensor of a checkpoint, and the weights of a model that it contains.

    Kernels are matrices in a checkpoint; in a model, attention heads have a separate axis.

    Args:
        name: Name of the tensor.
        weights: The weights, which are concatenated along the output axis.
        inputs: Number of leading axes of a weight that are inputs, such as the tokens of an
            embedding; 0 for biases and layer normalizations.
        outputs_first: Whether the tensor has outputs before inputs, like PyTorch's `Linear`.
        positions: For position embeddings, the number of unused rows at the beginning of the
            tensor. A model with fewer positions reads only the first ones.
        part: If the tensor is one of n equal parts of a single weight along its output axis, the
            index of the part, and n.
        swapped: Whether the tensor has the two halves of the outputs in reverse order.
        offset: What a weight is greater by than the tensor, such as 1 of Gemma's normalizations.
    """

    name: str
    weights: tuple[keras.Variable, ...]
    inputs: int = 0
    outputs_first: bool = False
    positions: int | None = None
    part: tuple[int, int] = (0, 1)
    offset: float = 0.0
    swapped: bool = False

    def tensor(self) -> np.ndarray:
        """Converts the current weights to the tensor."""
        parts = [ops.convert_to_numpy(weight) for weight in self.weights]
        flat = [part.reshape(_flat(part.shape, self.inputs)) for part in parts]
        array = self._part_of(np.concatenate(flat, axis=-1))
        array = array - self.offset if self.offset else array
        array = self._reversed(array)
        if self.positions:
            array = np.pad(array, ((self.positions, 0), (0, 0)))
        return np.ascontiguousarray(array.T if self.outputs_first else array, "float32")

    def assign(self, tensor: np.ndarray) -> None:
        """Assigns the tensor to the weights.

        Raises:
            ValueError: If the shape is wrong; the message has both shapes.
        """
        shapes = [_flat(weight.shape, self.inputs) for weight in self.weights]
        widths = [shape[-1] for shape in shapes]
        expected = (*shapes[0][:-1], sum(widths) // self.part[1])
        if self.outputs_first:
            expected = expected[::-1]
        if self.positions is not None:
            expected = (self.positions + expected[0], *expected[1:])
            tensor = tensor[: expected[0]]
        if tensor.shape != expected:
            raise ValueError(f"has shape {tensor.shape}, expected {expected}")
        tensor = tensor[self.positions or 0 :]
        tensor = tensor + self.offset if self.offset else tensor
        if self.outputs_first:
            tensor = tensor.T
        if self.part[1] > 1:
            whole = ops.convert_to_numpy(self.weights[0]).reshape(shapes[0]).copy()
            self._part_of(whole)[...] = tensor
            tensor = whole
        tensor = self._reversed(tensor)
        parts = np.split(tensor, np.cumsum(widths)[:-1], axis=-1)
        for weight, part in zip(self.weights, parts, strict=True):
            weight.assign(part.reshape(weight.shape))

    def _reversed(self, array: np.ndarray) -> np.ndarray:
        """A matrix with the halves of its columns in reverse order, if the tensor has them so."""
        return np.roll(array, array.shape[-1] // 2, axis=-1) if self.swapped else array

    def _part_of(self, whole: np.ndarray) -> np.ndarray:
        """The columns of a matrix that the tensor has."""
        index, count = self.part
        width = whole.shape[-1] // count
        return whole[..., index * width : (index + 1) * width]


Rows = Iterable[TensorRow]


def linear(name: str, weights: list[keras.Variable], inputs: int = 1) -> Iterator[TensorRow]:
    """Rows for the kernel and the bias of PyTorch's `Linear`."""
    kernel, bias = weights
    yield TensorRow(f"{name}.weight", (kernel,), inputs, outputs_first=True)
    yield TensorRow(f"{name}.bias", (bias,))


def matrix(
    name: str, weight: keras.Variable, inputs: int = 1, part: tuple[int, int] = (0, 1)
) -> TensorRow:
    """The row for the kernel of PyTorch's `Linear` without a bias."""
    return TensorRow(name, (weight,), inputs, outputs_first=True, part=part)


def norm(name: str, weights: list[keras.Variable]) -> Iterator[TensorRow]:
    """Rows for the scale and the shift of a layer normalization."""
    for end, weight in zip(("weight", "bias"), weights, strict=True):
        yield TensorRow(f"{name}.{end}", (weight,))


def read(checkpoint: Checkpoint, rows: Rows, prefix: str = "") -> None:
    """Assigns the tensors of a checkpoint to weights.

    Raises:
        UserError: If a tensor is missing or has a different shape.
    """
    for row in rows:
        tensor = checkpoint.tensor(prefix + row.name)
        try:
            row.assign(tensor)
        except ValueError as error:
            raise UserError(f"{checkpoint.folder}: {prefix + row.name} {error}") from None


def tensors(rows: Rows, prefix: str = "") -> dict[str, np.ndarray]:
    """The tensors of rows by name, in the format that `read` reads."""
    return {prefix + row.name: row.tensor() for row in rows}


def _flat(shape: tuple[int, ...], inputs: int) -> tuple[int, ...]:
    """The shape of a weight with a single axis for inputs and a single axis for outputs."""
    outputs = int(np.prod(shape[inputs:]))
    return (int(np.prod(shape[:inputs])), outputs) if inputs else (outputs,)
