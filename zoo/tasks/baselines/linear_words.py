"""Linear models of the words of texts, where scikit-learn is installed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.tasks.baselines.linear import FeatureMap, Linear, LinearInputs, Solution
from zoo.tasks.baselines.tfidf import WORD, TfIdf, is_available

STEPS = 500  # maximum number of steps of ridge regression
EVERY = 2**63  # texts to evaluate on


@dataclass(frozen=True)
class WordFeatures:
    """TF-IDF features of words; a `FeatureMap`.

    Args:
        tfidf: The words and their inverse document frequencies.
    """

    tfidf: TfIdf

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {"terms": self.tfidf.terms, "idf": self.tfidf.idf}

    def features(self, inputs: Sequence[str]) -> Any:
        return self.tfidf.features(inputs, token_pattern=WORD)


def linear_words(solve: Callable[[Any, np.ndarray], Solution], terms: int) -> Linear[Sequence[str]]:
    """A linear model of TF-IDF features.

    Args:
        solve: Function from features and targets to the solution.
        terms: Maximum number of words, the most frequent ones.
    """

    def learn(texts: Sequence[str]) -> tuple[FeatureMap[Sequence[str]], Any] | None:
        fitted = TfIdf.fit(texts, max_features=terms, token_pattern=WORD)
        return None if fitted is None else (WordFeatures(fitted[0]), fitted[1])

    def load(arrays: dict[str, np.ndarray]) -> WordFeatures | None:
        return WordFeatures(TfIdf(**arrays)) if is_available() else None

    return Linear("tfidf", learn, load, solve)


def text_inputs(fitted_to: int) -> LinearInputs[Sequence[str]]:
    """The texts of examples, those of a pair joined by a space.

    Args:
        fitted_to: Maximum number of texts to fit to.
    """

    def of_rows(examples: Any, preprocessor: Any, rows: list[int]) -> list[str]:
        texts = examples.joined_texts()
        return [texts[row] for row in rows]

    return LinearInputs(of_rows, fitted_to, EVERY)


def sparse_ridge(features: Any, values: np.ndarray) -> Solution:
    """Ridge regression of scikit-learn on a sparse matrix.

    Source: Hoerl & Kennard 1970.
    Formula: `min |X W + b - Y|^2 + |W|^2`
    """
    from sklearn.linear_model import Ridge

    model = Ridge(alpha=1.0, solver="sparse_cg", max_iter=STEPS).fit(features, values)
    return np.reshape(model.coef_, (values.shape[1], -1)), np.ravel(model.intercept_)
