"""Tables of series, as users have them: with labels, with values, or to forecast."""

from dataclasses import replace
from typing import Any

from zoo.data.series.clock import Clock
from zoo.data.series.label_sets import LabelSetSeries, read_label_set_series
from zoo.data.series.labeled import LabeledSeries, read_labeled_series
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import SeriesSet
from zoo.data.series.valued import ValuedSeries, read_valued_series
from zoo.options import Options, values_of
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.options.series_classifier import Settings as ClassifierSettings
from zoo.tasks.options.series_forecaster import Settings as ForecasterSettings
from zoo.tasks.options.series_regressor import Settings as RegressorSettings
from zoo.tasks.options.table_columns import refuse_weights, without_weights

AnyLabeled = LabeledSeries | LabelSetSeries
HORIZON = 12  # by default, without seasons


def whole_series_options(
    settings: ClassifierSettings | RegressorSettings, learned: SeriesPreprocessor | None
) -> ReadingOptions:
    """How a table of series with labels or values is read."""
    return _options(settings, learned).with_names(target=settings.value_column)


def _options(settings: Options, learned: SeriesPreprocessor | None) -> ReadingOptions:
    """How a table is read: as the settings say, or else like the training data."""
    values = values_of(settings)
    if learned is None:
        return ReadingOptions.of(values)
    targets = tuple(learned.targets)
    return ReadingOptions.of(values, layout=learned.layout, targets=targets, clock=learned.clock)


def _labeled(
    data: Any, settings: ClassifierSettings, learned: SeriesPreprocessor | None
) -> AnyLabeled:
    table = whole_series_options(settings, learned)
    if settings.multi_label:
        refuse_weights(settings)
        return read_label_set_series(data, table, settings.label_separator)
    return read_labeled_series(data, table, settings.label_column, settings.weight_column)


def _valued(
    data: Any, settings: RegressorSettings, learned: SeriesPreprocessor | None
) -> ValuedSeries:
    return read_valued_series(data, whole_series_options(settings, learned), settings.target_column)


def _to_forecast(
    data: Any, settings: ForecasterSettings, learned: SeriesPreprocessor | None
) -> SeriesSet:
    series = read_series(data, _options(settings, learned))
    return replace(series, horizon=with_horizon(settings, series.clock).horizon or 1)


def with_horizon(settings: ForecasterSettings, clock: Clock) -> ForecasterSettings:
    """The settings with the season of the training data, and a horizon that is a season by default.

    Args:
        settings: The settings of a task.
        clock: The clock of the training data.

    Example:
        >>> settings = with_horizon(ForecasterSettings(), Clock("month", 1))
        >>> settings.seasonality, settings.horizon
        (12, 12)
    """
    season = settings.seasonality or clock.season
    horizon = settings.horizon or (season if season > 1 else HORIZON)
    return replace(settings, seasonality=season, horizon=horizon)


LABELED_SERIES: InMemoryFormat[ClassifierSettings, SeriesPreprocessor, AnyLabeled] = InMemoryFormat(
    _labeled, without_weights
)
VALUED_SERIES: InMemoryFormat[RegressorSettings, SeriesPreprocessor, ValuedSeries] = InMemoryFormat(
    _valued
)
SERIES: InMemoryFormat[ForecasterSettings, SeriesPreprocessor, SeriesSet] = InMemoryFormat(
    _to_forecast
)
