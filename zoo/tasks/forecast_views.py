"""What a forecaster takes and shows: series, named forecasts, and rows for a report."""

from dataclasses import replace
from typing import Any

import numpy as np

from zoo.data.readers.files import is_path
from zoo.data.series.clock import Clock
from zoo.data.series.forecasts import named_forecast
from zoo.data.series.series import Series
from zoo.errors import UserError
from zoo.heads.quantiles import values_as_text
from zoo.tasks.series_task import SeriesTask
from zoo.tasks.views import PreviewRow


class ForecastViews(SeriesTask):
    """A task that forecasts series, with what it shows."""

    def predict_named(self, data: Any, batch_size: int = 64, **given: Any) -> list[dict[str, Any]]:
        """The forecasts by the name of the series, the time and the level of the quantile.

        Args:
            data: A list of paths of tables.
            batch_size: Number of series at a time.
            **given: See `zoo.tasks.options.series_forecaster.ForecastOptions`.

        Returns:
            A dictionary for each path; of several targets, with their names before the levels.
        """
        found = []
        for path in data:
            if not is_path(path):
                raise UserError(f"expected the path of a table, got {path!r:.60}")
            examples = self.read(path)
            forecasts = self.predict(examples, batch_size, **given)
            pairs = zip(examples.series, forecasts, strict=True)
            found.append({x.name: self._named(x, f, examples.clock) for x, f in pairs})
        return found

    def _named(self, series: Series, forecast: np.ndarray, clock: Clock) -> dict[str, Any]:
        """The quantiles of one series by time."""
        targets, levels = self.preprocessor.targets, self.settings.quantiles
        shape = len(forecast), len(targets), len(levels)
        return named_forecast(series, forecast.reshape(shape), clock, targets, levels)

    def last_forecasts(self, data: Any, count: int) -> list[tuple[Series, np.ndarray]]:
        """The first series that have a last horizon to compare with, and forecasts of it.

        Args:
            data: Series, in the form that `fit` takes.
            count: Maximum number of series.

        Returns:
            For each the whole series, and the quantiles (H, C, Q) of its last values.
        """
        horizon = self.preprocessor.horizon
        long = [each for each in self.series_of(self.read(data)) if len(each) > horizon][:count]
        cut = [replace(each, values=each.values[:-horizon]) for each in long]
        there = [not np.isnan(x.values[-self.preprocessor.context :]).all() for x in cut]
        cut = [each for each, known in zip(cut, there, strict=True) if known]
        rows = self.predict_rows(self.preprocessor.raw(cut), self.runner())
        shown = [each for each, known in zip(long, there, strict=True) if known]
        return [(x, row["forecast"]) for x, row in zip(shown, rows, strict=True)]

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        horizon = self.preprocessor.horizon
        return [
            PreviewRow(
                series.name,
                self.result_text(forecast),
                values_as_text(series.values[-horizon:]),
                replace(series, values=series.values[:-horizon]),
            )
            for series, forecast in self.last_forecasts(data, count)
        ]
