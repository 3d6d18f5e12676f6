"""Evaluation metrics for values: the share of variance explained, correlations, and errors."""

import numpy as np

from zoo.metrics.measure import values_of
from zoo.metrics.values import ValueRows, mae, pearson, r2, rmse, spearman


def score_values(references: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    """R², Spearman and Pearson correlation, mean absolute and root mean squared error.

    Source: Draper & Smith 1998, section 1.3 (R²); for the correlations see `score_likeness`.
    Formula: `r2 = 1 - sum (y - p)^2 / sum (y - mean y)^2`, 0 if the references are constant;
        `mae = mean |y - p|`, `rmse = sqrt(mean (y - p)^2)`

    Args:
        references: True values, (B,).
        predictions: Predicted values, (B,).

    Returns:
        Dictionary of `r2`, `spearman`, `pearson`, `mae` and `rmse`.

    Example:
        >>> scores = score_values(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
        >>> round(scores["mae"], 3), round(scores["r2"], 3)
        (0.333, 0.5)
    """
    rows = ValueRows(np.asarray(references)[:, None], np.asarray(predictions)[:, None], [""])
    return values_of(rows, r2, spearman, pearson, mae, rmse)


def score_columns(
    references: np.ndarray, predictions: np.ndarray, names: list[str]
) -> dict[str, float]:
    """The mean R², and `score_values` of each column after its name; of one column without name.

    Args:
        references: True values, (B, K).
        predictions: Predicted values, (B, K).
        names: The names of the columns.

    Example:
        >>> y = np.array([[1.0, 5.0], [2.0, 7.0]])
        >>> scores = score_columns(y, y, ["price", "stars"])
        >>> scores["price_mae"], scores["stars_r2"], scores["r2"]
        (0.0, 1.0, 1.0)
    """
    columns = zip(names, np.transpose(references), np.transpose(predictions), strict=True)
    each = {name: score_values(y, p) for name, y, p in columns}
    if len(each) == 1:
        return each[names[0]]
    named = {f"{name}_{key}": x for name, scores in each.items() for key, x in scores.items()}
    return {"r2": float(np.mean([scores["r2"] for scores in each.values()])), **named}
