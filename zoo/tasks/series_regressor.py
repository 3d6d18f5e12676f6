"""Regression of series: from a whole series to a number or several."""

from typing import Any, ClassVar

from zoo.tasks.answers.values import Values
from zoo.tasks.baselines.linear_vectors import RIDGE, vector_inputs
from zoo.tasks.baselines.small_inputs import described_series
from zoo.tasks.baselines.values import ValueBaselines
from zoo.tasks.formats import series as formats
from zoo.tasks.inputs.whole_series import WHOLE_SERIES, answers_by_name
from zoo.tasks.options import series_regressor as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.series import SeriesRecipe
from zoo.tasks.recipes.targets import ValueTargets
from zoo.tasks.task import Task


class SeriesRegressor(Task):
    """Predicts values of whole series, such as a heart rate; trained on series with values.

    `predict` takes a list of arrays (T,) or (T, C) with NaN where values are missing, a table
    or an `.npz` file, and returns a number for each series; of a task with several values, a
    dictionary of them. Series may have different lengths.

    Source: Tan et al. 2021 (the task).

    Example:
        >>> import numpy as np, zoo
        >>> wave = lambda speed, start: np.sin(speed * np.arange(29) + start)
        >>> rows = [(wave(speed, start), speed) for speed in (0.5, 1.0, 2.0) for start in range(6)]
        >>> task = zoo.SeriesRegressor(hidden_dim=8, num_layers=2)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=20, learning_rate=0.01, xla=False, verbose=False)
        >>> slow, fast = task.predict([wave(0.5, 0.3), wave(2.0, 0.3)])
        >>> slow < fast
        True
    """

    name = "series-regressor"
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=formats.VALUED_SERIES,
        input=WHOLE_SERIES,
        answer=Values(),
        recipe=SeriesRecipe(ValueTargets(), ValueBaselines(RIDGE, vector_inputs(described_series))),
        purpose="Predicts a value, or several, for each series.",
        preview="Series with the predictions of the model.",
        pictures=Pictures.SERIES,
    )

    @property
    def value_names(self) -> list[str]:
        """The names of the values, in the order of the outputs."""
        return list(self.head.names)

    def predict_named(
        self, data: Any, batch_size: int | None = None, **options: Any
    ) -> list[dict[str, dict[str, float]]]:
        """The values by the name of the series and by their own, a dictionary for each table.

        Args:
            data: A list of paths of tables.
            batch_size: Number of series at a time.
            **options: There are none.
        """
        head = self.head
        return [
            {
                name: dict(zip(head.names, head.row(values), strict=True))
                for name, values in answers.items()
            }
            for answers in answers_by_name(self, data, batch_size, options)
        ]
