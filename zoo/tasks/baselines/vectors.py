"""Baselines of the classification of vectors, such as the pixels of small images."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from zoo.tasks.baselines.frequent_answers import FrequentAnswers
from zoo.tasks.baselines.linear_vectors import Scaled
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.baselines.saved_arrays import SavedArrays

PRODUCTS = 100_000_000  # maximum number of rows x features x labels of logistic regression
ITERATIONS = 100


@dataclass(frozen=True)
class VectorBaselines(SavedArrays):
    """The most frequent label, the nearest centroid, and logistic regression of scikit-learn.

    Features are centered, and divided by their standard deviations or the mean of these, whichever
    is larger.

    Source: Hastie et al. 2009, sections 4.4 (logistic regression) and 18.2 (nearest centroids).
    Formula: `argmin_c |x - mean_c|`; `argmax_c (W x + b)_c`

    Args:
        majority: The most frequent label.
        labels: The labels (C,); empty if there is the most frequent one only.
        mean: The mean of each feature (D,).
        scale: What each feature is divided by (D,).
        centroids: The mean of the scaled features of each label (C, D).
        coefficients: Coefficients W (C, D) of logistic regression; (0, D) without it.
        intercepts: Intercepts b (C,); (0,) without it.

    Example:
        >>> baselines = VectorBaselines.fit(np.array([[0.0], [1.0], [9.0]]), ["low", "low", "high"])
        >>> baselines.predict(np.array([[2.0], [7.0]]))["nearest_centroid"]
        ['low', 'high']
    """

    majority: str
    labels: np.ndarray = field(default_factory=lambda: np.zeros(0, str))
    mean: np.ndarray = field(default_factory=lambda: np.zeros(0))
    scale: np.ndarray = field(default_factory=lambda: np.zeros(0))
    centroids: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    coefficients: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    intercepts: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def fit(cls, vectors: np.ndarray, labels: Sequence[str]) -> Self:
        """Fits all models.

        Args:
            vectors: Features (N, D).
            labels: The N labels.
        """
        ((majority, _),) = Counter(labels).most_common(1)
        scaled = Scaled.of(vectors)
        x = scaled.features(vectors)
        names, classes = np.unique(np.array(labels, str), return_inverse=True)
        sums = np.zeros((len(names), x.shape[1]))
        np.add.at(sums, classes, x)
        centroids = sums / np.bincount(classes)[:, None]
        linear = _logistic_regression(x, classes, len(names))
        arrays = (scaled.mean, scaled.scale, centroids, *linear)
        return cls(majority, names, *(array.astype("float32") for array in arrays))

    def predict(self, vectors: np.ndarray) -> dict[str, list[str]]:
        """The labels that each baseline gives to vectors (N, D), by its name."""
        answers = {"majority": [self.majority] * len(vectors)}
        if not len(self.labels):
            return answers
        x = (vectors - self.mean) / self.scale
        # |x - c|^2 without |x|^2, which is the same for all centroids.
        distances = (self.centroids**2).sum(axis=1) - 2 * x @ self.centroids.T
        answers["nearest_centroid"] = self.labels[distances.argmin(axis=1)].tolist()
        if len(self.coefficients):
            logits = x @ self.coefficients.T + self.intercepts
            answers["logistic_regression"] = self.labels[logits.argmax(axis=1)].tolist()
        return answers

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads the baselines of a run folder; of an earlier version it has only the majority.

        Raises:
            UserError: If the file is damaged.
        """
        if (folder / cls.file).exists():
            return super().load(folder)
        frequent = FrequentAnswers.load(folder)
        return None if frequent is None else cls(frequent.answer)

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        baselines = cls(str(arrays.pop("majority")), **arrays)
        classes, features = baselines.centroids.shape
        sizes = {
            "labels": (classes,),
            "mean": (features,),
            "scale": (features,),
            "coefficients": (len(baselines.intercepts), features),
        }
        for name, size in sizes.items():
            if arrays[name].shape != size:
                raise ValueError(f"{name} has the shape {arrays[name].shape}")
        if len(baselines.intercepts) not in (0, classes):
            raise ValueError("the numbers of labels differ")
        return baselines


def _logistic_regression(
    x: np.ndarray, classes: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (C, D) and intercepts (C,); none without scikit-learn or several labels."""
    none = np.zeros((0, x.shape[1])), np.zeros(0)
    rows = sampled(len(x), PRODUCTS // max(1, x.shape[1] * count))
    present = np.unique(classes[rows])
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return none
    if len(present) < 2 or not x.shape[1]:
        return none
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that do not suffice
        model = LogisticRegression(max_iter=ITERATIONS).fit(x[rows], classes[rows])
    coefficients, intercepts = model.coef_, model.intercept_
    if len(present) == 2:  # one row, of the second label
        coefficients = np.concatenate([-coefficients, coefficients]) / 2
        intercepts = np.concatenate([-intercepts, intercepts]) / 2
    whole = np.zeros((count, x.shape[1])), np.full(count, -np.inf)
    whole[0][present], whole[1][present] = coefficients, intercepts
    return whole
