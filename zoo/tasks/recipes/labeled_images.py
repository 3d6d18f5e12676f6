"""How image classifiers are trained."""

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.images import ImageBatches
from zoo.data.images.read import LabeledImages
from zoo.heads.label import LabelHead
from zoo.models.stn_classifier import STNClassifier
from zoo.preprocessing.images import ImagePreprocessor
from zoo.tasks.baselines.labeled_vectors import LabeledVectors
from zoo.tasks.baselines.small_inputs import small_pixels
from zoo.tasks.options.image_classifier import STEPS, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.objective import Objective

FittedImages = Fitted[Settings, ImagePreprocessor, STNClassifier]


class LabeledImageRecipe(
    Recipe[Settings, Training, ImagePreprocessor, STNClassifier, LabeledImages, LabelHead]
):
    """Batches of images that are changed at random; transformers learn at a lower rate."""

    baselines = LabeledVectors(small_pixels)
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

    def objective(self, head: LabelHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)

    def rate_factors(self, fitted: FittedImages, training: Training) -> dict[str, float]:
        weights = (x for layer in fitted.model.all_transformers for x in layer.weights)
        return {weight.path: training.localization_rate for weight in weights}
