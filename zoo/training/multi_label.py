"""Loss and metric of examples that can have several labels."""

from typing import Any

import keras
from keras import ops


def known_rows(labels: Any, ignore_id: int) -> Any:
    """1 for rows without the ignored label, otherwise 0: (..., 1), float32.

    Example:
        >>> ops.convert_to_numpy(known_rows([[1, 0], [-1, -1]], ignore_id=-1)).tolist()
        [[1.0], [0.0]]
    """
    known = ops.not_equal(ops.cast(labels, "int32"), ignore_id)
    return ops.cast(ops.all(known, axis=-1, keepdims=True), "float32")


@keras.saving.register_keras_serializable(package="zoo")
class MaskedSigmoidCrossentropy(keras.losses.Loss):
    """Binary cross-entropy of each class from logits, averaged over the rows that have labels.

    Source: Veličković et al. 2018, section 3.3, the logistic sigmoid for PPI, and the published
        code, which averages over classes and over the nodes of the mask.
    Formula: `mean over n with labels of mean_c (log(1 + exp(z_nc)) - y_nc z_nc)`

    Args:
        ignore_id: Label of the rows to ignore.

    Inputs: `labels` (N, C) of 0 and 1, `logits` (N, C).
    Outputs: A float32 scalar; 0 if no row has labels.

    Example:
        >>> loss = MaskedSigmoidCrossentropy(ignore_id=-1)
        >>> round(float(loss([[1, 0], [-1, -1]], [[0.0, 0.0], [9.0, 9.0]])), 4)  # log 2
        0.6931
    """

    def __init__(self, ignore_id: int = -1, name: str = "masked_sigmoid_crossentropy") -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.ignore_id = ignore_id

    def call(self, labels: Any, logits: Any) -> Any:
        labels, logits = ops.cast(labels, "float32"), ops.cast(logits, "float32")
        rows = known_rows(labels, self.ignore_id)
        each = ops.softplus(logits) - labels * logits
        mean = ops.mean(each, axis=-1, keepdims=True)
        return ops.sum(mean * rows) / ops.maximum(ops.sum(rows), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"ignore_id": self.ignore_id, "name": self.name}


@keras.saving.register_keras_serializable(package="zoo")
class MaskedMicroF1(keras.metrics.Metric):
    """F1 of all labels together, where a label is predicted if its logit is positive.

    Source: Veličković et al. 2018, section 3.4: the micro-averaged F1 of PPI.
    Formula: `F1 = 2 TP / (2 TP + FP + FN)` over all classes of the rows that have labels

    Args:
        ignore_id: Label of the rows to ignore.

    Inputs: `labels` (N, C) of 0 and 1, `logits` (N, C).
    Outputs: A float32 scalar.

    Example:
        >>> metric = MaskedMicroF1(ignore_id=-1)
        >>> metric.update_state([[1, 0], [1, 1], [-1, -1]], [[2.0, 3.0], [1.0, -1.0], [5.0, 5.0]])
        >>> round(float(metric.result()), 4)
        0.6667
    """

    def __init__(self, ignore_id: int = -1, name: str = "micro_f1", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.ignore_id = ignore_id
        self.both = self.add_variable((), "zeros", dtype="float32", name="both")
        self.either = self.add_variable((), "zeros", dtype="float32", name="either")

    def update_state(self, labels: Any, logits: Any, sample_weight: Any = None) -> None:
        labels = ops.cast(labels, "float32")
        rows = known_rows(labels, self.ignore_id)
        predicted, true = ops.cast(ops.greater(logits, 0), "float32") * rows, labels * rows
        self.both.assign_add(2 * ops.sum(predicted * true))
        self.either.assign_add(ops.sum(predicted) + ops.sum(true))

    def result(self) -> Any:
        return ops.divide_no_nan(self.both.value, self.either.value)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "ignore_id": self.ignore_id}
