"""Series that are classified as a whole, as the input of a model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zoo.data.series.labeled import LabeledSeries, is_arrays, read_array_series
from zoo.data.series.read import read_series
from zoo.data.series.series import SeriesSet
from zoo.models.series_classifier import SeriesClassifier
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.labeled_series import labeled_options
from zoo.tasks.inputs.series import SeriesInput
from zoo.tasks.options.series_classifier import Settings
from zoo.tasks.parts import Learned, Pretrained

LONGEST = 1024  # context by default


def read_unlabeled(data: Any, settings: Settings, preprocessor: SeriesPreprocessor) -> SeriesSet:
    """The series of a table or of an `.npz` file, without labels."""
    if is_arrays(data):
        return read_array_series(data)
    return read_series(data, labeled_options(settings, preprocessor))


class LabeledSeriesInput(SeriesInput[Settings, SeriesClassifier, LabeledSeries]):
    """The last values of a series, up to the length of the longest one of the training data."""

    def learn(
        self,
        examples: LabeledSeries,
        settings: Settings,
        model_options: Mapping[str, Any],
        pretrained: Pretrained | None,
    ) -> Learned[Settings, SeriesPreprocessor]:
        longest = max(map(len, examples.series))
        context = settings.context_length or min(LONGEST, longest)
        preprocessor = SeriesPreprocessor.of(examples.unlabeled, context, horizon=0)
        return Learned(replace(settings, context_length=context), preprocessor)

    def check_examples(
        self, examples: LabeledSeries, settings: Settings, preprocessor: SeriesPreprocessor
    ) -> None:
        preprocessor.check(examples.unlabeled)

    def sizes(self, settings: Settings, preprocessor: SeriesPreprocessor) -> dict[str, Any]:
        return {
            "context_length": preprocessor.context,
            "num_channels": len(preprocessor.targets),
        }
