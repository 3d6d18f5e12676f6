"""Forecasting: from series to quantiles of their next values."""

from typing import Any, ClassVar

import numpy as np

from zoo.data.readers.files import is_path
from zoo.data.series.series import Series
from zoo.errors import UserError
from zoo.tasks.answers.forecasts import Forecasts as Answers
from zoo.tasks.answers.forecasts import last_forecasts
from zoo.tasks.forecast import Forecast, Forecasts
from zoo.tasks.formats.series import SERIES
from zoo.tasks.inputs.series import FORECAST_SERIES
from zoo.tasks.options import series_forecaster as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.forecasts import ForecastRecipe
from zoo.tasks.task import Task


class SeriesForecaster(Task):
    """Forecasts quantiles of the next values of series.

    It learns from one or several series, which may have missing values and covariates. `predict`
    takes a list of arrays or of `zoo.Series`, or a table, and `ForecastOptions` of
    `zoo.tasks.options.series_forecaster`; it returns for each series an array of quantiles (H, Q),
    or (H, C, Q) for several targets.

    Source: Wen et al. 2017.

    Example:
        >>> import numpy as np, zoo
        >>> wave = 5 + np.sin(np.arange(97) * np.pi / 2)
        >>> task = zoo.SeriesForecaster(horizon=4, seasonality=4, quantiles=[0.1, 0.5, 0.9])
        >>> task.adapt([wave])
        >>> history = task.fit([wave], epochs=2, xla=False, verbose=False)
        >>> task.predict([wave])[0].shape
        (4, 3)
    """

    name = "series-forecaster"
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=SERIES,
        input=FORECAST_SERIES,
        answer=Answers(FORECAST_SERIES),
        recipe=ForecastRecipe(),
        purpose="Forecasts quantiles of the next values of series.",
        preview="Forecasts of the last values of series, and these values.",
        pictures=Pictures.FORECASTS,
    )

    def forecasts(self, data: Any, batch_size: int | None = None, **given: Any) -> Forecasts:
        """The forecasts with their times, which a notebook shows as charts, and `show()` prints.

        Args:
            data: Series, or a table, in the form that `predict` takes.
            batch_size: Number of series at a time.
            **given: See `zoo.tasks.options.series_forecaster.ForecastOptions`.
        """
        examples, known = self.read(data), self.preprocessor
        quantiles = self.predict(examples, batch_size, **given)
        levels = self.settings.quantiles
        shape = -1, len(known.targets), len(levels)
        return Forecasts(
            Forecast(each, x.reshape(shape), examples.clock, known.targets, levels)
            for each, x in zip(examples.series, quantiles, strict=True)
        )

    def predict_named(
        self, data: Any, batch_size: int | None = None, **given: Any
    ) -> list[dict[str, Any]]:
        """For each path of a table the forecasts by series, time, and level of the quantile."""
        for path in data:
            if not is_path(path):
                raise UserError(f"expected the path of a table, got {path!r:.60}")
        return [
            {each.series.name: each.by_time() for each in self.forecasts(path, batch_size, **given)}
            for path in data
        ]

    def last_forecasts(self, data: Any, count: int) -> list[tuple[Series, np.ndarray]]:
        """The first series that have a last horizon to compare with, and forecasts of it.

        Args:
            data: Series, in the form that `fit` takes.
            count: Maximum number of series.

        Returns:
            For each the whole series, and the quantiles (H, C, Q) of its last values.
        """
        examples = self.read(data)
        self.preprocessor.check(examples)
        return last_forecasts(self.predictor(), examples, count)
