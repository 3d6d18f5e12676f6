"""Baselines of classifiers whose inputs have a vector of numbers each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from zoo.data.examples import LabeledExamples
from zoo.data_statistics import discarding
from zoo.tasks.baselines.label_sets import LabelSetBaselines
from zoo.tasks.baselines.linear_vectors import LOGISTIC, vector_inputs
from zoo.tasks.baselines.one_or_several import OneOrSeveralBaselines
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.baselines.vectors import VectorBaselines
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.kinds import M, P, S

ROWS = 5_000  # maximum number of rows to fit to, and to evaluate on

E = TypeVar("E", bound=LabeledExamples)


@dataclass(frozen=True)
class LabeledVectors(Baselines[S, P, M, E, VectorBaselines], Generic[S, P, M, E]):
    """The most frequent label, nearest centroids and logistic regression on vectors of the inputs.

    Args:
        vectors: Function from examples, the preprocessor and numbers of rows to features (N, D).
    """

    vectors: Callable[[E, P, list[int]], np.ndarray]

    def fit(self, examples: E, fitted: Fitted[S, P, M]) -> VectorBaselines:
        return VectorBaselines.fit(*self._rows(examples, fitted))

    def scores(
        self, learned: VectorBaselines, examples: E, fitted: Fitted[S, P, M]
    ) -> dict[str, float]:
        return learned.scores(*self._rows(examples, fitted))

    def load(self, folder: Path) -> VectorBaselines | None:
        return VectorBaselines.load(folder)

    def _rows(self, examples: E, fitted: Fitted[S, P, M]) -> tuple[np.ndarray, list[str]]:
        rows, labels = sampled(len(examples), ROWS), examples.labels
        with discarding():
            vectors = self.vectors(examples, fitted.preprocessor, rows)
        return vectors, [labels[row] for row in rows]


def labeled_vectors(
    vectors: Callable[[Any, Any, list[int]], np.ndarray],
) -> OneOrSeveralBaselines[Any, Any, Any, Any]:
    """The baselines of vectors with one label each or, of several labels, those of these.

    Args:
        vectors: Function from examples, the preprocessor and numbers of rows to features (N, D).
    """
    several: LabelSetBaselines[Any, Any, Any, Any] = LabelSetBaselines(
        LOGISTIC, vector_inputs(vectors)
    )
    return OneOrSeveralBaselines(LabeledVectors(vectors), several)
