"""Baselines of classifiers whose inputs have a vector of numbers each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.data.examples import LabeledExamples
from zoo.data_statistics import discarding
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.baselines.judged_labels import judged_labels
from zoo.tasks.baselines.label_sets import LabelSetBaselines
from zoo.tasks.baselines.linear_vectors import LOGISTIC, vector_inputs
from zoo.tasks.baselines.one_or_several import OneOrSeveralBaselines
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.baselines.vectors import VectorBaselines
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted

ROWS = 5_000  # maximum number of rows to fit to, and to evaluate on


@dataclass(frozen=True)
class LabeledVectors(Baselines[AnyFitted, LabeledExamples, VectorBaselines]):
    """The most frequent label, nearest centroids and logistic regression on vectors of the inputs.

    Args:
        vectors: Function from examples, the preprocessor and numbers of rows to features (N, D).
    """

    loader = VectorBaselines.load
    vectors: Callable[[Any, Any, list[int]], np.ndarray]

    def fit(self, examples: LabeledExamples, fitted: AnyFitted) -> VectorBaselines:
        return VectorBaselines.fit(*self._rows(examples, fitted))

    def judged(
        self, learned: VectorBaselines, examples: LabeledExamples, fitted: AnyFitted
    ) -> Mapping[str, Judged]:
        vectors, labels = self._rows(examples, fitted)
        return judged_labels(labels, learned.predict(vectors), known_labels(fitted.settings))

    def _rows(self, examples: LabeledExamples, fitted: AnyFitted) -> tuple[np.ndarray, list[str]]:
        rows, labels = sampled(len(examples), ROWS), examples.labels
        with discarding():
            vectors = self.vectors(examples, fitted.preprocessor, rows)
        return vectors, [labels[row] for row in rows]


def labeled_vectors(vectors: Callable[[Any, Any, list[int]], np.ndarray]) -> OneOrSeveralBaselines:
    """The baselines of vectors with one label each or, of several labels, those of these.

    Args:
        vectors: Function from examples, the preprocessor and numbers of rows to features (N, D).
    """
    several = LabelSetBaselines(LOGISTIC, vector_inputs(vectors))
    return OneOrSeveralBaselines(LabeledVectors(vectors), several)
