"""Losses and metric of values, of which rows that are NaN do not count."""

from typing import Any

import keras
from keras import ops

from zoo.training.options import VALUE_LOSSES


@keras.saving.register_keras_serializable(package="zoo")
class MaskedValueLoss(keras.losses.Loss):
    """A loss of values, averaged over the rows that have values.

    Source: Huber 1964, with `delta = 1`.
    Formula: `mse = d^2`, `mae = |d|`, `huber = d^2 / 2 if |d| <= 1 else |d| - 1/2` of the
        difference `d`; the mean over the values of a row, and over the rows

    Args:
        kind: "mse", "mae" or "huber".

    Inputs: `values` (B, K), NaN in rows that do not count; `predictions` (B, K).
    Outputs: A float32 scalar; 0 if no row has values.

    Raises:
        ValueError: If `kind` is unknown.

    Example:
        >>> loss = MaskedValueLoss("huber")
        >>> float(loss([[1.0], [4.0], [float("nan")]], [[0.0], [0.0], [0.0]]))  # (0.5 + 3.5) / 2
        2.0
    """

    def __init__(self, kind: str = "mse", name: str = "masked_value_loss") -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        if kind not in VALUE_LOSSES:
            raise ValueError(f"`kind` must be one of {', '.join(VALUE_LOSSES)}, got {kind!r}.")
        self.kind = kind

    def call(self, values: Any, predictions: Any) -> Any:
        known, values, predictions = known_values(values, predictions)
        size = ops.abs(values - predictions)
        each = {
            "mse": lambda: ops.square(size),
            "mae": lambda: size,
            "huber": lambda: ops.where(size <= 1, 0.5 * ops.square(size), size - 0.5),
        }[self.kind]()
        mean = ops.mean(each, axis=-1, keepdims=True)
        return ops.sum(mean * known) / ops.maximum(ops.sum(known), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name}


@keras.saving.register_keras_serializable(package="zoo")
class MaskedR2(keras.metrics.Metric):
    """The coefficient of determination of values, averaged over the columns.

    Source: Draper & Smith 1998, section 1.3.
    Formula: `R2 = 1 - sum (y - p)^2 / sum (y - mean y)^2` over the rows that have values; 0 for a
        column of equal values

    Args:
        num_values: Number K of columns.

    Inputs: `values` (B, K), NaN in rows that do not count; `predictions` (B, K).
    Outputs: A float32 scalar.

    Example:
        >>> metric = MaskedR2(1)
        >>> metric.update_state([[1.0], [3.0], [float("nan")]], [[1.0], [2.0], [9.0]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, num_values: int, name: str = "r2", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_values = num_values
        self.count = self.add_variable((), "zeros", dtype="float32", name="count")
        self.total, self.squares, self.errors = (
            self.add_variable((num_values,), "zeros", dtype="float32", name=name)
            for name in ("total", "squares", "errors")
        )

    def update_state(self, values: Any, predictions: Any, sample_weight: Any = None) -> None:
        known, values, predictions = known_values(values, predictions)
        self.count.assign_add(ops.sum(known))
        self.total.assign_add(ops.sum(known * values, axis=0))
        self.squares.assign_add(ops.sum(known * ops.square(values), axis=0))
        self.errors.assign_add(ops.sum(known * ops.square(values - predictions), axis=0))

    def result(self) -> Any:
        mean = ops.divide_no_nan(self.total.value, self.count.value)
        spread = self.squares.value - self.count.value * ops.square(mean)
        is_constant = spread <= 1e-6 * self.squares.value
        share = self.errors.value / ops.where(is_constant, 1.0, spread)
        return ops.mean(ops.where(is_constant, 0.0, 1 - share))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_values": self.num_values}


def known_values(values: Any, predictions: Any) -> tuple[Any, Any, Any]:
    """1 for rows that have values, otherwise 0 (B, 1); and values and predictions without NaN.

    Example:
        >>> known, values, _ = known_values([[2.0], [float("nan")]], [[0.0], [0.0]])
        >>> ops.convert_to_numpy(known).tolist(), ops.convert_to_numpy(values).tolist()
        ([[1.0], [0.0]], [[2.0], [0.0]])
    """
    values, predictions = (ops.cast(each, "float32") for each in (values, predictions))
    missing = ops.any(ops.isnan(values), axis=-1, keepdims=True)
    return 1 - ops.cast(missing, "float32"), ops.where(missing, 0.0, values), predictions
