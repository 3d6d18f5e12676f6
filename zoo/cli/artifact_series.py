"""Predictions of an exported artifact for tables of series, as those of its run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.cli.predicted_tables import TableAnswers, whole_table
from zoo.data.series.archives import is_archive, read_archive
from zoo.data.series.clock import Clock
from zoo.data.series.forecasts import named_forecast
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.rows import NPZ, VALUE, read_array_series
from zoo.data.series.series import KNOWN, STATIC, VALUES, Series, SeriesLayout, SeriesSet
from zoo.data.series.windows import last_rows, record_gaps
from zoo.errors import UserError
from zoo.lines import NONE
from zoo.preprocessing.static import StaticColumn, encode_static
from zoo.serving.called import SERVING_DEFAULT, CalledModel

STEPS = "steps"  # an option of forecasts
FORECAST, SEVERAL = "forecast", "labels"


class ArtifactSeries:
    """The predictions of an artifact that takes series.

    Args:
        model: The artifact.
    """

    takes_texts = False
    takes_pairs = False
    suffixes: tuple[str, ...] = ()

    def __init__(self, model: CalledModel) -> None:
        facts, settings = model.config["series"], model.config["settings"]
        self._model, self._settings = model, settings
        self._context, self._horizon = facts["context"], facts["horizon"]
        self._targets, self._known = facts["targets"], facts["known"]
        self.targets = tuple(self._targets) if self._horizon else ()
        self._static = [StaticColumn(**column) for column in facts["static"]]
        given = settings.get("value_column", settings.get("target_column"))
        self._columns = ReadingOptions.of(
            {**settings, "target_column": given},
            layout=SeriesLayout(**facts["layout"]),
            targets=tuple(self._targets),
            clock=Clock(**facts["clock"]),
        )

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """Raises a `UserError`: a row of a table is one step of a series."""
        raise whole_table("the artifact", bool(self.targets))

    def stream(self, options: Mapping[str, Any]) -> None:
        """Artifacts print whole outputs."""

    def __call__(self, paths: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for the series of some tables, as JSON types.

        Args:
            paths: The paths of the tables.
            options: None has an effect; "steps" may be the horizon.

        Raises:
            UserError: If it does not have the columns of the training data, or a series has no
                values, or no covariates of the steps to forecast.
        """
        if options.get(STEPS, self._horizon) != self._horizon:
            raise UserError(
                f"an exported file forecasts one horizon of {self._horizon} steps: leave out "
                f"--steps, or forecast with the run"
            )
        if options.keys() - {STEPS}:
            raise UserError("--seed has no effect: the artifact does not sample")
        return [self._row(path) for path in paths]

    def _row(self, path: str) -> dict[str, Any]:
        examples = self._read(path)
        record_gaps([each.values for each in examples.series], self._context)
        forecasts, outputs = {}, {}
        for each in examples.series:
            outputs_of_one = self._model.run(SERVING_DEFAULT, self._inputs(each))
            own = {name: x[0] for name, x in outputs_of_one.items()}
            forecasts[each.name] = self._shown(each, own, examples)
            outputs[each.name] = {name: array.tolist() for name, array in own.items()}
        return {"text": path, "prediction": forecasts, "outputs": outputs}

    def _read(self, path: str) -> SeriesSet:
        if path.endswith(NPZ):
            return read_array_series(path)
        if not self._horizon and is_archive(path, labeled=self._targets != VALUE):
            return SeriesSet(path, read_archive(path).series, self._targets)
        examples = read_series(path, self._columns)
        for what, names in (("targets", self._targets), ("known covariates", self._known)):
            own = examples.targets if what == "targets" else examples.known
            if own != names:
                listed, wanted = (", ".join(each) or "none" for each in (own, names))
                message = f"{path} has the {what} {listed}; the training data had {wanted}"
                raise UserError(message)
        return examples

    def _inputs(self, series: Series) -> dict[str, np.ndarray]:
        if series.values.shape[1] != len(self._targets) or np.isnan(series.values).all():
            listed = ", ".join(self._targets)
            raise UserError(f"series {series.name!r:.40} must have values of {listed}")
        inputs = {VALUES: last_rows(series.values, self._context)[None]}
        if self._known and series.known is not None:
            steps = len(series) + self._horizon
            if len(series.known) < steps:
                raise UserError(
                    f"series {series.name!r:.40} has known covariates of "
                    f"{len(series.known) - len(series)} steps after its last value; "
                    f"{self._horizon} steps are to be forecast"
                )
            inputs[KNOWN] = last_rows(series.known[:steps], self._context + self._horizon)[None]
        if self._static:
            inputs[STATIC] = encode_static(self._static, [series.static])
        return inputs

    def _shown(self, series: Series, outputs: Mapping[str, Any], examples: SeriesSet) -> Any:
        if VALUES in outputs:
            names = self._settings["value_names"]
            return dict(zip(names, outputs[VALUES].tolist(), strict=True))
        if SEVERAL in outputs:
            pairs = zip(self._settings["labels"], outputs[SEVERAL], strict=True)
            return [label for label, has in pairs if has]
        if FORECAST not in outputs:
            number = int(outputs["class_id"])
            labels, other = self._settings["labels"], self._settings.get("other_label", "")
            return str(other if number == NONE else labels[number])
        levels = self._settings["quantiles"]
        return named_forecast(series, outputs[FORECAST], examples.clock, self._targets, levels)
