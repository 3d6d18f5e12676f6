"""How classifiers of series are trained."""

from zoo.data.batching.arrays import LabeledArrays
from zoo.data.series.labeled import LabeledSeries
from zoo.heads.label import LabelHead
from zoo.models.series_classifier import SeriesClassifier
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.baselines.labeled_vectors import LabeledVectors
from zoo.tasks.baselines.small_inputs import short_series
from zoo.tasks.options.series_classifier import STEPS, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.objective import Objective

FittedSeries = Fitted[Settings, SeriesPreprocessor, SeriesClassifier]


class LabeledSeriesRecipe(
    Recipe[Settings, Training, SeriesPreprocessor, SeriesClassifier, LabeledSeries, LabelHead]
):
    """Batches of series with the numbers of their labels."""

    baselines = LabeledVectors(short_series)
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

    def objective(self, head: LabelHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)
