"""Classification of series: from a whole series to its label."""

from dataclasses import replace
from typing import Any, ClassVar

from zoo.data.batching.arrays import LabeledArrays
from zoo.data.readers.files import is_path
from zoo.data.series.labeled import (
    LabeledSeries,
    is_arrays,
    read_array_series,
    read_labeled_series,
)
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import SeriesSet
from zoo.errors import UserError
from zoo.heads.label import labels_of
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.attending import ATTENTION
from zoo.tasks.classifying import Classifying
from zoo.tasks.options import series_classifier as options
from zoo.tasks.series_task import SeriesTask
from zoo.tasks.views import PreviewRow

LONGEST = 1024  # context by default


class SeriesClassifier(Classifying, SeriesTask):
    """Classifies series of numbers; trained on series with labels.

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
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {
        SeriesPreprocessor.feature_signature: "Classifies series.",
        ATTENTION: "Shows at which steps each step looks, in every layer and head.",
    }
    preview_explanation: ClassVar[str] = "Series with the predictions of the model."

    def read(self, data: Any) -> LabeledSeries:
        return read_labeled_series(data, self.settings, self.columns())

    def columns(self) -> ReadingOptions:
        return replace(super().columns(), target_column=self.settings.value_column)

    def series_set(self, data: Any) -> SeriesSet:
        if is_arrays(data):
            return read_array_series(data)
        return read_series(data, self.columns())

    def learn(self, examples: LabeledSeries) -> SeriesPreprocessor:
        settings = self.settings
        settings.labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        if settings.context_length is None:
            settings.context_length = min(LONGEST, max(map(len, examples.series)))
        return SeriesPreprocessor.of(examples.unlabeled, settings.context_length, horizon=0)

    def adapt_model(self, examples: LabeledSeries) -> None:
        self.model.standardize.adapt([each.values for each in examples.series])

    def model_sizes(self) -> dict[str, Any]:
        return {
            "context_length": self.preprocessor.context,
            "num_channels": len(self.preprocessor.targets),
            "num_classes": len(self.labels),
        }

    def batches(
        self, examples: LabeledSeries, training: Any, held_out: bool = False
    ) -> LabeledArrays:
        self.preprocessor.check(examples.unlabeled)
        return LabeledArrays(
            self.preprocessor.read(self.preprocessor.raw(examples.series)),
            self.preprocessor.features,
            self.head.numbers(examples.labels, examples.path),
            training.batch_size,
            "series",
            training.seed,
        )

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def compute(inputs: Tensors) -> Tensors:
            return self.head.outputs(self.model(inputs)["logits"])

        name, features = self.preprocessor.feature_signature, self.preprocessor.features
        main = {name: Inference(features, dict, compute, self.head.axes)}
        return main | self.attention_inferences()

    @property
    def meanings(self) -> dict[str, str]:
        return {**super().meanings, **self.attention_meanings}

    def score(self, examples: LabeledSeries, run: Any) -> dict[str, float]:
        self.preprocessor.check(examples.unlabeled)
        return super().score(examples, run)

    def predict_named(self, data: Any, batch_size: int = 64) -> list[dict[str, str]]:
        """The labels by the name of the series, a dictionary for each table.

        Args:
            data: A list of paths of tables.
            batch_size: Number of series at a time.
        """
        found = []
        for path in data:
            if not is_path(path):
                raise UserError(f"expected the path of a table, got {path!r:.60}")
            examples = self.series_set(path)
            labels = self.predict(examples, batch_size)
            names = [each.name for each in examples.series]
            found.append(dict(zip(names, labels, strict=True)))
        return found

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        examples = self.read(data)
        shown = examples.series[:count]
        labels = zip(shown, self.predict(shown), examples.labels, strict=False)
        return [PreviewRow(each.name, found, true, each) for each, found, true in labels]
