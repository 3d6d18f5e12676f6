"""Ridge regression towards given weights, of which data choose the best."""

from collections.abc import Sequence

import numpy as np

PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10_000.0, 0.1)
BLOCKS = 5


def chosen_ridge(
    x: np.ndarray, y: np.ndarray, priors: Sequence[np.ndarray], rows: int, gap: int
) -> np.ndarray:
    """Ridge regression whose penalty, and the weights that it shrinks to, fit left-out rows best.

    Rows are in the order of time, and left out in five blocks; rows at most `gap` steps from a
    block are not used either, since their windows overlap with those of the block.

    Source: Hoerl & Kennard 1970 (towards 0); Bergmeir et al. 2018 (blocks of series).
    Formula: `W = argmin |Y - X W|^2 + p |W - P|^2`, with p and P of the least mean absolute error

    Args:
        x: Rows (N, D), whose last column is 1 for the intercept, which is not penalized.
        y: What they predict, (N, H).
        priors: Weights P, (D, H) each.
        rows: Number of rows of the same step, such as those of several targets.
        gap: Number of steps.

    Returns:
        The weights (D, H) of all rows.

    Example:
        >>> x = np.stack([np.arange(40.0) % 7, np.ones(40)], axis=1)
        >>> chosen_ridge(x, 3 * x[:, :1] + 1, [np.zeros((2, 1))], 1, 1).round(1).ravel().tolist()
        [3.0, 1.0]
    """
    choices = [(penalty, prior) for prior in priors for penalty in PENALTIES]
    products = x.T @ x, x.T @ y
    errors = np.zeros(len(choices))
    for block in np.array_split(np.arange(len(x) // rows), BLOCKS):
        if not len(block):
            continue
        begin, end = block[0] * rows, (block[-1] + 1) * rows
        near = slice(max(0, begin - gap * rows), end + gap * rows)
        squares, sums = products[0] - x[near].T @ x[near], products[1] - x[near].T @ y[near]
        for number, (penalty, prior) in enumerate(choices):
            weights = _solution(squares, sums, penalty, prior)
            errors[number] += np.abs(x[begin:end] @ weights - y[begin:end]).sum()
    penalty, prior = choices[int(errors.argmin())]
    return _solution(*products, penalty, prior)


def _solution(
    squares: np.ndarray, sums: np.ndarray, penalty: float, prior: np.ndarray
) -> np.ndarray:
    """The weights for `X^T X` and `X^T Y`."""
    penalties = np.full(len(squares), penalty)
    penalties[-1] = 1e-9  # of the intercept, so that there is a solution without rows
    solution: np.ndarray = np.linalg.solve(
        squares + np.diag(penalties), sums + penalties[:, None] * prior
    )
    return solution
