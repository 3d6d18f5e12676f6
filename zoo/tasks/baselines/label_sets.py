"""Baselines for several labels, which every such classifier should outperform."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self

import numpy as np

from zoo.data.examples import LabelSetExamples
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.registry.metrics import LABEL_SETS
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.baselines.linear import Linear, LinearInputs, LinearModel, Solution, X
from zoo.tasks.baselines.linear_words import EVERY, linear_words, text_inputs
from zoo.tasks.baselines.saved_arrays import load_arrays, save_arrays
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted

FILE = "label_sets_baseline.npz"
WORK = 100_000  # maximum number of rows times labels to fit to
LABELS = 50  # maximum number of labels that are predicted, the most frequent ones
TERMS = 20_000  # maximum number of words, the most frequent ones


def logistic_regressions(strength: float) -> Callable[[Any, np.ndarray], Solution]:
    """A function that fits a logistic regression of scikit-learn for each label.

    Args:
        strength: The inverse of the weight of the penalty.
    """

    def solve(features: Any, has: np.ndarray) -> Solution:
        from sklearn.linear_model import LogisticRegression

        models = [
            LogisticRegression(C=strength, solver="liblinear", random_state=0).fit(features, own)
            for own in has.T
        ]
        coefficients = np.array([model.coef_[0] for model in models], "float32")
        return coefficients, np.array([model.intercept_[0] for model in models], "float32")

    return solve


WORDS = linear_words(logistic_regressions(10), TERMS)


@dataclass(frozen=True)
class LabelSetBaseline(Generic[X]):
    """The labels that at least half of the rows have; and logistic regressions, where they can be.

    Args:
        frequent: The labels that at least half of the rows have.
        linear: The kind of logistic regression.
        labels: The labels (C,) that some rows have, and others lack.
        model: The logistic regressions of these; None without scikit-learn, or if there are none.

    Example:
        >>> texts, sets = ["fine film", "fine day", "dull film"] * 3, [["good"], ["good"], []] * 3
        >>> baseline = LabelSetBaseline.fit(WORDS, texts, sets)
        >>> baseline.predict(["dull film", "fine"])
        {'frequent': [['good'], ['good']], 'tfidf': [[], ['good']]}
    """

    frequent: list[str]
    linear: Linear[X]
    labels: np.ndarray = field(default_factory=lambda: np.zeros(0, str))
    model: LinearModel[X] | None = None

    @classmethod
    def fit(cls, linear: Linear[X], inputs: X, sets: Sequence[Sequence[str]]) -> Self:
        """Fits all models.

        Args:
            linear: The kind of logistic regression.
            inputs: The inputs.
            sets: The labels of each.
        """
        counts = Counter(label for own in sets for label in set(own))
        frequent = sorted(label for label, count in counts.items() if count >= len(sets) / 2)
        known = sorted(counts, key=lambda label: (-counts[label], label))[:LABELS]
        mixed = [label for label in known if counts[label] < len(sets)]
        if not mixed:
            return cls(frequent, linear)
        has = np.array([[label in own for label in mixed] for own in sets])
        model = linear.fit(inputs, has)
        return cls(frequent, linear, np.array(mixed), model)

    def predict(self, inputs: X) -> dict[str, list[list[str]]]:
        """The labels that each baseline gives to inputs, by its name."""
        predictions = {"frequent": [self.frequent for _ in range(len(inputs))]}
        if self.model is not None:
            logits = self.model.predict(inputs)
            predicted = [[str(label) for label in self.labels[row]] for row in logits > 0]
            predictions[self.linear.name] = predicted
        return predictions

    def save(self, folder: Path) -> None:
        """Writes the baseline to a file in a folder, without pickled objects."""
        arrays = {} if self.model is None else {"labels": self.labels, **self.model.arrays}
        save_arrays(folder / FILE, frequent=np.array(self.frequent, str), **arrays)

    @classmethod
    def load(cls, linear: Linear[X], folder: Path) -> "LabelSetBaseline[X] | None":
        """Loads the baseline that was saved to a folder, or returns None if there is none.

        Without scikit-learn, only the frequent labels are loaded if the regressions need it.

        Raises:
            UserError: If the file is damaged.
        """

        def of_arrays(arrays: dict[str, Any]) -> LabelSetBaseline[X]:
            frequent = [str(label) for label in arrays.pop("frequent")]
            labels = arrays.pop("labels", np.zeros(0, str))
            model = linear.loaded(arrays)
            if model is not None and len(model.intercepts) != len(labels):
                raise ValueError("the numbers of labels and coefficients differ")
            return cls(frequent, linear, labels, model)

        return load_arrays(folder / FILE, of_arrays)


@dataclass(frozen=True)
class LabelSetBaselines(Baselines[AnyFitted, Any, LabelSetBaseline[Any]]):
    """The labels that at least half of the rows have, and a logistic regression for each label.

    Args:
        linear: The kind of logistic regression.
        inputs: What it sees of examples.
    """

    linear: Linear[Any] = WORDS
    inputs: LinearInputs[Any] = text_inputs(EVERY)

    def fit(self, examples: LabelSetExamples, fitted: AnyFitted) -> LabelSetBaseline[Any]:
        most = WORK // min(max(len({*examples.labels}), 1), LABELS)
        fewer = replace(self.inputs, fitted_to=min(self.inputs.fitted_to, most))
        inputs, rows = fewer.to_fit(examples, fitted)
        return LabelSetBaseline.fit(self.linear, inputs, [examples.label_sets[i] for i in rows])

    def judged(
        self, learned: LabelSetBaseline[Any], examples: LabelSetExamples, fitted: AnyFitted
    ) -> Mapping[str, Judged]:
        inputs, rows = self.inputs.to_score(examples, fitted)
        sets, labels = [examples.label_sets[row] for row in rows], known_labels(fitted.settings)
        return {
            name: {LABEL_SETS: partial(LabelSetPredictions, sets, own, labels)}
            for name, own in learned.predict(inputs).items()
        }

    def load(self, folder: Path) -> LabelSetBaseline[Any] | None:
        return LabelSetBaseline.load(self.linear, folder)
