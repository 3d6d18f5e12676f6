"""Series that are classified as a whole, as the input of a model."""

from dataclasses import replace
from typing import Any

from zoo.data.series.labeled import LabeledSeries, is_arrays, read_array_series
from zoo.data.series.read import read_series
from zoo.data.series.series import SeriesSet
from zoo.models.series_classifier import SeriesClassifier
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.series import labeled_options
from zoo.tasks.inputs.series import SeriesInput
from zoo.tasks.options.series_classifier import Settings
from zoo.tasks.parts import Learned

LONGEST = 1024  # context by default


def read_unlabeled(data: Any, settings: Settings, preprocessor: SeriesPreprocessor) -> SeriesSet:
    """The series of a table or of an `.npz` file, without labels."""
    if is_arrays(data):
        return read_array_series(data)
    return read_series(data, labeled_options(settings, preprocessor))


def _learn(examples: LabeledSeries, settings: Settings) -> Learned[Settings, SeriesPreprocessor]:
    """Reads the last values, up to the length of the longest series of the training data."""
    longest = max(map(len, examples.series))
    context = settings.context_length or min(LONGEST, longest)
    preprocessor = SeriesPreprocessor.of(examples.unlabeled, context, horizon=0)
    return Learned(replace(settings, context_length=context), preprocessor)


def _sizes(preprocessor: SeriesPreprocessor) -> dict[str, Any]:
    return {
        "context_length": preprocessor.context,
        "num_channels": len(preprocessor.targets),
    }


LABELED_SERIES: SeriesInput[Settings, SeriesClassifier, LabeledSeries] = SeriesInput(
    read_unlabeled, _learn, _sizes, lambda examples: examples.unlabeled
)
