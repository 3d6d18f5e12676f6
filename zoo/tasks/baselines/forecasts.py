"""Baselines of forecasts, which every forecaster should outperform."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.data.series.windows import center_and_scale, filled_contexts
from zoo.tasks.baselines.ridge import chosen_ridge
from zoo.tasks.baselines.saved_arrays import SavedArrays

ROWS = 20_000  # maximum number of windows to fit them to


@dataclass(frozen=True)
class ForecastBaselines(SavedArrays):
    """Seasonal-naive forecasts and ridge regression, with the quantiles of their errors.

    The regression shrinks to 0 or to the seasonal-naive forecast, as left-out windows decide.

    Both read the context of a forecast, scaled as the model scales it. Their quantiles are those of
    their errors in the training data, added to the forecast.

    Args:
        season: Number of steps of a season.
        weights: Weights (T + 1, H) of the regression of each step on the context; the last row is
            the intercept.
        naive_errors: Quantiles (H, Q) of the errors of the seasonal-naive forecast.
        linear_errors: Quantiles (H, Q) of the errors of the regression.

    Example:
        >>> wave = np.sin(np.arange(64) * np.pi / 2)[:, None]
        >>> windows = np.stack([wave[i : i + 12] for i in range(50)])
        >>> baselines = ForecastBaselines.fit(windows[:, :8], windows[:, 8:], 4, [0.5])
        >>> forecasts = baselines.forecast(windows[:1, :8])["seasonal_naive"]
        >>> bool(np.allclose(forecasts[..., 0], windows[:1, 8:]))
        True
    """

    season: int
    weights: np.ndarray
    naive_errors: np.ndarray
    linear_errors: np.ndarray

    @classmethod
    def fit(
        cls, contexts: np.ndarray, labels: np.ndarray, season: int, quantiles: Sequence[float]
    ) -> Self:
        """Fits both.

        Args:
            contexts: Contexts (N, T, C) in the order of time, NaN where missing.
            labels: The values after them (N, H, C) in the scale of their contexts, as
                `center_and_scale` finds it; NaN where missing.
            season: Number of steps of a season.
            quantiles: Levels of the quantiles.
        """
        scaled, horizon = _scaled(contexts)[0], labels.shape[1]
        filled = filled_contexts(scaled, season)
        weights = _ridge(filled, labels, season)
        points = seasonal_naive(scaled, season, horizon), _linear(filled, weights)
        errors = [_rows(labels - each) for each in points]
        return cls(season, weights, *(_quantiles(each, quantiles) for each in errors))

    def forecast(self, contexts: np.ndarray) -> dict[str, np.ndarray]:
        """The quantiles (N, H, C, Q) of each baseline after contexts (N, T, C)."""
        scaled, center, scale = _scaled(contexts)
        points = {
            "seasonal_naive": seasonal_naive(scaled, self.season, self.weights.shape[1]),
            "linear": _linear(filled_contexts(scaled, self.season), self.weights),
        }
        errors = {"seasonal_naive": self.naive_errors, "linear": self.linear_errors}
        return {
            name: center[..., None]
            + scale[..., None] * (point[..., None] + errors[name][:, None, :])
            for name, point in points.items()
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        baselines = cls(**{**arrays, "season": int(arrays["season"])})
        errors = baselines.naive_errors, baselines.linear_errors
        if len({*map(len, errors), *baselines.weights.shape[1:]}) > 1:
            raise ValueError("the horizons differ")
        return baselines


def seasonal_naive(contexts: np.ndarray, season: int, horizon: int) -> np.ndarray:
    """The last value of the same step of a season; without one, the last value.

    Source: Hyndman & Athanasopoulos 2021, section 5.2.
    Formula: `f_{T+h} = y_{T+h-km}` with the smallest k that is neither missing nor in the future

    Args:
        contexts: Values (N, T, C), NaN where missing.
        season: Number of steps m of a season.
        horizon: Number of steps to forecast.

    Returns:
        Forecasts (N, horizon, C); 0 if all values are missing.

    Example:
        >>> seasonal_naive(np.array([[[1.0], [2.0], [3.0]]]), season=2, horizon=3).ravel().tolist()
        [2.0, 3.0, 2.0]
    """
    length = contexts.shape[1]
    last = _first_known([contexts[:, step] for step in range(length - 1, -1, -1)])
    steps = []
    for step in range(horizon):
        nearest = length + step - season * (step // season + 1)
        steps.append(_first_known([*(contexts[:, i] for i in range(nearest, -1, -season)), last]))
    return np.nan_to_num(np.stack(steps, axis=1))


def _first_known(values: Sequence[np.ndarray]) -> np.ndarray:
    known = values[0]
    for each in values[1:]:
        if not np.isnan(known).any():
            break
        known = np.where(np.isnan(known), each, known)
    return known


def _scaled(contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    contexts = contexts.astype("float64")
    center, scale = center_and_scale(contexts)
    return (contexts - center) / scale, center, scale


def _rows(windows: np.ndarray) -> np.ndarray:
    """A row for each window and target: (N C, T)."""
    return windows.transpose(0, 2, 1).reshape(-1, windows.shape[1])


def _with_one(x: np.ndarray) -> np.ndarray:
    return np.concatenate([np.nan_to_num(x), np.ones((len(x), 1))], axis=1)


def _ridge(scaled: np.ndarray, labels: np.ndarray, season: int) -> np.ndarray:
    """The weights (T + 1, H) of the regression on filled contexts; 0 for missing inputs."""
    (_, length, targets), horizon = scaled.shape, labels.shape[1]
    x, y = _with_one(_rows(scaled)), _rows(labels)
    x[np.isnan(y).any(axis=1)], y = 0, np.where(np.isnan(y).any(axis=1, keepdims=True), 0, y)
    each = np.eye(length)[:, :, None]
    naive = np.append(seasonal_naive(each, season, horizon)[..., 0], np.zeros((1, horizon)), axis=0)
    return chosen_ridge(x, y, (np.zeros_like(naive), naive), targets, horizon)


def _linear(scaled: np.ndarray, weights: np.ndarray) -> np.ndarray:
    count, _, targets = scaled.shape
    points = _with_one(_rows(scaled)) @ weights
    return points.reshape(count, targets, -1).transpose(0, 2, 1)


def _quantiles(errors: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """The quantiles of errors (N, H), over those that are not missing: (H, Q)."""
    columns = [column[~np.isnan(column)] for column in errors.T]
    return np.stack([np.quantile(x, levels) if len(x) else np.zeros(len(levels)) for x in columns])
