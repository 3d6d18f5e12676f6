"""Recursive forecasts: further than a horizon, from values that are drawn and read again."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from zoo.data.series.series import Series

PATHS = 200  # number of futures that are drawn for each series


def forecast_further(
    forecast: Callable[[list[Series]], np.ndarray],
    series: Sequence[Series],
    steps: int,
    levels: Sequence[float],
    context: int,
    seed: int = 0,
) -> np.ndarray:
    """Quantiles of more steps than a horizon.

    The first horizon is forecast directly. For each horizon after it, values of the one before are
    drawn from its quantiles and read as if they had been observed; this is done many times, and the
    quantiles are those of all values that were drawn. With one level, its values are read.

    Source: Salinas et al. 2020, section 3.1 (sampled paths), here a horizon at a time.

    Args:
        forecast: Function from N series to the quantiles (N, H, C, Q) of their next H steps.
        series: The series.
        steps: Number of steps S to forecast.
        levels: Levels of the Q quantiles, rising.
        context: Number of last values of a series that `forecast` reads.
        seed: Seed of what is drawn.

    Returns:
        Quantiles (N, S, C, Q).
    """
    ends = [_end_of(each, context, steps) for each in series]
    first = forecast(ends)
    horizon = first.shape[1]
    if steps <= horizon:
        return first[:, :steps]
    paths = PATHS if len(levels) > 1 else 1
    futures = [each for each in ends for _ in range(paths)]
    rng, size = np.random.default_rng(seed), (paths, 1, first.shape[2])

    def drawn_from(quantiles: np.ndarray) -> np.ndarray:
        # All series at the same levels, so that the forecast of one does not depend on others.
        u = np.tile(rng.uniform(np.finfo("float64").tiny, 1, size), (len(series), 1, 1))
        return draw(quantiles, levels, u)

    drawn = [drawn_from(np.repeat(first, paths, axis=0))]
    while horizon * len(drawn) < steps:
        pairs = zip(futures, drawn[-1], strict=True)
        futures = [_after(*pair, context) for pair in pairs]
        drawn.append(drawn_from(forecast(futures)))
    rest = np.concatenate(drawn, axis=1)[:, horizon:steps]
    rest = rest.reshape(len(series), paths, *rest.shape[1:])
    further = np.moveaxis(np.quantile(rest, levels, axis=1), 0, -1)
    return np.concatenate([first, further.astype(first.dtype)], axis=1)


def draw(quantiles: np.ndarray, levels: Sequence[float], u: np.ndarray) -> np.ndarray:
    """The values at some levels: linear between two quantiles, with exponential tails.

    All steps of a horizon are drawn at the same level, since errors of neighboring steps go
    together.

    Formula: `x = q_i + (u - a_i) (q_{i+1} - q_i) / (a_{i+1} - a_i)` where
        `a_i <= u < a_{i+1}`; `x = q_1 + ln(u / a_1) (q_2 - q_1) / ln(a_2 / a_1)` below a_1, and the
        mirror image above a_Q

    Args:
        quantiles: Quantiles (N, H, C, Q).
        levels: Levels a of the Q quantiles, rising.
        u: The levels (N, 1, C) to draw at, above 0 and below 1.

    Returns:
        Values (N, H, C); of a single level, its quantiles.

    Example:
        >>> quantiles = np.array([[[[1.0, 3.0, 7.0]]]])
        >>> draw(quantiles, [0.25, 0.5, 0.75], np.array([[[0.625]]])).tolist()
        [[[5.0]]]
    """
    if len(levels) == 1:
        return quantiles[..., 0]
    a, u = np.array(levels), np.broadcast_to(u, quantiles.shape[:-1])
    index = np.clip(np.searchsorted(a, u, "right") - 1, 0, len(a) - 2)
    low, high = (
        np.take_along_axis(quantiles, p[..., None], -1)[..., 0] for p in (index, index + 1)
    )
    share = (u - a[index]) / (a[index + 1] - a[index])
    below = np.log(u / a[0]) / np.log(a[1] / a[0])
    above = 1 - np.log((1 - u) / (1 - a[-1])) / np.log((1 - a[-2]) / (1 - a[-1]))
    share = np.where(u < a[0], below, np.where(u >= a[-1], above, share))
    return low + share * (high - low)


def _end_of(series: Series, context: int, steps: int) -> Series:
    """The last values that are read; unknown covariates of later steps are missing."""
    start = max(0, len(series) - context)
    known = series.known
    if known is not None:
        there = known[start : len(series) + steps]
        known = np.pad(there, [(0, steps), (0, 0)], constant_values=np.nan)
    return replace(series, values=series.values[start:], known=known)


def _after(series: Series, drawn: np.ndarray, context: int) -> Series:
    """The series a horizon later."""
    values = np.concatenate([series.values, drawn.astype("float32")])
    start = max(0, len(values) - context)
    known = None if series.known is None else series.known[start:]
    return replace(series, values=values[start:], known=known)
