"""How image classifiers are trained."""

from pathlib import Path

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.images import ImageBatches
from zoo.data.images.read import LabeledImages
from zoo.heads.label import LabelHead
from zoo.models.stn_classifier import STNClassifier
from zoo.preprocessing.images import ImagePreprocessor
from zoo.tasks.frequent_answers import FrequentAnswers
from zoo.tasks.options.image_classifier import STEPS, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.objective import Objective

FittedImages = Fitted[Settings, ImagePreprocessor, STNClassifier]


class LabeledImageRecipe(
    Recipe[Settings, Training, ImagePreprocessor, STNClassifier, LabeledImages, LabelHead]
):
    """Batches of images that are changed at random; transformers learn at a lower rate."""

    min_steps = STEPS

    def batches(
        self,
        examples: LabeledImages,
        fitted: FittedImages,
        head: LabelHead,
        training: Training,
        held_out: bool,
    ) -> ImageBatches:
        changes = Augmentation(training.shift, training.rotation, training.flip)
        return ImageBatches(
            examples.images,
            head.numbers(examples.labels, examples.path),
            fitted.preprocessor,
            training.batch_size,
            training.seed,
            None if held_out else changes,
        )

    def fit_baselines(self, examples: LabeledImages, fitted: FittedImages) -> FrequentAnswers:
        return FrequentAnswers.of(examples.labels)

    def baseline_scores(
        self, baselines: FrequentAnswers, examples: LabeledImages, fitted: FittedImages
    ) -> dict[str, float]:
        right = sum(label == baselines.answer for label in examples.labels)
        return {"majority_accuracy": right / max(len(examples), 1)}

    def load_baselines(self, folder: Path) -> FrequentAnswers | None:
        return FrequentAnswers.load(folder)

    def objective(self, head: LabelHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)

    def rate_factors(self, fitted: FittedImages, training: Training) -> dict[str, float]:
        weights = (x for layer in fitted.model.all_transformers for x in layer.weights)
        return {weight.path: training.localization_rate for weight in weights}
