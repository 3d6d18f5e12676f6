"""A character n-gram language model as a table, for beam search inside a graph."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from keras import ops

from zoo.errors import UserError

MOST = 1 << 22  # numbers in a table
START = 0  # class of what is before the beginning, which no label has


class CharacterNgram:
    """How probable each label is after the n - 1 labels before it.

    Source: Witten & Bell 1991, in the interpolated form of Chen & Goodman 1999, section 2.4.
    Formula: `p(w | h) = (c(h w) + N(h) p(w | h')) / (c(h) + N(h))`, c the counts, N(h) the number
        of different labels after h, h' the context h without its first label; below the empty
        context all labels are equally probable

    Args:
        table: Log-probabilities (V, ..., V), float32: n - 1 axes for the context, oldest label
            first, and one for the label.

    Example:
        >>> model = CharacterNgram.of([[1, 2, 1, 2], [1]], order=2, classes=3)
        >>> [f"{p:.2f}" for p in np.exp(model.table[1])]  # after 1: the label 2 twice
        ['0.00', '0.19', '0.81']
    """

    def __init__(self, table: np.ndarray) -> None:
        self.table, self.order = table, table.ndim

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], order: int, classes: int) -> "CharacterNgram":
        """The model of label sequences.

        Args:
            rows: Label sequences, with labels from 1 to `classes` - 1.
            order: The n of the n-grams.
            classes: Number of labels V, with that of the start.

        Raises:
            UserError: If the table would be too large.
        """
        if classes**order > MOST:
            raise UserError(
                f"ngram {order} is too large for {classes - 1} characters: its table would have "
                f"{classes**order:,} numbers; expected at most {MOST:,}"
            )
        counts = np.zeros((classes,) * order)
        for row in rows:
            padded = [START] * (order - 1) + [*row]
            for end in range(len(row)):
                counts[tuple(padded[end : end + order])] += 1
        below = np.full(classes, 1 / max(classes - 1, 1))
        below[START] = 0
        for length in range(order):  # of the context
            of_length = counts.sum(axis=tuple(range(order - 1 - length)))
            kinds = (of_length > 0).sum(axis=-1, keepdims=True)
            total = of_length.sum(axis=-1, keepdims=True) + kinds
            below = np.broadcast_to(below, of_length.shape)
            below = np.where(total > 0, (of_length + kinds * below) / np.maximum(total, 1), below)
        table = np.log(np.maximum(below, 1e-30))
        return cls(table.astype("float32"))

    def scores(self, weight: float) -> Callable[[Any, Any], Any]:
        """The function that `ctc_beam_search` takes: weighted log-probabilities of labels.

        Args:
            weight: Factor of the log-probabilities.
        """
        classes = self.table.shape[-1]
        rows = ops.convert_to_tensor(weight * self.table.reshape(-1, classes))

        def scores(prefixes: Any, lengths: Any) -> Any:
            context = ops.zeros_like(lengths)
            for back in range(self.order - 1, 0, -1):
                position = ops.expand_dims(lengths - back, -1)
                label = ops.take_along_axis(prefixes, ops.maximum(position, 0), axis=-1)
                label = ops.where(ops.greater_equal(position, 0), label, START)
                label = ops.squeeze(label, -1)
                context = context * classes + label
            return ops.take(rows, context, axis=0)

        return scores
