"""The two losses that BERT is pre-trained with.

`model.compile(loss={"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()})`
"""

import keras
from keras import ops

from keras_attn.losses.masked import MaskedCrossentropy, token_crossentropy


@keras.saving.register_keras_serializable(package="keras_attn")
class MaskedLMLoss(MaskedCrossentropy):
    """Crossentropy at the positions that were chosen to be guessed, and at no other.

    The labels hold the original token where a position was chosen, whatever stands there now,
    and `ignore_id` everywhere else. It is `MaskedCrossentropy` with the habit of masked language
    models, where any token, padding too, is a label like the others.

    Source: Devlin et al. 2019, "BERT", section 3.1, task 1.
    Formula: `-sum_{t chosen} w_t log softmax(logits_t)[label_t] / sum_{t chosen} w_t`

    Args:
        ignore_id: The label of the positions that were not chosen.
        name: Name of the loss.

    Inputs: labels (B, T) integers, logits (B, T, V), sample_weight None, (B, T) or (B,). Labels
        and logits of the chosen positions alone, (B, M) and (B, M, V), will do as well.
    Outputs: a float32 scalar; 0 where no position was chosen.

    Raises:
        ValueError: If labels and logits do not match.

    Example:
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
    """Crossentropy of whether the second text follows the first.

    Source: Devlin et al. 2019, "BERT", section 3.1, task 2; class 0 is "follows", as in the
        released checkpoints.
    Formula: `-sum_b w_b log softmax(logits_b)[label_b] / sum_b w_b`

    Args:
        name: Name of the loss.

    Inputs: labels (B,) or (B, 1), 0 where the second text follows and 1 where it does not;
        logits (B, 2); sample_weight None or (B,).
    Outputs: a float32 scalar.

    Raises:
        ValueError: If the logits are not (B, 2).

    Example:
        >>> round(float(NextSentenceLoss()([0, 1], ops.array([[9.0, 0.0], [0.0, 0.0]]))), 4)
        0.3466
    """

    def __init__(self, name: str = "next_sentence") -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight", dtype="float32")

    def call(self, labels, logits):
        if len(logits.shape) != 2 or logits.shape[-1] != 2:
            raise ValueError(f"logits must be (B, 2); received {tuple(logits.shape)}.")
        return token_crossentropy(ops.reshape(labels, (-1,)), logits)

    def get_config(self) -> dict:
        return {"name": self.name}
