"""Batches of windows of series: values before a forecast, and scaled values to forecast."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.series.series import KNOWN, STATIC, VALUES, SeriesSet
from zoo.data.series.windows import (
    center_and_scale,
    contexts,
    covariates,
    futures,
    last_starts,
    training_starts,
)
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError
from zoo.preprocessing.base import TensorSpec

LABELS, OUTPUT = "labels", "scaled"


class SeriesWindows(Batches):
    """Batches of windows of series.

    An epoch has each window once, or a random part of them. To validate, the windows are those of
    the held-out forecasts of each series. Labels are values in the scale of their context,
    (B, horizon, C), NaN where missing.

    Args:
        examples: The series.
        specs: Spec of each feature; that of `values` has the length of the context.
        horizon: Number of steps of a forecast.
        static: The static covariates (N, S) of the series; S may be 0.
        batch_size: Number of windows in a batch.
        limit: Maximum number of windows of an epoch.
        seed: Seed of shuffling.
        every: Number of steps from a held-out forecast to the next; None for a horizon.

    Raises:
        UserError: If all series are too short.

    Example:
        >>> from zoo.data.series.read import read_series
        >>> specs = {"values": TensorSpec(("batch", 2, 1), "float32")}
        >>> batches = SeriesWindows(read_series([np.arange(5.0)]), specs, horizon=1, batch_size=4)
        >>> [batch["values"][..., 0].tolist() for batch in batches.columns(shuffle=False)]
        [[[nan, 0.0], [0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]]
    """

    def __init__(
        self,
        examples: SeriesSet,
        specs: dict[str, TensorSpec],
        horizon: int,
        static: np.ndarray | None = None,
        batch_size: int = 64,
        limit: int = 10_000,
        seed: int = 0,
        every: int | None = None,
    ) -> None:
        super().__init__(_split_labels, seed)
        self.series, self._specs, self.horizon = examples.series, specs, horizon
        self.static = static
        self.context, self.targets = specs[VALUES].shape[1:]
        self.origins = origins_of(examples, int(self.context), horizon, every)
        alone = set(range(len(self.series))) - set(self.origins[:, 0].tolist())
        self.statistics = Statistics({f"series too short for a horizon of {horizon}": len(alone)})
        if not len(self.origins):
            raise UserError(
                f"{examples.path} has no series that is longer than the horizon of {horizon}: "
                "give more values, or a smaller horizon"
            )
        self.of_epoch = min(limit, len(self.origins))
        self.batch_size = min(batch_size, self.of_epoch)
        self.steps_per_epoch = -(-self.of_epoch // self.batch_size)

    def __str__(self) -> str:
        steps = counted(self.steps_per_epoch, "batches")
        windows = counted(len(self.origins), "windows")
        return f"{windows} of {self.context} + {self.horizon} steps, {steps} of {self.batch_size}"

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        inputs = {name: spec.tensorflow for name, spec in self._specs.items()}
        return {**inputs, LABELS: tf.TensorSpec([None, self.horizon, self.targets], tf.float32)}

    def steps(self, shuffle: bool) -> int:
        return self.steps_per_epoch if shuffle else -(-len(self.origins) // self.batch_size)

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        order = np.arange(len(self.origins))
        if shuffle:
            np.random.default_rng([self.seed, epoch]).shuffle(order)
            # All batches have one size, so that XLA compiles once: the last has some twice.
            order = np.resize(order[: self.of_epoch], self.steps_per_epoch * self.batch_size)
        for start in range(0, len(order), self.batch_size):
            yield self._batch(self.origins[order[start : start + self.batch_size]])

    def at(self, numbers: Sequence[int]) -> Columns:
        """Some windows by their numbers, from 0 in the order of the series and of time."""
        return self._batch(self.origins[numbers])

    def _batch(self, origins: np.ndarray) -> Columns:
        context = contexts(self.series, origins, int(self.context))
        center, scale = center_and_scale(context.astype("float64"))
        labels = (futures(self.series, origins, self.horizon) - center) / scale
        columns = {VALUES: context, LABELS: labels.astype("float32")}
        if KNOWN in self._specs:
            columns[KNOWN] = covariates(self.series, origins, int(self.context), self.horizon)
        if STATIC in self._specs and self.static is not None:
            columns[STATIC] = self.static[origins[:, 0]]
        return columns


def origins_of(
    examples: SeriesSet, context: int, horizon: int, every: int | None = None
) -> np.ndarray:
    """The number of the series and the first step of each forecast, (N, 2).

    Args:
        examples: The series; if forecasts are held out, those are the origins, otherwise all.
        context: Number of steps before a forecast.
        horizon: Number of steps of a forecast.
        every: Number of steps from a held-out forecast to the next; None for a horizon.
    """
    forecasts = []
    for number, each in enumerate(examples.series):
        if examples.held_out:
            starts = last_starts(each, context, horizon, examples.held_out[number], every)
        else:
            starts = training_starts(each, context, horizon)
        forecasts.append(np.stack([np.full(len(starts), number), starts], axis=1))
    return np.concatenate(forecasts).astype("int64")


def _split_labels(batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The inputs of the model, and the labels of its scaled output."""
    labels = batch.pop(LABELS)
    return batch, {OUTPUT: labels}
