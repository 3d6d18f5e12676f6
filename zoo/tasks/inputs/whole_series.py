"""Whole series, of which each has one answer, as the input of a model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from zoo.data.readers.files import is_path, name_of
from zoo.data.series.archives import is_archive, read_archive
from zoo.data.series.read import read_series
from zoo.data.series.rows import VALUE, SeriesRows, channels_of, is_arrays, read_array_series
from zoo.data.series.series import SeriesSet
from zoo.errors import UserError
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.series import whole_series_options
from zoo.tasks.inputs.series import SeriesInput
from zoo.tasks.options import series_classifier, series_regressor
from zoo.tasks.parts import Learned

if TYPE_CHECKING:
    from zoo.tasks.task import Task

LONGEST = 1024  # context by default

S = TypeVar("S", series_classifier.Settings, series_regressor.Settings)


def read_unlabeled(data: Any, settings: S, preprocessor: SeriesPreprocessor) -> SeriesSet:
    """The series of a table, of an `.npz` file or of an archive, without what belongs to them."""
    if is_archive(data, labeled=preprocessor.targets != VALUE):
        series = read_archive(data).series
        return SeriesSet(name_of(data), series, channels_of(name_of(data), series))
    if is_arrays(data):
        return read_array_series(data)
    return read_series(data, whole_series_options(settings, preprocessor))


def _learn(examples: SeriesRows, settings: S) -> Learned[S, SeriesPreprocessor]:
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


WHOLE_SERIES: SeriesInput[Any, Any] = SeriesInput(
    read_unlabeled, _learn, _sizes, lambda examples: examples.unlabeled
)


def answers_by_name(
    task: "Task", data: Any, batch_size: int | None, options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The answers of a task by the name of the series, a dictionary for each table.

    Args:
        task: The task.
        data: A list of paths of tables.
        batch_size: Number of series at a time; None for the default.
        options: Options of the answer, by name.
    """
    return [_answers(task, path, batch_size, options) for path in data]


def _answers(
    task: "Task", path: Any, batch_size: int | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    if not is_path(path):
        raise UserError(f"expected the path of a table, got {path!r:.60}")
    series = read_unlabeled(path, task.settings, task.preprocessor).series
    answers = task.predict(series, batch_size, **options)
    return dict(zip((each.name for each in series), answers, strict=True))
