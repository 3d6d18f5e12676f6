"""Several texts in a row, each of which a causal Transformer reads as if it were alone."""

from typing import Any, Protocol, runtime_checkable

from keras import ops

TEXTS = "text_numbers"  # an input: the number of the text of each token


@runtime_checkable
class ReadsPackedTexts(Protocol):
    """A model with the further input `text_numbers`."""

    def check_packed(self) -> None:
        """Refuses a configuration in which texts in one row would see each other.

        Raises:
            UserError: If the attention is not that of all positions.
        """


def same_text(numbers: Any) -> Any:
    """The mask of a block for each text: which tokens are of the same one.

    Args:
        numbers: int32 tensor (B, T), the number of the text of each token.

    Returns:
        bool tensor (B, T, T).

    Example:
        >>> same_text(ops.array([[1, 1, 2]]))[0].numpy().astype(int).tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    return ops.equal(ops.expand_dims(numbers, 2), ops.expand_dims(numbers, 1))


def places(numbers: Any) -> Any:
    """The place of each token in its text, from 0: int32 (B, T).

    Formula: `p_t = t - max {s <= t: s = 0 or n_s != n_s-1}`

    Example:
        >>> places(ops.array([[1, 1, 2, 2, 2]])).numpy().tolist()
        [[0, 1, 0, 1, 2]]
    """
    same = ops.cast(same_text(numbers), "int32")
    length = ops.shape(numbers)[1]
    columns = ops.arange(length, dtype="int32")
    before = ops.cast(ops.expand_dims(columns, 1) > ops.expand_dims(columns, 0), "int32")
    return ops.sum(same * before, axis=2)


def with_places(positions: Any, x: Any, numbers: Any) -> Any:
    """Adds the embeddings of the places in each text to x (B, T, D), if there are positions."""
    if positions is None:
        return x
    rows, length = ops.shape(x)[0], ops.shape(x)[1]
    apart = ops.reshape(x, (rows * length, 1, x.shape[-1]))
    moved = positions(apart, start_index=ops.reshape(places(numbers), (-1,)))
    return ops.reshape(moved, (rows, length, x.shape[-1]))
