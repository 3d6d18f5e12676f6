"""Classification of series: from a whole series to its label."""

from typing import Any, ClassVar

import numpy as np

from zoo.tasks.answers.labels import Labels, probabilities
from zoo.tasks.baselines.labeled_vectors import labeled_vectors
from zoo.tasks.baselines.small_inputs import short_series
from zoo.tasks.formats import series as formats
from zoo.tasks.inputs.whole_series import WHOLE_SERIES, answers_by_name
from zoo.tasks.options import series_classifier as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.series import SeriesRecipe
from zoo.tasks.recipes.targets import LabelTargets
from zoo.tasks.task import Task


class SeriesClassifier(Task):
    """Classifies series of numbers; trained on series with labels.

    With `multi_label`, a series can have several labels, or none: `predict` returns a list of
    labels for each series, and `predict_proba` independent probabilities.

    `predict` takes a list of arrays (T,) or (T, C) with NaN where values are missing, a table
    or an `.npz` file. Series may have different lengths.

    Source: Wang et al. 2017.

    Example:
        >>> import numpy as np, zoo
        >>> wave = lambda speed, start: np.sin(speed * np.arange(29) + start)
        >>> rows = [(wave(1 + i % 2, i), "slow fast".split()[i % 2]) for i in range(16)]
        >>> task = zoo.SeriesClassifier(hidden_dim=8, num_layers=2)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=20, learning_rate=0.01, xla=False, verbose=False)
        >>> task.predict([wave(1, 0.5), wave(2, 0.5)])
        ['slow', 'fast']
    """

    name = "series-classifier"
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=formats.LABELED_SERIES,
        input=WHOLE_SERIES,
        answer=Labels(),
        recipe=SeriesRecipe(LabelTargets(), labeled_vectors(short_series)),
        purpose="Classifies series.",
        preview="Series with the predictions of the model.",
        pictures=Pictures.SERIES,
    )

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return list(self.head.labels)

    def predict_proba(self, data: Any, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`; see `predict`."""
        return probabilities(self.predictor(), data, batch_size)

    def predict_named(
        self, data: Any, batch_size: int | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """The labels by the name of the series, a dictionary for each table.

        Args:
            data: A list of paths of tables.
            batch_size: Number of series at a time.
            **options: Those of the answer.
        """
        return answers_by_name(self, data, batch_size, options)
