"""Connectionist temporal classification (CTC): training on labels without an alignment."""

from typing import Any

import keras
from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.ctc import alignment_loss
from keras_attn.functional.masks import padding_mask
from keras_attn.losses.masked import ImplicitMask


@dense_only
def ctc_loss(
    labels: Any, logits: Any, label_lengths: Any, logit_lengths: Any, blank: int = 0
) -> Any:
    """CTC loss: negative log-likelihood of label sequences that are not aligned with the frames.

    The likelihood is summed over all alignments. An alignment assigns a label or the blank to each
    frame; merging repeats and then removing blanks gives the label sequence.

    A label sequence that has no alignment, because it is longer than its frames (each repeated
    label needs one more frame), has a loss of 0 and no gradient.

    Source: Graves et al. 2006, "Connectionist Temporal Classification", equations 3 and 14-16.
    Formula: `loss = -log sum_{a in B^-1(labels)} prod_t softmax(logits_t)[a_t]`

    Args:
        labels: Integers (B, L), class indices without blanks; values beyond the length of a
            sequence are ignored.
        logits: Unnormalized class scores (B, T, V).
        label_lengths: Number of labels of each sequence, integers (B,), at most L.
        logit_lengths: Number of frames of each sequence, integers (B,), at most T.
        blank: Index of the blank class.

    Returns:
        Losses (B,), float32.

    Raises:
        ValueError: If `labels` or `logits` has the wrong number of axes, or `blank` is not a class
            index.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ctc_loss
        >>> # Two frames, three classes: 3 of the 9 alignments are "a": aa, a-, -a.
        >>> loss = ctc_loss([[1, 0]], ops.zeros((1, 2, 3)), [1], [2])
        >>> round(float(ops.exp(-loss[0])), 4)
        0.3333
    """
    logits, labels = ops.convert_to_tensor(logits), ops.convert_to_tensor(labels)
    frame_mask = padding_mask(logit_lengths, _checked(labels, logits, blank))
    return alignment_loss(labels, logits, label_lengths, frame_mask, blank)


@keras.saving.register_keras_serializable(package="keras_attn")
class CTCLoss(keras.losses.Loss):
    """CTC loss for `model.compile`, averaged over the sequences; see `ctc_loss`.

    The lengths are taken from the tensors: the labels of a sequence end before the first padding
    value, which is the blank or any negative number. Its frames are those where Keras's implicit
    mask on the logits is True, or all T frames if there is no mask.

    Source: Graves et al. 2006, "Connectionist Temporal Classification", equation 12.
    Formula: `sum_b w_b ctc_loss_b / sum_b w_b`

    Args:
        blank: Index of the blank class, which also pads the labels.
        name: Name of the loss.

    Inputs: `labels` (B, L) integers, `logits` (B, T, V), `sample_weight` None or (B,).
    Outputs: A float32 scalar.

    Raises:
        ValueError: If `labels` or `logits` has the wrong number of axes, or `blank` is not a class
            index.

    Example:
        >>> from keras import ops
        >>> from keras_attn import CTCLoss
        >>> loss = CTCLoss()
        >>> round(float(ops.exp(-loss([[1, 0]], ops.zeros((1, 2, 3))))), 4)
        0.3333
    """

    def __init__(self, blank: int = 0, name: str = "ctc") -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight", dtype="float32")
        self.blank = int(blank)
        self._implicit_mask = ImplicitMask()

    @dense_only
    def __call__(self, labels, logits, sample_weight=None):
        """Returns the mean loss; frames that the mask on the logits excludes are skipped."""
        _checked(ops.convert_to_tensor(labels), ops.convert_to_tensor(logits), self.blank)
        # Keras would apply a mask on the logits to the losses, which have no time axis.
        mask = self._implicit_mask(labels, logits)
        return super().__call__(labels, (logits, mask), sample_weight=sample_weight)

    def call(self, labels, logits_and_mask):
        logits, mask = logits_and_mask
        labels = ops.cast(labels, "int32")  # Keras passes every target as float32
        padding = ops.logical_or(ops.equal(labels, self.blank), ops.less(labels, 0))
        # Counted up to the first padding.
        open_labels = ops.equal(ops.cumsum(ops.cast(padding, "int32"), axis=1), 0)
        lengths = ops.sum(ops.cast(open_labels, "int32"), axis=1)
        losses = alignment_loss(labels, logits, lengths, mask, self.blank)
        return ops.expand_dims(losses, -1)  # Keras would not reduce those of an empty batch, (0,)

    def get_config(self) -> dict:
        return {"name": self.name, "blank": self.blank}


def _checked(labels, logits, blank):
    """Checks the shapes and returns the number of frames."""
    if len(labels.shape) != 2 or len(logits.shape) != 3:
        raise ValueError(
            "labels must have the shape (B, L) and logits (B, T, V); "
            f"received {tuple(labels.shape)} and {tuple(logits.shape)}."
        )
    if not 0 <= blank < logits.shape[-1]:
        raise ValueError(
            f"blank must be a class index from 0 to {logits.shape[-1] - 1}; received {blank}."
        )
    return ops.shape(logits)[1]
