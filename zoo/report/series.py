"""The pictures of series: their last values, with forecasts of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import label
from zoo.data.series.clock import Clock
from zoo.data.series.series import SeriesSet
from zoo.metrics.forecasts import middle
from zoo.report import figures, html
from zoo.tasks.answers.forecasts import last_forecasts
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.series_forecaster import SeriesForecaster

SHOWN = 6  # maximum number of series
WIDTH, HEIGHT = 6.8, 2.4  # of a picture, in inches
APART = 0.2  # the least share of the width between two dates
BANDS = 3  # maximum number of bands between pairs of quantiles


def section(task: "SeriesForecaster", examples: SeriesSet, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first series of the data; empty without forecasts."""
    drawn = [
        f"<figure>{figures.svg(picture(task, *each), f'series{number}')}</figure>"
        for number, each in enumerate(last_forecasts(task.predictor(), examples, SHOWN))
    ]
    if not drawn:
        return ""
    levels = task.settings.quantiles
    bands = f", and the band from the quantile {levels[0]:g} to {levels[-1]:g}"
    return html.section(
        "Forecasts",
        f"The last values of series, and forecasts of the last {task.preprocessor.horizon} from "
        f"the values before them: the median{bands if len(levels) > 1 else ''}.",
        f'<div class="pictures">{"".join(drawn)}</div>',
    )


def picture(task: "SeriesForecaster", series: Any, forecast: np.ndarray) -> Any:
    """Draws the last part of a series, and the forecast of its last values.

    Args:
        task: A forecaster.
        series: The series.
        forecast: The quantiles (H, C, Q) of its last H values.

    Returns:
        A Matplotlib figure, with one pair of axes for each target.
    """
    horizon, context = task.preprocessor.horizon, task.preprocessor.context
    targets, levels = task.preprocessor.targets, task.settings.quantiles
    clock = task.preprocessor.clock
    first = max(0, len(series) - horizon - max(context, 2 * horizon))
    steps, ahead = np.arange(first, len(series)), np.arange(len(series) - horizon, len(series))
    figure = figures.new_figure(WIDTH, HEIGHT * len(targets), "tight")
    for index, target in enumerate(targets):
        axes = figure.add_subplot(len(targets), 1, index + 1)
        quantiles = forecast[:, index]
        for lower in range(min(BANDS, len(levels) // 2)):
            upper = len(levels) - 1 - lower
            band = quantiles[:, lower], quantiles[:, upper]
            name = "" if lower else f"{levels[lower]:g} to {levels[upper]:g} quantile"
            axes.fill_between(
                ahead, *band, color=figures.ACCENT, alpha=0.15, linewidth=0, label=name or None
            )
        axes.axvline(ahead[0], color=figures.FAINT, linewidth=1)
        true = series.values[first:, index]
        axes.plot(steps, true, color=figures.INK, linewidth=1, label="data")
        median = quantiles[:, middle(levels)]
        axes.plot(ahead, median, color=figures.ACCENT, linewidth=1.6, label="forecast")
        axes.set_title(named(series.name, target), loc="left", fontsize=8, color=figures.INK)
        figures.plain_axes(axes)
        _name_dates(axes, clock, series.start, [first, len(series) - horizon, len(series) - 1])
        axes.tick_params(labelsize=7, labelcolor=figures.INK)
        axes.margins(x=0.02)
        if not index:
            axes.legend(
                fontsize=7, frameon=False, labelcolor=figures.INK, ncols=3, loc="lower right",
                bbox_to_anchor=(1, 1), borderaxespad=0,
            )  # fmt: skip
    return figure


def named(series: str, target: str) -> str:
    """The title of a picture: the names of a series and of its values, once if they are equal.

    Example:
        >>> named("load", "load"), named("north", "load")
        ('load', 'north: load')
    """
    return label(target) if series == target else f"{label(series)}: {label(target)}"


def _name_dates(axes: Any, clock: Clock, start: int, steps: list[int]) -> None:
    """Names the times of the first step, of the first forecast and of the last, if they fit."""
    first, ahead, last = steps
    width = (last - first) or 1
    shown = [first, ahead] if (ahead - first) / width >= APART else [ahead]
    shown += [last] if (last - ahead) / width >= APART else []
    names = [label(clock.label(start + t * clock.step).removesuffix(":00")) for t in shown]
    axes.set_xticks(shown, names)
    for tick, step in zip(axes.get_xticklabels(), shown, strict=True):
        tick.set_horizontalalignment({first: "left", last: "right"}.get(step, "center"))
