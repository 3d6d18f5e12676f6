"""Series as the model takes them: the last values of each, with missing ones before them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import tensorflow as tf

from zoo.data.readers.npz import read_arrays
from zoo.data.series.clock import Clock
from zoo.data.series.series import KNOWN, STATIC, VALUES, Series, SeriesLayout, SeriesSet
from zoo.data.series.windows import center_and_scale, last_rows, record_gaps
from zoo.errors import UserError, reason_of
from zoo.json_file import read_json, write_json
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.series_columns import check_columns, listed, meanings_of, static_spec
from zoo.preprocessing.series_sample import SAMPLES, sample_windows
from zoo.preprocessing.static import StaticColumn, encode_static

CONFIG, SAMPLE = "columns.json", "sample.npz"
FUTURE = "length_with_horizon"


class SeriesPreprocessor(Preprocessor):
    """Cuts the end of series to the length of the context; shorter ones begin with missing values.

    Args:
        context: Number of steps of the context.
        horizon: Number of steps of a forecast; 0 if series are not forecast.
        targets: Names of the targets.
        known: Names of the covariates that are known in the future.
        known_scaling: Mean and standard deviation of each of these covariates.
        static: How static covariates become numbers.
        clock: The clock of the training data.
        sample: Some windows of the training data, by name of the input.
        layout: How the table of the training data was written.
    """

    feature_signature: ClassVar[str] = "context"
    subfolder: ClassVar[str] = "series"

    def __init__(
        self,
        context: int,
        horizon: int,
        targets: list[str],
        known: list[str],
        known_scaling: list[list[float]],
        static: list[StaticColumn],
        clock: Clock,
        sample: dict[str, np.ndarray],
        layout: SeriesLayout | None = None,
    ) -> None:
        self.context, self.horizon, self.targets, self.known = context, horizon, targets, known
        self.known_scaling, self.static = known_scaling, static
        self.clock, self.sample, self.layout = clock, sample, layout or SeriesLayout()
        widths = {VALUES: len(targets), **({KNOWN: len(known)} if known else {})}
        self.lengths = {name: context + horizon * (name == KNOWN) for name in widths}
        meanings = meanings_of(targets, known, horizon)
        self.inputs = {
            name: TensorSpec(
                (BATCH, LENGTH if name == VALUES else FUTURE, width),
                "float32",
                meaning=meanings[name],
            )
            for name, width in widths.items()
        }
        short = f"; a shorter series begins with steps of NaN, a longer one ends after {context}"
        self.features = {
            name: TensorSpec(
                (BATCH, self.lengths[name], width),
                "float32",
                meaning=meanings[name] + short * (name == VALUES),
            )
            for name, width in widths.items()
        }
        if static:
            self.inputs[STATIC] = self.features[STATIC] = static_spec(static)

    @property
    def columns(self) -> dict[str, list[str]]:
        """The names of the values of a step, by input."""
        return {VALUES: self.targets, **({KNOWN: self.known} if self.known else {})}

    @classmethod
    def of(cls, examples: SeriesSet, context: int, horizon: int) -> Self:
        """The preprocessor for series like these."""
        static = [
            StaticColumn.of(name, [each.static[index] for each in examples.series])
            for index, name in enumerate(examples.static)
        ]
        sample = sample_windows(examples, context, horizon, static)
        names = list(examples.targets), list(examples.known)
        scaling = [_scaling(examples, index) for index in range(len(examples.known))]
        clock, layout = examples.clock, examples.layout
        return cls(context, horizon, *names, scaling, static, clock, sample, layout)

    def __call__(self, **inputs: Any) -> Features:
        cut = {name: _last(inputs[name], length) for name, length in self.lengths.items()}
        return {**inputs, **cut}

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        record_gaps(inputs[VALUES], self.context)
        features = {}
        for name, length in self.lengths.items():
            longest = max([1, *(min(len(each), length) for each in inputs[name])])
            rows = [last_rows(each, longest) for each in inputs[name]]
            features[name] = np.stack(rows).astype("float32")
        if self.static:
            features[STATIC] = np.asarray(inputs[STATIC], "float32")
        return {name: np.asarray(array) for name, array in self(**features).items()}

    def raw(self, series: Sequence[Series]) -> dict[str, list[Any]]:
        """The inputs of series whose next steps are to be forecast.

        Raises:
            UserError: If a series has other targets or covariates than the training data, no
                values, or no covariates of the steps to forecast.
        """
        raw_inputs: dict[str, list[Any]] = {name: [] for name in self.inputs}
        for each in series:
            self._check(each)
            raw_inputs[VALUES].append(each.values)
            if self.known and each.known is not None:
                raw_inputs[KNOWN].append(each.known[: len(each) + self.horizon])
        if self.static:
            raw_inputs[STATIC] = [*encode_static(self.static, [each.static for each in series])]
        return raw_inputs

    def _check(self, series: Series) -> None:
        name, width = f"series {series.name!r:.40}", series.values.shape[1]
        if width != len(self.targets):
            wanted = f"{len(self.targets)}: {listed(self.targets)}"
            raise UserError(f"{name} has {width} targets; expected {wanted}")
        if np.isnan(series.values[-self.context :]).all():
            raise UserError(f"{name} has no values among the last {self.context}")
        there = 0 if series.known is None else series.known.shape[1]
        if there != len(self.known):
            names = listed(self.known) or "none"
            raise UserError(f"{name} has {there} known covariates; expected {names}")
        self.check_future([series], self.horizon)
        if len(series.static) != len(self.static):
            names = listed([column.name for column in self.static]) or "none"
            raise UserError(f"{name} has {len(series.static)} static covariates; expected {names}")

    def check_future(self, series: Sequence[Series], steps: int) -> None:
        """Raises a `UserError` if covariates of the steps to forecast are not there."""
        for each in series:
            more = steps if each.known is None else len(each.known) - len(each)
            if more < steps:
                raise UserError(
                    f"series {each.name!r:.40} has known covariates of {more} steps after its last "
                    f"value; {steps} steps are to be forecast"
                )

    def check(self, examples: SeriesSet) -> None:
        """Raises a `UserError` if series do not have the columns of the training data."""
        static = [column.name for column in self.static]
        check_columns(examples, self.targets, self.known, static)

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder."""
        write_json(folder / CONFIG, self.table_facts())
        sample: dict[str, Any] = self.sample
        np.savez_compressed(folder / SAMPLE, **sample)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote.

        Raises:
            UserError: If a file is missing or damaged.
        """
        path = folder / CONFIG
        try:
            facts = read_json(path, dict)
            path = folder / SAMPLE
            sample = {name: x.astype("float32") for name, x in read_arrays(path).items()}
            path = folder / CONFIG
            preprocessor = cls.described(facts, sample)
            path = folder / SAMPLE
            shapes = {name: spec.shape[1:] for name, spec in preprocessor.features.items()}
            if {name: array.shape[1:] for name, array in sample.items()} != shapes:
                raise ValueError("the sample has other shapes")
        except Exception as error:  # of zip archives, too
            raise UserError(
                f"{path} is damaged ({reason_of(error)}): restore it, or train again."
            ) from None
        return preprocessor

    @classmethod
    def described(cls, facts: Mapping[str, Any], sample: dict[str, np.ndarray]) -> Self:
        """The preprocessor with some `table_facts`.

        Args:
            facts: What `table_facts` returned.
            sample: Some windows of the training data, by name of the input.
        """
        own = {
            **facts,
            "static": [StaticColumn(**column) for column in facts["static"]],
            "clock": Clock(**facts["clock"]),
            "layout": SeriesLayout(**facts.get("layout", {})),
        }
        return cls(**own, sample=sample)

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on, as JSON types."""
        names = ("context", "horizon", "targets", "known", "known_scaling")
        facts = {name: getattr(self, name) for name in names}
        static = [asdict(column) for column in self.static]
        return {**facts, "static": static, "clock": self.clock.facts()}

    def table_facts(self) -> dict[str, Any]:
        """How tables are read, as JSON types, for whatever reads them for an artifact."""
        return {**self.facts(), "layout": asdict(self.layout)}

    def probes(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        random = np.random.default_rng(0)
        holes = dict(self.sample)
        gaps = random.random(holes[VALUES].shape) < 0.3
        holes[VALUES] = np.where(gaps, np.nan, holes[VALUES]).astype("float32")
        flat = {**self.sample, VALUES: np.full_like(self.sample[VALUES], 7.0)}
        return [self.sample, holes, flat, *(self._cut(steps) for steps in (1, 3))]

    def _cut(self, steps: int) -> dict[str, np.ndarray]:
        """The sample with a context of some last steps alone; values that are missing are 1."""
        more = {VALUES: steps, KNOWN: steps + self.horizon}
        cut = {n: x[:, -more[n] :] if n in more else x for n, x in self.sample.items()}
        return {**cut, VALUES: np.nan_to_num(cut[VALUES], nan=1.0)}

    def samples(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        values, random = self.sample[VALUES], np.random.default_rng(0)
        _, scale = center_and_scale(values.astype("float64"))
        shifts = random.normal(0, 0.2, (SAMPLES - 1, *values.shape)) * scale
        others = [(values + shift).astype("float32") for shift in shifts]
        return [{**self.sample, VALUES: each} for each in (values, *others)]


def _last(x: Any, count: int) -> Any:
    """The last steps of a tensor, with missing ones before them if it is shorter."""
    fill = tf.fill([tf.shape(x)[0], count, x.shape[2]], float("nan"))
    padded = tf.concat([fill, x], axis=1)[:, -count:]
    padded.set_shape([None, count, x.shape[2]])
    return padded


def _scaling(examples: SeriesSet, index: int) -> list[float]:
    """Mean and standard deviation of a covariate that is known in the future; 0 and 1 without."""
    every = np.concatenate([x.known[:, index] for x in examples.series if x.known is not None])
    there = every[~np.isnan(every)].astype("float64")
    if not len(there):
        return [0.0, 1.0]
    return [float(there.mean()), float(there.std()) or 1.0]
