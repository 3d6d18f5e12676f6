"""Baselines for text regression, which every regressor should outperform."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import keras
import numpy as np

from zoo.data.readers.values import ValuedTexts
from zoo.heads.value_scores import score_columns
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.baselines.saved_arrays import load_arrays, save_arrays
from zoo.tasks.baselines.tfidf import WORD, TfIdf, is_available
from zoo.tasks.options.text_regressor import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]
FILE = "baseline.npz"
ROWS = 20_000  # maximum number of texts to fit on
TERMS = 50_000  # maximum number of words, the most frequent ones
STEPS = 500  # maximum number of steps of the solver
CORRELATIONS = ("spearman", "pearson")


@dataclass(frozen=True)
class Ridge:
    """Ridge regression on TF-IDF features, fitted by scikit-learn.

    Source: Hoerl & Kennard 1970.
    Formula: `min |X W + b - Y|^2 + |W|^2`

    Args:
        terms: The words in the order of the coefficients.
        idf: The inverse document frequency of each.
        coefficients: The coefficients W, (K, words).
        intercepts: The intercepts b, (K,).
    """

    terms: np.ndarray
    idf: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray

    def __post_init__(self) -> None:
        shape = (len(self.intercepts), len(self.terms))
        if self.coefficients.shape != shape or self.idf.shape != shape[1:]:
            raise ValueError("the numbers of coefficients and words differ")

    @classmethod
    def fit(cls, texts: Sequence[str], values: np.ndarray) -> Self | None:
        """Fits a model; returns None without scikit-learn, or if there are no words."""
        fitted = TfIdf.fit(texts, max_features=TERMS, token_pattern=WORD)
        if fitted is None:
            return None
        from sklearn.linear_model import Ridge as Linear

        tfidf, features = fitted
        model = Linear(alpha=1.0, solver="sparse_cg", max_iter=STEPS).fit(features, values)
        weights = np.reshape(model.coef_, (values.shape[1], -1)), np.ravel(model.intercept_)
        return cls(tfidf.terms, tfidf.idf, *weights)

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """The values of each text, (B, K)."""
        features = TfIdf(self.terms, self.idf).features(texts, token_pattern=WORD)
        values: np.ndarray = features @ self.coefficients.T + self.intercepts
        return values


@dataclass(frozen=True)
class ValueBaseline:
    """The mean of the training data, and ridge regression where scikit-learn is installed.

    Example:
        >>> texts, values = ["fine film", "fine", "dull"] * 3, np.array([[4.0], [4.0], [1.0]] * 3)
        >>> scores = ValueBaseline.fit(texts, values).scores(texts, values, ["stars"])
        >>> round(scores["mean_mae"], 3), scores["tfidf_mae"] < 0.5
        (1.333, True)
    """

    means: np.ndarray
    ridge: Ridge | None = None

    @classmethod
    def fit(cls, texts: Sequence[str], values: np.ndarray) -> Self:
        """Fits both.

        Args:
            texts: The texts.
            values: Their values, (N, K).
        """
        rows = range(len(texts))
        some = sorted(random.Random(0).sample(rows, ROWS)) if len(rows) > ROWS else list(rows)
        return cls(values.mean(axis=0), Ridge.fit([texts[i] for i in some], values[some]))

    def scores(
        self, texts: Sequence[str], values: np.ndarray, names: list[str]
    ) -> dict[str, float]:
        """The metrics of each, after "mean" and "tfidf"; see `score_columns`.

        The mean has no correlations; of several values, only the mean R² is given.
        """
        mean = score_columns(values, np.broadcast_to(self.means, values.shape), names)
        every = {f"mean_{key}": x for key, x in mean.items() if not key.endswith(CORRELATIONS)}
        if self.ridge is not None:
            scores = score_columns(values, self.ridge.predict(texts), names)
            every |= {f"tfidf_{key}": score for key, score in scores.items()}
        return {key: x for key, x in every.items() if key.count("_") == 1 or key[-3:] != "_r2"}

    def save(self, folder: Path) -> None:
        """Writes the baseline to a file in a folder, without pickled objects."""
        arrays: dict[str, Any] = {} if self.ridge is None else vars(self.ridge)
        save_arrays(folder / FILE, means=self.means, **arrays)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads the baseline that was saved to a folder, or returns None if there is none.

        Without scikit-learn, only the mean is loaded.

        Raises:
            UserError: If the file is damaged.
        """
        return load_arrays(folder / FILE, cls._of_arrays)

    @classmethod
    def _of_arrays(cls, arrays: dict[str, Any]) -> Self:
        means = arrays.pop("means")
        ridge = Ridge(**arrays) if arrays else None
        return cls(means, ridge if is_available() else None)


class ValueBaselines(
    Baselines[Settings, TokenPreprocessor, keras.Model, ValuedTexts, ValueBaseline]
):
    """The mean of the training data, and ridge regression on words."""

    def fit(self, examples: ValuedTexts, fitted: FittedTexts) -> ValueBaseline:
        return ValueBaseline.fit(examples.joined_texts(), np.array(examples.values))

    def scores(
        self, learned: ValueBaseline, examples: ValuedTexts, fitted: FittedTexts
    ) -> dict[str, float]:
        names = fitted.settings.value_names or examples.names
        return learned.scores(examples.joined_texts(), np.array(examples.values), names)

    def load(self, folder: Path) -> ValueBaseline | None:
        return ValueBaseline.load(folder)
