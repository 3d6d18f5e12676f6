"""Baselines for text classification, which every classifier should outperform."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from zoo.atomic import replacing
from zoo.data.readers.npz import read_arrays
from zoo.errors import UserError

FILE = "baseline.npz"
ROWS = 20_000  # maximum number of texts to fit logistic regression on


@dataclass(frozen=True)
class Linear:
    """Logistic regression on TF-IDF features of words, fitted by scikit-learn.

    Args:
        labels: The labels in class order.
        words: The words, in the order of the coefficients.
        idf: The inverse document frequency of each word.
        coefficients: The coefficients, (C, words), or (1, words) for two labels.
        intercepts: The intercepts, (C,) or (1,).
    """

    labels: np.ndarray
    words: np.ndarray
    idf: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray

    @classmethod
    def fit(cls, texts: Sequence[str], labels: Sequence[str]) -> Self | None:
        """Fits a model. Returns None without scikit-learn, or if the texts have no words."""
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            return None
        vectorizer = _vectorizer()
        try:
            features = vectorizer.fit_transform(texts)
        except ValueError:  # an empty vocabulary
            return None
        model = LogisticRegression(C=10, max_iter=1000).fit(features, labels)
        words = vectorizer.get_feature_names_out().astype(str)
        weights = model.coef_.astype("float32"), model.intercept_.astype("float32")
        return cls(model.classes_, words, vectorizer.idf_.astype("float32"), *weights)

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The label of each text."""
        vectorizer = _vectorizer(vocabulary=self.words.tolist())
        vectorizer.idf_ = self.idf
        scores = vectorizer.transform(texts) @ self.coefficients.T + self.intercepts
        best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return [str(self.labels[i]) for i in best.astype(int)]


@dataclass(frozen=True)
class Baseline:
    """The most frequent label, and logistic regression where scikit-learn is installed.

    Example:
        >>> baseline = Baseline.fit(["fine film", "fine", "dull"] * 3, ["good", "good", "bad"] * 3)
        >>> baseline.scores(["a dull film", "fine day"], ["bad", "good"])
        {'majority_accuracy': 0.5, 'tfidf_accuracy': 1.0}
    """

    majority: str
    linear: Linear | None = None

    @classmethod
    def fit(cls, texts: Sequence[str], labels: Sequence[str]) -> Self:
        """Fits both models.

        Args:
            texts: The texts.
            labels: Their labels, with at least two different values.
        """
        rows = list(zip(texts, labels, strict=True))
        if len(rows) > ROWS:
            rows = random.Random(0).sample(rows, ROWS)
        ((majority, _),) = Counter(labels).most_common(1)
        several = len({label for _, label in rows}) > 1
        return cls(majority, Linear.fit(*zip(*rows, strict=True)) if several else None)

    def scores(self, texts: Sequence[str], labels: Sequence[str]) -> dict[str, float]:
        """The accuracy of each model."""
        found = {"majority_accuracy": _accuracy([self.majority] * len(labels), labels)}
        if self.linear is not None:
            found["tfidf_accuracy"] = _accuracy(self.linear.predict(texts), labels)
        return found

    def save(self, folder: Path) -> None:
        """Writes the baseline to a file in a folder, without pickled objects."""
        arrays: dict[str, Any] = {} if self.linear is None else vars(self.linear)
        with replacing(folder / FILE) as partial:
            np.savez_compressed(partial, majority=self.majority, **arrays)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads the baseline that was saved to a folder, or returns None if there is none.

        Without scikit-learn, only the most frequent label is loaded.

        Raises:
            UserError: If the file is damaged.
        """
        path = folder / FILE
        if not path.exists():
            return None
        try:
            arrays = read_arrays(path)
            majority = str(arrays.pop("majority"))
            linear = Linear(**arrays) if arrays else None
            if linear and linear.coefficients.shape[1] != len(linear.words):
                raise ValueError("the numbers of coefficients and words differ")
        except Exception as error:
            raise UserError(f"{path} is damaged ({error}): delete it, or train again.") from None
        return cls(majority, linear if _available() else None)


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, **options)


def _available() -> bool:
    from importlib.util import find_spec

    return find_spec("sklearn") is not None


def _accuracy(found: Sequence[str], labels: Sequence[str]) -> float:
    return sum(a == b for a, b in zip(found, labels, strict=True)) / max(len(labels), 1)
