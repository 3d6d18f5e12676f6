"""The cross-entropy as a metric: the loss without regularization of weights."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="zoo")
class Crossentropy(keras.metrics.Metric):
    """Mean loss of the labels, without the L2 penalty that Keras adds to `loss` and `val_loss`.

    The penalty changes in training whatever the model predicts, so that `val_loss` would choose an
    epoch in part by the size of the weights.

    Source: the published code of Veličković et al. 2018, which stops early by this loss.
    Formula: `sum over batches of n_b loss_b / sum n_b`, with n_b rows with labels in batch b

    Args:
        loss: A loss from labels and logits, the mean over the rows that have labels.
        ignore_id: Label of the rows to ignore.

    Inputs: `labels` (N) or (N, C), `logits` (N, C).
    Outputs: A float32 scalar.

    Example:
        >>> from keras_attn import MaskedCrossentropy
        >>> metric = Crossentropy(MaskedCrossentropy(ignore_id=-1), ignore_id=-1)
        >>> metric.update_state([1, -1], [[0.0, 0.0], [9.0, 0.0]])
        >>> round(float(metric.result()), 4)  # log 2
        0.6931
    """

    def __init__(
        self, loss: Any, ignore_id: int = -1, name: str = "crossentropy", dtype: Any = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.loss = keras.losses.get(loss)
        self.ignore_id = ignore_id
        self.total = self.add_variable((), "zeros", dtype="float32", name="total")
        self.count = self.add_variable((), "zeros", dtype="float32", name="count")

    def update_state(self, labels: Any, logits: Any, sample_weight: Any = None) -> None:
        logits = ops.convert_to_tensor(logits)
        known = ops.not_equal(ops.cast(labels, "int32"), self.ignore_id)
        if len(known.shape) == len(logits.shape):
            known = ops.all(known, axis=-1)
        count = ops.sum(ops.cast(known, "float32"))
        self.total.assign_add(count * ops.cast(self.loss(labels, logits), "float32"))
        self.count.assign_add(count)

    def result(self) -> Any:
        return ops.divide_no_nan(self.total.value, self.count.value)

    def get_config(self) -> dict[str, Any]:
        loss = keras.losses.serialize(self.loss)
        return {**super().get_config(), "loss": loss, "ignore_id": self.ignore_id}
