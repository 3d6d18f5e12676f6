"""Connectionist temporal classification: labels without their places in time."""

from typing import Any

import keras
from keras import ops

from keras_attn.functional.ctc import alignment_loss
from keras_attn.functional.masks import padding_mask


def ctc_loss(
    labels: Any, logits: Any, label_lengths: Any, logit_lengths: Any, blank: int = 0
) -> Any:
    """Negative log-likelihood of label strings whose places among the frames are not known.

    The likelihood is the sum over all alignments, that is over all ways to give each frame a
    label or the blank from which merging repeats and then dropping blanks makes the string.

    A string that has no alignment, for it is longer than its frames (a repeated label needs one
    frame more), costs 0 and has zero gradients: there is nothing it could teach.

    Source: Graves et al. 2006, "Connectionist Temporal Classification", equations 3 and 14-16.
    Formula: `loss = -log sum_{a in B^-1(labels)} prod_t softmax(logits_t)[a_t]`

    Args:
        labels: Classes of the strings, none of them the blank; not read beyond their lengths.
        logits: Unnormalized scores of the classes.
        label_lengths: Number of labels of each string, at most L.
        logit_lengths: Number of frames of each sequence, at most T.
        blank: The class that stands for no label.

    Inputs: labels (B, L) integers, logits (B, T, V), label_lengths and logit_lengths (B,) integers.
    Outputs: float32 (B,).

    Raises:
        ValueError: If labels or logits have another rank, or blank is no class.

    Example:
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
    """`ctc_loss` for `model.compile`, averaged over the sequences.

    Lengths come with the tensors: the labels of a sequence end before the first padding, which is
    the blank or any negative number, neither of which can be a label; its frames are those where
    Keras's implicit mask on the logits is True, all T of them where there is none.

    Source: Graves et al. 2006, "Connectionist Temporal Classification", equation 12.
    Formula: `sum_b w_b ctc_loss_b / sum_b w_b`

    Args:
        blank: The class that stands for no label, and pads the labels.
        name: Name of the loss.

    Inputs: labels (B, L) integers, logits (B, T, V), sample_weight None or (B,).
    Outputs: a float32 scalar.

    Raises:
        ValueError: If labels or logits have another rank, or blank is no class.

    Example:
        >>> loss = CTCLoss()
        >>> round(float(ops.exp(-loss([[1, 0]], ops.zeros((1, 2, 3))))), 4)
        0.3333
    """

    def __init__(self, blank: int = 0, name: str = "ctc") -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight", dtype="float32")
        self.blank = int(blank)
        self._open_frames = _OpenFrames()

    def __call__(self, labels, logits, sample_weight=None):
        """The mean loss; frames that the mask of the logits leaves out are as if not there."""
        _checked(ops.convert_to_tensor(labels), ops.convert_to_tensor(logits), self.blank)
        # Keras would take a mask on the logits for one on the losses, which have no time axis.
        mask = self._open_frames(labels, logits)
        return super().__call__(labels, (logits, mask), sample_weight=sample_weight)

    def call(self, labels, logits_and_mask):
        logits, mask = logits_and_mask
        labels = ops.cast(labels, "int32")  # Keras hands every target over as float32
        padding = ops.logical_or(ops.equal(labels, self.blank), ops.less(labels, 0))
        # Counted up to the first padding.
        open_labels = ops.equal(ops.cumsum(ops.cast(padding, "int32"), axis=1), 0)
        lengths = ops.sum(ops.cast(open_labels, "int32"), axis=1)
        return alignment_loss(labels, logits, lengths, mask, self.blank)

    def get_config(self) -> dict:
        return {"name": self.name, "blank": self.blank}


class _OpenFrames(keras.losses.Loss):
    """1 where the logits' implicit mask is True, (B, T); a Keras loss reads that mask."""

    def __init__(self) -> None:
        super().__init__(name="open_frames", reduction=None, dtype="float32")

    def call(self, labels, logits):
        return ops.ones(ops.shape(logits)[:2], dtype="float32")


def _checked(labels, logits, blank):
    """The number of frames."""
    if len(labels.shape) != 2 or len(logits.shape) != 3:
        raise ValueError(
            "labels must be (B, L) and logits (B, T, V); "
            f"received {tuple(labels.shape)} and {tuple(logits.shape)}."
        )
    if not 0 <= blank < logits.shape[-1]:
        raise ValueError(
            f"blank must be one of the {logits.shape[-1]} classes, counted from 0; "
            f"received {blank}."
        )
    return ops.shape(logits)[1]
