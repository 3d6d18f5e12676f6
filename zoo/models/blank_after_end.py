"""The CTC blank after the end of each row of a batch."""

from typing import Any

import keras
from keras import ops

BLANK = 0
IMPOSSIBLE = -1e30  # logit of a character after the end


# The registered name is that in saved models.
@keras.saving.register_keras_serializable(package="keras_attn", name="CertainBlank")
class BlankAfterEnd(keras.layers.Layer):
    """Sets the probability of the blank to 1 at all steps after the end of a row.

    Such a blank changes neither the loss nor what is decoded, so both may count all steps.

    Source: Graves et al. 2006, section 3.1 (the blank).
    Formula: after the end, the logit is 0 for the blank, class 0, and -1e30 for all others

    Inputs: `logits` (B, T, V), `mask` (B, T), True for the steps of a row.
    Outputs: (B, T, V), float32.

    Example:
        >>> logits = BlankAfterEnd()(ops.ones((1, 2, 3)), ops.convert_to_tensor([[True, False]]))
        >>> ops.convert_to_numpy(ops.softmax(logits))[0, 1].tolist()
        [1.0, 0.0, 0.0]
    """

    def __init__(self, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)

    def call(self, logits: Any, mask: Any) -> Any:
        is_blank = ops.equal(ops.arange(logits.shape[-1], dtype="int32"), BLANK)
        certain = ops.where(is_blank, 0.0, IMPOSSIBLE)
        return ops.where(ops.expand_dims(mask, -1), ops.cast(logits, "float32"), certain)

    def compute_mask(self, *inputs: Any, **masks: Any) -> None:
        """No mask: Keras would apply it to the losses of rows."""

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}
