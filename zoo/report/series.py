"""The pictures of series: forecasts of their next values, and of their last ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import label
from zoo.data.series.clock import Clock
from zoo.data.series.forecasts import shown_time
from zoo.data.series.series import SeriesSet
from zoo.metrics.forecasts import middle
from zoo.report import figures, html
from zoo.tasks.answers.forecasts import last_forecasts, next_forecasts
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.series_forecaster import SeriesForecaster

SHOWN = 6  # maximum number of series
WIDTH, HEIGHT = 10.4, 2.8  # of a picture, in inches: the width of the page
DATES = 5  # number of dates on an axis
APART = 0.15  # the least share of the width between the date of the first forecast and another
BAND = 0.22  # opacity of a band
BANDS = 3  # maximum number of bands between pairs of quantiles


def section(task: "SeriesForecaster", examples: SeriesSet, rows: Sequence[PreviewRow]) -> str:
    """The sections of the page with the first series of the data; empty without forecasts."""
    levels, horizon = task.settings.quantiles, task.preprocessor.horizon
    bands = f", and the band from the quantile {levels[0]:g} to {levels[-1]:g}"
    shown = f"the median{bands if len(levels) > 1 else ''}."
    steps = f"the {horizon} steps" if horizon > 1 else "the step"
    after = next_forecasts(task.predictor(), examples, SHOWN)
    last = last_forecasts(task.predictor(), examples, SHOWN)
    return html.section(
        "Next steps",
        f"Forecasts of {steps} after the end of the data: {shown}",
        *_figures(task, after, 0, "next"),
    ) + html.section(
        "Forecasts",
        f"The last values of series, and forecasts of the last {horizon} from the values before "
        f"them: {shown}",
        *_figures(task, last, horizon, "series"),
    )


def _figures(
    task: "SeriesForecaster", pairs: Sequence[tuple[Any, np.ndarray]], known: int, name: str
) -> list[str]:
    drawn = [
        figures.svg(picture(task, *pair, known), f"{name}{number}")
        for number, pair in enumerate(pairs)
    ]
    return [f'<figure class="ahead">{each}</figure>' for each in drawn]


def picture(task: "SeriesForecaster", series: Any, forecast: np.ndarray, known: int) -> Any:
    """Draws the last part of a series, and a forecast.

    Args:
        task: A forecaster.
        series: The series.
        forecast: The quantiles (H, C, Q) of H values.
        known: How many of these values the series has, at its end: H or 0.

    Returns:
        A Matplotlib figure, with one pair of axes for each target.
    """
    horizon, context = task.preprocessor.horizon, task.preprocessor.context
    targets, levels = task.preprocessor.targets, task.settings.quantiles
    begin = len(series) - known
    first = max(0, begin - max(context, 2 * horizon))
    steps, ahead = np.arange(first, len(series)), np.arange(begin, begin + len(forecast))
    figure = figures.new_figure(WIDTH, HEIGHT * len(targets), "tight")
    for index, target in enumerate(targets):
        axes = figure.add_subplot(len(targets), 1, index + 1)
        quantiles = forecast[:, index]
        for lower in range(min(BANDS, len(levels) // 2)):
            upper = len(levels) - 1 - lower
            band = quantiles[:, lower], quantiles[:, upper]
            name = "" if lower else f"{levels[lower]:g} to {levels[upper]:g} quantile"
            axes.fill_between(
                ahead, *band, color=figures.ACCENT, alpha=BAND, linewidth=0, label=name or None
            )
        axes.axvline(begin, color=figures.FAINT, linewidth=1)
        true = series.values[first:, index]
        axes.plot(steps, true, color=figures.INK, linewidth=1, label="data")
        median = quantiles[:, middle(levels)]
        marker = "o" if len(ahead) == 1 else None
        axes.plot(
            ahead, median, color=figures.ACCENT, linewidth=1.2, marker=marker, label="forecast"
        )
        axes.set_title(named(series.name, target), loc="left", fontsize=9, color=figures.INK)
        figures.plain_axes(axes)
        _name_dates(axes, task.preprocessor.clock, series, [first, begin, int(ahead[-1])])
        axes.tick_params(labelsize=figures.TICKS, labelcolor=figures.INK)
        axes.tick_params(axis="y", labelright=True)  # a narrow page begins with the right end
        axes.margins(x=0.02)
        if not index:
            axes.legend(
                fontsize=figures.TICKS, frameon=False, labelcolor=figures.INK, ncols=3,
                loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0,
            )  # fmt: skip
    return figure


def named(series: str, target: str) -> str:
    """The title of a picture: the names of a series and of its values, once if they are equal.

    Example:
        >>> named("load", "load"), named("north", "load")
        ('load', 'north: load')
    """
    return label(target) if series == target else f"{label(series)}: {label(target)}"


def _name_dates(axes: Any, clock: Clock, series: Any, steps: list[int]) -> None:
    """Names the times of the first step, of the first forecast, of the last, and some between."""
    first, begin, last = steps
    apart = (last - first) * APART
    between = np.linspace(first, last, DATES).round().astype(int).tolist()
    shown = [step for step in between if abs(step - begin) >= apart]
    shown = sorted({*shown, begin})
    axes.set_xticks(shown, [label(shown_time(series, clock, step)) for step in shown])
    for tick, step in zip(axes.get_xticklabels(), shown, strict=True):
        tick.set_horizontalalignment({first: "left", last: "right"}.get(step, "center"))
