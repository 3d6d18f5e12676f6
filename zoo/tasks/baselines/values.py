"""Baselines for values, which every regressor should outperform."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self

import numpy as np

from zoo.data.examples import ValuedExamples
from zoo.metrics.values import ValueRows
from zoo.registry.metrics import VALUES
from zoo.tasks.baselines.linear import Linear, LinearInputs, LinearModel, X
from zoo.tasks.baselines.linear_words import linear_words, sparse_ridge, text_inputs
from zoo.tasks.baselines.saved_arrays import FILE, load_arrays, save_arrays
from zoo.tasks.measuring import Judged
from zoo.tasks.options.values import ValueSettings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted, Fitted

FittedValues = Fitted[ValueSettings, Any]

TEXTS = 20_000  # maximum number of texts to fit on
TERMS = 50_000  # maximum number of words, the most frequent ones
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
        >>> predictions = ValueBaseline.fit(WORDS, texts, values).predict(texts)
        >>> predictions["mean"][0].tolist(), bool(np.abs(predictions["tfidf"] - values).max() < 1)
        ([3.0], True)
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

    def predict(self, inputs: X) -> dict[str, np.ndarray]:
        """The values (N, K) of each baseline for N inputs, by its name."""
        predictions = {"mean": np.tile(self.means, (len(inputs), 1))}
        if self.model is not None:
            predictions[self.linear.name] = self.model.predict(inputs)
        return predictions

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

    def judged(
        self, learned: ValueBaseline[Any], examples: ValuedExamples, fitted: FittedValues
    ) -> Mapping[str, Judged]:
        names = fitted.settings.value_names or examples.names
        inputs, rows = self.inputs.to_score(examples, fitted)
        values = np.array(examples.values)[rows]
        return {
            name: {VALUES: partial(ValueRows, values, own, names)}
            for name, own in learned.predict(inputs).items()
        }

    def load(self, folder: Path) -> ValueBaseline[Any] | None:
        return ValueBaseline.load(self.linear, folder)
