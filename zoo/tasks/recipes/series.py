"""The training of tasks on whole series that give each a label or values."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zoo.data.batching.arrays import LabeledArrays
from zoo.data.series.rows import SeriesRows
from zoo.heads.head import Head
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.options import series_classifier, series_regressor
from zoo.tasks.options.whole_series import STEPS, WholeSeriesSettings
from zoo.tasks.parts import Baselines, Fitted, Recipe
from zoo.tasks.recipes.targets import Targets
from zoo.training.objective import Objective

S = TypeVar("S", bound=WholeSeriesSettings)
T = TypeVar("T", series_classifier.Training, series_regressor.Training)
E = TypeVar("E", bound=SeriesRows)
H = TypeVar("H", bound=Head)


@dataclass(frozen=True)
class SeriesRecipe(Recipe[Fitted[S, SeriesPreprocessor], T, E, H], Generic[S, T, E, H]):
    """Batches of series with the numbers of their labels, or with their values.

    Args:
        targets: What the model learns of series.
        baselines: Simple models of series.
    """

    targets: Targets[E, H, T]
    baselines: Baselines[Fitted[S, SeriesPreprocessor], E, Any]
    min_steps: int = STEPS

    def initialize(self, examples: E, fitted: Fitted[S, SeriesPreprocessor], head: H) -> None:
        fitted.model.standardize.adapt([each.values for each in examples.series])

    def batches(
        self,
        examples: E,
        fitted: Fitted[S, SeriesPreprocessor],
        head: H,
        training: T,
        held_out: bool,
    ) -> LabeledArrays:
        preprocessor = fitted.preprocessor
        preprocessor.check(examples.unlabeled)
        return LabeledArrays(
            preprocessor.read(preprocessor.raw(examples.series)),
            preprocessor.features,
            self.targets.numbers(examples, head),
            training.batch_size,
            "series",
            training.seed,
            self.targets.weights(examples),
        )

    def weighted(
        self, examples: E, fitted: Fitted[S, SeriesPreprocessor], head: H, training: T
    ) -> H:
        return self.targets.weighted(examples, head, training)

    def objective(self, head: H, training: T) -> Objective:
        return self.targets.objective(head, training)
