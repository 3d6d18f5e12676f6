"""Baselines for text classification, which every classifier should outperform."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.baselines.judged_labels import judged_labels
from zoo.tasks.baselines.saved_arrays import SavedArrays
from zoo.tasks.baselines.tfidf import TfIdf, is_available
from zoo.tasks.formats.labeled_texts import LabeledTextExamples
from zoo.tasks.measuring import Judged
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

ROWS = 20_000  # maximum number of texts to fit logistic regression on
CHARACTERS = 1_000_000  # about the maximum number of characters to fit on if n-grams are of them
PREFIX = "characters_"  # of the arrays in the file
WORD_TERMS: dict[str, Any] = {}
CHARACTER_TERMS: dict[str, Any] = {
    "analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 20_000,
}  # fmt: skip
FittedTexts = Fitted[Settings, TokenPreprocessor]


@dataclass(frozen=True)
class TfIdfClassifier:
    """Logistic regression on TF-IDF features, fitted by scikit-learn.

    Args:
        labels: The labels in class order.
        words: The words, or n-grams of characters, in the order of the coefficients.
        idf: The inverse document frequency of each.
        coefficients: The coefficients, (C, words), or (1, words) for two labels.
        intercepts: The intercepts, (C,) or (1,).
    """

    labels: np.ndarray
    words: np.ndarray
    idf: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray

    @classmethod
    def fit(
        cls, texts: Sequence[str], labels: Sequence[str], terms: dict[str, Any] = WORD_TERMS
    ) -> Self | None:
        """Fits a model.

        Args:
            texts: The texts.
            labels: Their labels.
            terms: Options of scikit-learn's `TfidfVectorizer`.

        Returns:
            The model; None without scikit-learn, or if there are no terms or not several labels.
        """
        if len(set(labels)) < 2:
            return None
        fitted = TfIdf.fit(texts, **terms)
        if fitted is None:
            return None
        from sklearn.linear_model import LogisticRegression

        tfidf, features = fitted
        model = LogisticRegression(C=10, max_iter=1000).fit(features, labels)
        weights = model.coef_.astype("float32"), model.intercept_.astype("float32")
        return cls(model.classes_, tfidf.terms, tfidf.idf.astype("float32"), *weights)

    def predict(self, texts: Sequence[str], terms: dict[str, Any] = WORD_TERMS) -> list[str]:
        """The label of each text; `terms` are those of `fit`."""
        features = TfIdf(self.words, self.idf).features(texts, **terms)
        scores = features @ self.coefficients.T + self.intercepts
        best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return [str(self.labels[i]) for i in best.astype(int)]


@dataclass(frozen=True)
class Baseline(SavedArrays):
    """The most frequent label, and logistic regression where scikit-learn is installed.

    One logistic regression is on words, another on n-grams of 2 to 4 characters of a word.

    Example:
        >>> baseline = Baseline.fit(["fine film", "fine", "dull"] * 3, ["good", "good", "bad"] * 3)
        >>> baseline.predict(["a dull film", "fine day"])["tfidf"]
        ['bad', 'good']
    """

    majority: str
    linear: TfIdfClassifier | None = None
    characters: TfIdfClassifier | None = None

    @classmethod
    def fit(cls, texts: Sequence[str], labels: Sequence[str]) -> Self:
        """Fits all models.

        Args:
            texts: The texts.
            labels: Their labels, with at least two different values.
        """
        rows = list(zip(texts, labels, strict=True))
        if len(rows) > ROWS:
            rows = random.Random(0).sample(rows, ROWS)
        ((majority, _),) = Counter(labels).most_common(1)
        mean = sum(len(text) for text, _ in rows) / len(rows)
        some = random.Random(1).sample(rows, min(len(rows), int(CHARACTERS / max(mean, 1))))
        return cls(majority, _fitted(rows, WORD_TERMS), _fitted(some, CHARACTER_TERMS))

    def predict(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """The labels that each model gives to texts, by its name."""
        answers = {"majority": [self.majority] * len(texts)}
        if self.linear is not None:
            answers["tfidf"] = self.linear.predict(texts)
        if self.characters is not None:
            answers["character_tfidf"] = self.characters.predict(texts, CHARACTER_TERMS)
        return answers

    @property
    def arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {} if self.linear is None else {**vars(self.linear)}
        if self.characters is not None:
            arrays |= {PREFIX + name: array for name, array in vars(self.characters).items()}
        return {"majority": np.asarray(self.majority), **arrays}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        """The baseline with these `arrays`; without scikit-learn, the most frequent label only."""
        majority = str(arrays.pop("majority"))
        names = [name for name in arrays if name.startswith(PREFIX)]
        characters = _loaded({name.removeprefix(PREFIX): arrays.pop(name) for name in names})
        linear = _loaded(arrays)
        return cls(majority, linear, characters) if is_available() else cls(majority)


def _fitted(rows: Sequence[tuple[str, str]], terms: dict[str, Any]) -> TfIdfClassifier | None:
    return TfIdfClassifier.fit([text for text, _ in rows], [label for _, label in rows], terms)


def _loaded(arrays: dict[str, Any]) -> TfIdfClassifier | None:
    linear = TfIdfClassifier(**arrays) if arrays else None
    if linear and linear.coefficients.shape[1] != len(linear.words):
        raise ValueError("the numbers of coefficients and words differ")
    return linear


class LabeledTextBaselines(Baselines[FittedTexts, LabeledTextExamples, Baseline]):
    """The most frequent label, and logistic regression on words and on characters."""

    loader = Baseline.load

    def fit(self, examples: LabeledTextExamples, fitted: FittedTexts) -> Baseline | None:
        texts = examples.texts_with_labels()
        return None if texts is None else Baseline.fit(*texts)

    def judged(
        self, learned: Baseline, examples: LabeledTextExamples, fitted: FittedTexts
    ) -> Mapping[str, Judged]:
        rows = examples.texts_with_labels()
        if rows is None:
            return {}
        texts, labels = rows
        return judged_labels(labels, learned.predict(texts), known_labels(fitted.settings))
