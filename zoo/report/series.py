"""The pictures of series: their last values, with forecasts of them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import label
from zoo.metrics.forecasts import middle
from zoo.report import figures, html

if TYPE_CHECKING:
    from zoo.tasks.series_forecaster import SeriesForecaster

SHOWN = 6  # maximum number of series
WIDTH, HEIGHT = 5.2, 2.3  # of a picture, in inches
BANDS = 3  # maximum number of bands between pairs of quantiles


def section(task: "SeriesForecaster", data: Any) -> str:
    """The section of the page with the first series of the data; empty without forecasts."""
    drawn = [
        f"<figure>{figures.svg(picture(task, *each), f'series{number}')}</figure>"
        for number, each in enumerate(task.last_forecasts(data, SHOWN))
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
            axes.fill_between(ahead, *band, color="C0", alpha=0.15, linewidth=0)
        axes.plot(steps, series.values[first:, index], color=figures.INK, linewidth=1)
        axes.plot(ahead, quantiles[:, middle(levels)], color="C0", linewidth=1.5)
        axes.set_title(
            f"{label(series.name)}: {label(target)}", loc="left", fontsize=8, color=figures.INK
        )
        ticks = [first, len(series) - horizon, len(series) - 1]
        named = [label(clock.label(series.start + t * clock.step)) for t in ticks]
        axes.set_xticks(ticks, named)
        axes.tick_params(labelsize=7, colors=figures.INK)
        axes.margins(x=0.02)
    return figure
