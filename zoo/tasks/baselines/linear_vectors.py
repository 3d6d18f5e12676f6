"""Linear models of vectors of numbers, such as the pixels of small images."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.data_statistics import discarding
from zoo.tasks.baselines.label_sets import logistic_regressions
from zoo.tasks.baselines.linear import FeatureMap, Linear, LinearInputs, Solution
from zoo.tasks.baselines.tfidf import is_available

ROWS = 5_000  # maximum number of rows to fit to, and to evaluate on
PENALTIES = 10.0 ** np.arange(-1, 6)  # of which ridge regression takes the best


@dataclass(frozen=True)
class Scaled:
    """Vectors whose numbers are centered and scaled; a `FeatureMap`.

    Each is divided by its standard deviation or the mean of all these, whichever is larger.

    Args:
        mean: What is subtracted, (D,).
        scale: What it is divided by, (D,).

    Example:
        >>> Scaled.of(np.array([[1.0, 3.0], [3.0, 3.0]])).features(np.array([[3.0, 4.0]])).tolist()
        [[1.0, 2.0]]
    """

    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, vectors: np.ndarray) -> Self:
        """The scaling of vectors (N, D)."""
        x = vectors.astype("float64")
        deviations = x.std(axis=0)
        scale = np.maximum(deviations, deviations.mean() if deviations.size else 0.0)
        return cls(x.mean(axis=0), np.where(scale == 0, 1.0, scale))

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, "scale": self.scale}

    def features(self, inputs: np.ndarray) -> np.ndarray:
        return (inputs - self.mean) / self.scale


def linear_vectors(
    name: str, solve: Callable[[Any, np.ndarray], Solution], available: Callable[[], bool]
) -> Linear[np.ndarray]:
    """A linear model of scaled vectors.

    Args:
        name: What its metrics begin with.
        solve: Function from features and targets to the solution.
        available: Function that says whether what `solve` needs is installed.
    """

    def learn(vectors: np.ndarray) -> tuple[FeatureMap[np.ndarray], np.ndarray] | None:
        if not available() or not vectors.shape[1]:
            return None
        scaled = Scaled.of(vectors)
        return scaled, scaled.features(vectors)

    def load(arrays: dict[str, np.ndarray]) -> Scaled:
        return Scaled(**arrays)

    return Linear(name, learn, load, solve)


def vector_inputs(vectors: Callable[[Any, Any, list[int]], np.ndarray]) -> LinearInputs[np.ndarray]:
    """The vectors of some examples.

    Args:
        vectors: Function from examples, the preprocessor and numbers of rows to vectors (N, D).
    """

    def of_rows(examples: Any, preprocessor: Any, rows: list[int]) -> np.ndarray:
        with discarding():
            return vectors(examples, preprocessor, rows)

    return LinearInputs(of_rows, ROWS, ROWS)


def ridge(features: np.ndarray, values: np.ndarray) -> Solution:
    """Ridge regression whose penalty has the smallest squared error on rows left out one by one.

    Source: Hoerl & Kennard 1970; Golub et al. 1979 (leaving out without fitting again).
    Formula: `min |X w + b - y|^2 + a |w|^2`; the error of row i without it is
        `(y_i - X_i w - b) / (1 - h_i)`, with `h` the diagonal of `1/N + X (X^T X + a)^-1 X^T`

    Args:
        features: Features X (N, D) whose means are 0.
        values: Values Y (N, K), of which each column has a penalty of its own.

    Example:
        >>> x = np.array([[-1.0], [0.0], [1.0]])
        >>> w, b = ridge(x, 3 * x + 5)
        >>> round(float(w[0, 0]), 1), b.round(1).tolist()
        (2.9, [5.0])
    """
    u, s, v = np.linalg.svd(features, full_matrices=False)
    keep = s > 1e-10 * max(s.max(initial=0.0), 1e-300)
    u, s, v = u[:, keep], s[keep], v[keep]
    means = values.mean(axis=0)
    coefficients = []
    for y in (values - means).T:
        projected, best = u.T @ y, (np.inf, np.zeros(features.shape[1]))
        for penalty in PENALTIES:
            shrunk = s**2 / (s**2 + penalty)
            seen = 1 / len(y) + (u**2) @ shrunk
            left_out = (y - u @ (shrunk * projected)) / np.maximum(1 - seen, 1e-6)
            error = float((left_out**2).mean())
            if error < best[0]:
                best = error, v.T @ (shrunk * projected / s)
        coefficients.append(best[1])
    return np.array(coefficients), means


RIDGE = linear_vectors("ridge", ridge, available=lambda: True)
LOGISTIC = linear_vectors("logistic_regression", logistic_regressions(1), is_available)
