"""Baselines for classifiers of several labels, which every such classifier should outperform."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from zoo.heads.scores import score_label_lists
from zoo.tasks.baselines.saved_arrays import load_arrays, save_arrays
from zoo.tasks.baselines.tfidf import WORD, TfIdf, is_available

FILE = "label_sets_baseline.npz"
WORK = 100_000  # maximum number of texts times labels to fit on
LABELS = 50  # maximum number of labels that are predicted, the most frequent ones
TERMS = 20_000  # maximum number of words, the most frequent ones


@dataclass(frozen=True)
class LabelModels:
    """A logistic regression for each label on TF-IDF features, fitted by scikit-learn.

    Args:
        labels: The labels.
        terms: The words in the order of the coefficients.
        idf: The inverse document frequency of each.
        coefficients: The coefficients, (C, words).
        intercepts: The intercepts, (C,).
    """

    labels: np.ndarray
    terms: np.ndarray
    idf: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray

    def __post_init__(self) -> None:
        shape = (len(self.labels), len(self.terms))
        if self.coefficients.shape != shape or self.idf.shape != shape[1:]:
            raise ValueError("the numbers of coefficients and words differ")

    @classmethod
    def fit(
        cls, texts: Sequence[str], sets: Sequence[Sequence[str]], labels: Sequence[str]
    ) -> Self | None:
        """Fits a model for each label that some texts have, and others lack.

        Returns:
            The models; None without scikit-learn, or if there are no words or no such labels.
        """
        fitted = TfIdf.fit(texts, max_features=TERMS, token_pattern=WORD)
        if fitted is None:
            return None
        from sklearn.linear_model import LogisticRegression

        tfidf, features = fitted
        models = {}
        for label in labels:
            has = np.array([label in own for own in sets])
            if has.any() and not has.all():
                model = LogisticRegression(C=10, solver="liblinear", random_state=0)
                models[label] = model.fit(features, has)
        if not models:
            return None
        coefficients = np.array([model.coef_[0] for model in models.values()], "float32")
        intercepts = np.array([model.intercept_[0] for model in models.values()], "float32")
        return cls(np.array([*models]), tfidf.terms, tfidf.idf, coefficients, intercepts)

    def predict(self, texts: Sequence[str]) -> list[list[str]]:
        """The labels of each text."""
        features = TfIdf(self.terms, self.idf).features(texts, token_pattern=WORD)
        logits = features @ self.coefficients.T + self.intercepts
        return [[str(label) for label in self.labels[row]] for row in logits > 0]


@dataclass(frozen=True)
class LabelSetBaseline:
    """The labels that at least half of the texts have; and logistic regressions, where they can be.

    Args:
        frequent: The labels that at least half of the texts have.
        models: The logistic regressions; None without scikit-learn.

    Example:
        >>> texts, sets = ["fine film", "fine day", "dull film"] * 3, [["good"], ["good"], []] * 3
        >>> scores = LabelSetBaseline.fit(texts, sets).scores(["dull film", "fine"], [[], ["good"]])
        >>> round(scores["frequent_micro_f1"], 3), scores["tfidf_micro_f1"]
        (0.667, 1.0)
    """

    frequent: list[str]
    models: LabelModels | None = None

    @classmethod
    def fit(cls, texts: Sequence[str], sets: Sequence[Sequence[str]]) -> Self:
        """Fits all models.

        Args:
            texts: The texts.
            sets: The labels of each.
        """
        counts = Counter(label for own in sets for label in own)
        frequent = sorted(label for label, count in counts.items() if count >= len(texts) / 2)
        labels = sorted(counts, key=lambda label: (-counts[label], label))[:LABELS]
        rows, most = list(zip(texts, sets, strict=True)), WORK // max(len(labels), 1)
        rows = random.Random(0).sample(rows, most) if len(rows) > most else rows
        some, own = [text for text, _ in rows], [labels for _, labels in rows]
        return cls(frequent, LabelModels.fit(some, own, labels))

    def scores(self, texts: Sequence[str], sets: Sequence[Sequence[str]]) -> dict[str, float]:
        """Micro F1 and the fraction of rows of which all labels are right, of each baseline."""
        predictions = {"frequent": [self.frequent for _ in texts]}
        if self.models is not None:
            predictions["tfidf"] = self.models.predict(texts)
        return {
            f"{name}_{metric}": score
            for name, each in predictions.items()
            for metric, score in score_label_lists(sets, each).items()
        }

    def save(self, folder: Path) -> None:
        """Writes the baseline to a file in a folder, without pickled objects."""
        arrays: dict[str, Any] = {} if self.models is None else vars(self.models)
        save_arrays(folder / FILE, frequent=np.array(self.frequent, str), **arrays)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads the baseline that was saved to a folder, or returns None if there is none.

        Without scikit-learn, only the frequent labels are loaded.

        Raises:
            UserError: If the file is damaged.
        """
        return load_arrays(folder / FILE, cls._of_arrays)

    @classmethod
    def _of_arrays(cls, arrays: dict[str, Any]) -> Self:
        frequent = [str(label) for label in arrays.pop("frequent")]
        models = LabelModels(**arrays) if arrays else None
        return cls(frequent, models if is_available() else None)
