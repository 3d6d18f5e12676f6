"""TF-IDF features of texts, where scikit-learn is installed."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

WORD = r"(?u)\b\w{2,40}\b"  # longer ones would make arrays of words large


@dataclass(frozen=True)
class TfIdf:
    """The terms of texts, and their inverse document frequencies.

    Source: Salton & Buckley 1988; scikit-learn's `TfidfVectorizer`.
    Formula: `x_t = (1 + log n_t) idf_t`, divided by the length of x

    Args:
        terms: Words, or n-grams of characters, in the order of the features.
        idf: The inverse document frequency of each.
    """

    terms: np.ndarray
    idf: np.ndarray

    @classmethod
    def fit(cls, texts: Sequence[str], **options: Any) -> tuple[Self, Any] | None:
        """The terms of texts, and the features of these, a sparse matrix (N, terms).

        Args:
            texts: The texts.
            **options: Options of scikit-learn's `TfidfVectorizer`.

        Returns:
            Both; None without scikit-learn, or if there are no terms.
        """
        if not is_available():
            return None
        vectorizer = _vectorizer(options)
        try:
            features = vectorizer.fit_transform(texts)
        except ValueError:  # an empty vocabulary
            return None
        return cls(vectorizer.get_feature_names_out().astype(str), vectorizer.idf_), features

    def features(self, texts: Sequence[str], **options: Any) -> Any:
        """The features of texts, a sparse matrix (N, terms); `options` are those of `fit`."""
        vectorizer = _vectorizer({**options, "vocabulary": self.terms.tolist()})
        vectorizer.idf_ = self.idf
        return vectorizer.transform(texts)


def is_available() -> bool:
    """Whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def _vectorizer(options: dict[str, Any]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, **options)
