"""Baselines for values, which every regressor should outperform."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self

import numpy as np

from zoo.data.examples import ValuedExamples
from zoo.heads.value_scores import score_columns
from zoo.tasks.baselines.linear import Linear, LinearInputs, LinearModel, X
from zoo.tasks.baselines.linear_words import linear_words, sparse_ridge, text_inputs
from zoo.tasks.baselines.saved_arrays import FILE, load_arrays, save_arrays
from zoo.tasks.options.values import ValueSettings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted, Fitted

FittedValues = Fitted[ValueSettings, Any]

TEXTS = 20_000  # maximum number of texts to fit on
TERMS = 50_000  # maximum number of words, the most frequent ones
CORRELATIONS = ("spearman", "pearson")
WORDS = linear_words(sparse_ridge, TERMS)


@dataclass(frozen=True)
class ValueBaseline(Generic[X]):
    """The mean of the training data, and ridge regression.

    Args:
        means: The means (K,).
        linear: The kind of ridge regression.
        model: The model; None if it cannot be fitted.

    Example:
        >>> texts, values = ["fine film", "fine", "dull"] * 3, np.array([[4.0], [4.0], [1.0]] * 3)
        >>> scores = ValueBaseline.fit(WORDS, texts, values).scores(texts, values, ["stars"])
        >>> round(scores["mean_mae"], 3), scores["tfidf_mae"] < 0.5
        (1.333, True)
    """

    means: np.ndarray
    linear: Linear[X]
    model: LinearModel[X] | None = None

    @classmethod
    def fit(
        cls, linear: Linear[X], inputs: X, values: np.ndarray, every: np.ndarray | None = None
    ) -> Self:
        """Fits both.

        Args:
            linear: The kind of ridge regression.
            inputs: The inputs of the regression.
            values: Their values, (N, K).
            every: The values of all inputs, if these are a part of them.
        """
        means = (values if every is None else every).mean(axis=0)
        return cls(means, linear, linear.fit(inputs, values))

    def scores(self, inputs: X, values: np.ndarray, names: Sequence[str]) -> dict[str, float]:
        """The metrics of each, after "mean" and the name of the regression; see `score_columns`.

        The mean has no correlations; of several values, only the mean R² is given.
        """
        mean = score_columns(values, np.broadcast_to(self.means, values.shape), [*names])
        every = {f"mean_{key}": x for key, x in mean.items() if not key.endswith(CORRELATIONS)}
        if self.model is not None:
            scores = score_columns(values, self.model.predict(inputs), [*names])
            every |= {f"{self.linear.name}_{key}": score for key, score in scores.items()}
        return {key: x for key, x in every.items() if key.count("_") == 1 or key[-3:] != "_r2"}

    def save(self, folder: Path) -> None:
        """Writes the baseline to a file in a folder, without pickled objects."""
        arrays = {} if self.model is None else self.model.arrays
        save_arrays(folder / FILE, means=self.means, **arrays)

    @classmethod
    def load(cls, linear: Linear[X], folder: Path) -> "ValueBaseline[X] | None":
        """Loads the baseline that was saved to a folder, or returns None if there is none.

        Without scikit-learn, only the mean is loaded if the regression needs it.

        Raises:
            UserError: If the file is damaged.
        """

        def of_arrays(arrays: dict[str, Any]) -> ValueBaseline[X]:
            means = arrays.pop("means")
            return cls(means, linear, linear.loaded(arrays))

        return load_arrays(folder / FILE, of_arrays)


@dataclass(frozen=True)
class ValueBaselines(Baselines[AnyFitted, Any, ValueBaseline[Any]]):
    """The mean of the training data, and ridge regression.

    Args:
        linear: The kind of ridge regression.
        inputs: What it sees of examples.
    """

    linear: Linear[Any] = WORDS
    inputs: LinearInputs[Any] = text_inputs(TEXTS)

    def fit(self, examples: ValuedExamples, fitted: FittedValues) -> ValueBaseline[Any]:
        inputs, rows = self.inputs.to_fit(examples, fitted)
        values = np.array(examples.values)
        return ValueBaseline.fit(self.linear, inputs, values[rows], values)

    def scores(
        self,
        learned: ValueBaseline[Any],
        examples: ValuedExamples,
        fitted: FittedValues,
    ) -> dict[str, float]:
        names = fitted.settings.value_names or examples.names
        inputs, rows = self.inputs.to_score(examples, fitted)
        return learned.scores(inputs, np.array(examples.values)[rows], names)

    def load(self, folder: Path) -> ValueBaseline[Any] | None:
        return ValueBaseline.load(self.linear, folder)
