"""Base class of the preprocessors: raw inputs to features, in TensorFlow operators only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

BATCH, LENGTH = "batch", "length"
Features = dict[str, Any]


@dataclass(frozen=True)
class TensorSpec:
    """Shape and type of a tensor whose dynamic axes have names.

    Args:
        shape: A number for each fixed axis, a name for each dynamic axis. Axes with the same name
            have the same size.
        dtype: Name of the data type.
        padding: Value that pads dynamic axes other than "batch", or None if they cannot be padded.
        meaning: Description of the tensor.
        values: The least and the greatest value, such as those of ids; None if it may have any.

    Example:
        >>> TensorSpec(("batch", "length"), "int32", padding=0).tensorflow
        TensorSpec(shape=(None, None), dtype=tf.int32, name=None)
    """

    shape: tuple[int | str, ...]
    dtype: str
    padding: int | float | bool | None = None
    meaning: str = ""
    values: tuple[int, int] | None = None

    @property
    def tensorflow(self) -> tf.TensorSpec:
        """The same spec for `tf.function`."""
        sizes = [None if isinstance(size, str) else size for size in self.shape]
        return tf.TensorSpec(sizes, self.dtype)


class Preprocessor:
    """Converts raw inputs to features.

    Training, `predict` and artifacts use the same implementation, so they cannot disagree. It is
    written in TensorFlow operators: it runs in `tf.data`, in a SavedModel and, if LiteRT has the
    operators, in a LiteRT file.

    A subclass sets `inputs` and `features`, the specs of the inputs and the outputs.
    """

    inputs: dict[str, TensorSpec]
    features: dict[str, TensorSpec]
    reported: ClassVar[dict[str, str]] = {}  # what artifacts return as it is, with its meaning
    feature_signature: ClassVar[str] = "tokens"  # name of the signature that takes features
    subfolder: ClassVar[str]  # of a run folder, which `save` writes

    def __call__(self, **inputs: Any) -> Features:
        """Converts a batch of raw inputs, given by name, to features by name."""
        raise NotImplementedError

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        """Converts raw inputs in Python to NumPy arrays, and records truncated and unknown data.

        Args:
            inputs: Lists of the same length, by name.
        """
        raise NotImplementedError

    def row_lengths(self, inputs: Mapping[str, Sequence[Any]]) -> list[int]:
        """The length of each row of raw inputs, by which `predict` batches similar ones.

        Args:
            inputs: Lists of the same length, by name.
        """
        return [sum(map(len, row)) for row in zip(*inputs.values(), strict=True)]

    def rows_together(self, batch_size: int, longest: int) -> int:
        """The number of rows of a batch that takes as much memory as one of long rows.

        Args:
            batch_size: The number of long rows.
            longest: The length of the longest row of the batch, of those of `row_lengths`.
        """
        return batch_size

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to be resumed, such as the vocabulary."""
        raise NotImplementedError

    def in_bytes(self, length: int | None = None) -> "Preprocessor":
        """The preprocessor whose texts are bytes instead of strings.

        Args:
            length: Maximum number of tokens of a text, if it is below that of the preprocessor.

        Raises:
            UserError: If it splits texts in a way that has no form in bytes, or `length` leaves no
                room for a token.
        """
        return self

    def shortened(self, length: int) -> Self:
        """The same for texts of at most `length` tokens."""
        return self

    def check_litert(self) -> None:
        """Raises a `UserError` if LiteRT lacks operators of the preprocessor."""

    def probes(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        """Raw inputs to verify an artifact with: examples and edge cases.

        Args:
            examples: Some training examples, by name of the input.
        """
        raise NotImplementedError

    def samples(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        """Many raw inputs like the examples, to count how often two models agree.

        Args:
            examples: Some training examples, by name of the input.
        """
        raise NotImplementedError
