"""Calibration of a classifier: a temperature that fits its scores to validation data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import keras
import numpy as np

from zoo.data.batching.padded_columns import NO_LABEL

LOWEST, HIGHEST = 0.05, 20.0  # temperature


class Tuned(Protocol):
    """What is fitted to validation data after training; as a string, a line for the log."""

    @property
    def temperature(self) -> float:
        """What logits are divided by."""

    @property
    def threshold(self) -> float | None:
        """The probability from which one of several labels is predicted, or None."""

    @property
    def temperatures(self) -> Mapping[str, float]:
        """The temperature of each task, by name, where a model has several."""

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The threshold of each task, by name, where a model has several."""


@dataclass(frozen=True)
class Calibration:
    """A temperature, and the log loss without and with it.

    Args:
        temperature: What logits are divided by.
        before: The mean log loss of the validation data at temperature 1.
        after: That at this temperature.
    """

    temperature: float
    before: float
    after: float
    threshold: None = None
    temperatures: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"scores calibrated on the validation data: temperature {self.temperature:.3g}, "
            f"log loss {self.before:.4g} before and {self.after:.4g} after"
        )


@dataclass(frozen=True)
class TunedTasks:
    """What is fitted for each of several tasks, by name."""

    tasks: Mapping[str, Tuned]
    temperature: float = 1.0
    threshold: None = None

    @property
    def temperatures(self) -> dict[str, float]:
        """The temperature of each task, by name."""
        return {name: each.temperature for name, each in self.tasks.items()}

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold of each task that has one, by name."""
        thresholds = ((name, each.threshold) for name, each in self.tasks.items())
        return {name: each for name, each in thresholds if each is not None}

    def __str__(self) -> str:
        return "; ".join(f"{name}: {each}" for name, each in self.tasks.items())


def calibration_of(
    logits: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None
) -> Calibration:
    """Fits a temperature to labeled logits.

    The labels are smoothed as if one more row of each of two labels had been seen, so that a few
    rows which are all correct do not make a model certain. Where this raises the log loss of the
    labels themselves, as of rows of which the model is right and certain, the temperature is that
    of labels that are not smoothed, and at least 1: the log loss is never higher than without it.

    Source: Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2; Platt 1999,
        section 2.2 (smoothed labels).
    Formula: `argmin_T -sum_i w_i sum_c q_ic log softmax(z_i / T)_c / sum_i w_i`,
        `q_ic = (1 - e) [y_i = c] + e / C`, `e = 2 / (N + 2)`

    Args:
        logits: (N, C).
        labels: Class numbers (N,), N of at least 1.
        weights: The weight w of each row, (N,), some above 0; 1 by default.

    Example:
        >>> logits = np.array([[4.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 0.0]] * 50)
        >>> fitted = calibration_of(logits, np.array([0, 0, 1, 1] * 50))
        >>> round(fitted.temperature, 2), round(fitted.before, 2), round(fitted.after, 2)
        (3.69, 1.02, 0.56)
    """
    logits = np.asarray(logits, np.float64)
    weights = np.ones(len(labels)) if weights is None else weights

    def loss(divisor: float) -> float:
        own = _log_softmax(logits / divisor)[np.arange(len(labels)), labels]
        return -float(np.average(own, weights=weights))

    temperature = _best_temperature(logits, labels, weights, 2 / (len(labels) + 2))
    if loss(temperature) > loss(1.0):
        exact = max(1.0, _best_temperature(logits, labels, weights, 0.0))
        temperature = min(1.0, exact, key=loss)
    return Calibration(temperature, loss(1.0), loss(temperature))


def _best_temperature(
    logits: np.ndarray, labels: np.ndarray, weights: np.ndarray, share: float
) -> float:
    """The temperature with the least log loss of labels that are smoothed by `share`."""
    own = logits[np.arange(len(labels)), labels]
    wanted = np.average((1 - share) * own + share * logits.mean(axis=1), weights=weights)

    def slope(inverse: float) -> float:
        """The derivative of the loss with respect to 1 / T, which rises."""
        scores = np.exp(_log_softmax(logits * inverse))
        return float(np.average((scores * logits).sum(axis=1), weights=weights) - wanted)

    low, high = 1 / HIGHEST, 1 / LOWEST
    for _ in range(50):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return float((low * high) ** -0.5)


def calibrate(model: keras.Model, batches: Iterable[tuple[Any, ...]]) -> Calibration | None:
    """Fits a temperature to the output `logits` of a model; None without labeled rows.

    Args:
        model: The model.
        batches: Batches of inputs and class numbers (B,), or also of weights of rows.
    """
    logits, labels, weights = known_logits(model, batches)
    return calibration_of(logits, labels, weights) if weights.any() else None


def known_logits(
    model: keras.Model, batches: Iterable[tuple[Any, ...]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The output `logits` of a model for the rows or nodes that have labels.

    Args:
        model: The model.
        batches: Batches of inputs and class numbers (B,) or (B, nodes), or 0 and 1 (B, C), and of
            weights of rows (B,), if there are any.

    Returns:
        The logits (N, C), the labels, and the weights (N,), which are 1 if there are none.
    """
    logits, labels, weights = [], [], []
    for inputs, numbers, *given in batches:
        own = np.asarray(numbers)
        predicted = model(keras.tree.map_structure(np.asarray, inputs), training=False)["logits"]
        array = keras.ops.convert_to_numpy(predicted)
        several = own.ndim == array.ndim
        known = (own != NO_LABEL).all(axis=-1) if several else own != NO_LABEL
        logits.append(array[known])
        labels.append(own[known])
        weights.append(np.asarray(given[0])[known] if given else np.ones(known.sum()))
    return np.concatenate(logits), np.concatenate(labels), np.concatenate(weights)


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
