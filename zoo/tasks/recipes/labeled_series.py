"""How classifiers of series are trained."""

from pathlib import Path

from zoo.data.batching.arrays import LabeledArrays
from zoo.data.series.labeled import LabeledSeries
from zoo.heads.label import LabelHead
from zoo.models.series_classifier import SeriesClassifier
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.frequent_answers import FrequentAnswers
from zoo.tasks.options.series_classifier import STEPS, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.objective import Objective

FittedSeries = Fitted[Settings, SeriesPreprocessor, SeriesClassifier]


class LabeledSeriesRecipe(
    Recipe[Settings, Training, SeriesPreprocessor, SeriesClassifier, LabeledSeries, LabelHead]
):
    """Batches of series with the numbers of their labels."""

    min_steps = STEPS

    def initialize(self, examples: LabeledSeries, fitted: FittedSeries, head: LabelHead) -> None:
        fitted.model.standardize.adapt([each.values for each in examples.series])

    def batches(
        self,
        examples: LabeledSeries,
        fitted: FittedSeries,
        head: LabelHead,
        training: Training,
        held_out: bool,
    ) -> LabeledArrays:
        preprocessor = fitted.preprocessor
        preprocessor.check(examples.unlabeled)
        return LabeledArrays(
            preprocessor.read(preprocessor.raw(examples.series)),
            preprocessor.features,
            head.numbers(examples.labels, examples.path),
            training.batch_size,
            "series",
            training.seed,
        )

    def fit_baselines(self, examples: LabeledSeries, fitted: FittedSeries) -> FrequentAnswers:
        return FrequentAnswers.of(examples.labels)

    def baseline_scores(
        self, baselines: FrequentAnswers, examples: LabeledSeries, fitted: FittedSeries
    ) -> dict[str, float]:
        right = sum(label == baselines.answer for label in examples.labels)
        return {"majority_accuracy": right / max(len(examples), 1)}

    def load_baselines(self, folder: Path) -> FrequentAnswers | None:
        return FrequentAnswers.load(folder)

    def objective(self, head: LabelHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)
