"""The two pretraining losses of BERT.

`model.compile(loss={"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()})`
"""

import keras
from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.losses.masked import MaskedCrossentropy, token_crossentropy


@keras.saving.register_keras_serializable(package="keras_attn")
class MaskedLMLoss(MaskedCrossentropy):
    """Masked language modeling loss: cross-entropy at the masked positions only.

    The labels hold the original token at the positions selected for prediction, whatever the input
    has there, and `ignore_id` everywhere else. This is `MaskedCrossentropy` with the convention of
    masked language models, in which every token id, including padding, is a valid label.

    Source: Devlin et al. 2019, "BERT", section 3.1, task 1.
    Formula: `-sum_{t chosen} w_t log softmax(logits_t)[label_t] / sum_{t chosen} w_t`

    Args:
        ignore_id: Label of the positions that are not predicted.
        name: Name of the loss.

    Inputs: `labels` (B, T) integers, `logits` (B, T, V), `sample_weight` None, (B, T) or (B,). The
        labels and logits may also be those of the selected positions only, (B, M) and (B, M, V).
    Outputs: A float32 scalar; 0 if no position is selected.

    Raises:
        ValueError: If `labels` and `logits` do not match.

    Example:
        >>> from keras import ops
        >>> from keras_attn import MaskedLMLoss
        >>> loss = MaskedLMLoss()
        >>> round(float(loss([[-100, 4, -100]], ops.zeros((1, 3, 7)))), 4)  # log 7
        1.9459
    """

    def __init__(self, ignore_id: int = -100, name: str = "masked_lm") -> None:
        super().__init__(ignore_id=ignore_id, name=name)

    def get_config(self) -> dict:
        return {"name": self.name, "ignore_id": self.ignore_id}


@keras.saving.register_keras_serializable(package="keras_attn")
class NextSentenceLoss(keras.losses.Loss):
    """Next sentence prediction loss: cross-entropy of whether the second text follows the first.

    Source: Devlin et al. 2019, "BERT", section 3.1, task 2; class 0 is "follows", as in the
        released checkpoints.
    Formula: `-sum_b w_b log softmax(logits_b)[label_b] / sum_b w_b`

    Args:
        name: Name of the loss.

    Inputs: `labels` (B,) or (B, 1), 0 if the second text follows the first and 1 if not; `logits`
        (B, 2); `sample_weight` None or (B,).
    Outputs: A float32 scalar.

    Raises:
        ValueError: If `logits` does not have the shape (B, 2).

    Example:
        >>> from keras import ops
        >>> from keras_attn import NextSentenceLoss
        >>> round(float(NextSentenceLoss()([0, 1], ops.array([[9.0, 0.0], [0.0, 0.0]]))), 4)
        0.3466
    """

    def __init__(self, name: str = "next_sentence") -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight", dtype="float32")

    @dense_only
    def __call__(self, labels, logits, sample_weight=None):
        """Returns the mean loss of the pairs of texts."""
        return super().__call__(labels, logits, sample_weight)

    def call(self, labels, logits):
        if len(logits.shape) != 2 or logits.shape[-1] != 2:
            raise ValueError(f"logits must have the shape (B, 2); received {tuple(logits.shape)}.")
        # (B, 1): Keras would not reduce the losses of an empty batch, (0,).
        return token_crossentropy(ops.reshape(labels, (-1, 1)), ops.expand_dims(logits, 1))

    def get_config(self) -> dict:
        return {"name": self.name}
