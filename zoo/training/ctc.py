"""The CTC loss of a batch, per character."""

from typing import Any

import keras
from keras import ops

from keras_attn.losses.ctc import ctc_loss
from zoo.models.blank_after_end import BLANK


class CharacterCTC(keras.losses.Loss):
    """CTC loss of all recordings, divided by the number of characters that they have.

    The logits behind the end of a recording have a certain blank, so that all steps count; see
    `BlankAfterEnd`. Rows without characters, which fill up batches, do not count.

    Source: Graves et al. 2006, equation 12.
    Formula: `sum_b ctc_loss_b / sum_b L_b` over rows with L_b > 0 characters

    Inputs: `labels` (B, L), classes with blanks behind the end; `logits` (B, T, V).
    Outputs: A float32 scalar.

    Example:
        >>> loss = CharacterCTC()
        >>> round(float(ops.exp(-loss([[1, 0], [0, 0]], ops.zeros((2, 2, 3))))), 4)
        0.3333
    """

    def __init__(self, name: str = "ctc") -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")

    def call(self, labels: Any, logits: Any) -> Any:
        labels = ops.cast(labels, "int32")
        lengths = ops.sum(ops.cast(ops.not_equal(labels, BLANK), "int32"), axis=1)
        steps = ops.full_like(lengths, 1) * ops.shape(logits)[1]
        losses = ctc_loss(labels, logits, lengths, steps, BLANK)
        total = ops.maximum(ops.sum(lengths), 1)
        return ops.where(lengths > 0, losses, 0.0) / ops.cast(total, "float32")
