"""The training of tasks on images that give each a label or values."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.images import ImageBatches
from zoo.data.images.image_list import ImageExamples
from zoo.heads.head import Head
from zoo.preprocessing.images import ImagePreprocessor
from zoo.tasks.options import image_classifier, image_regressor
from zoo.tasks.options.images import STEPS, ImageSettings
from zoo.tasks.parts import Baselines, Fitted, Recipe
from zoo.tasks.recipes.targets import Targets
from zoo.training.objective import Objective

S = TypeVar("S", bound=ImageSettings)
T = TypeVar("T", image_classifier.Training, image_regressor.Training)
E = TypeVar("E", bound=ImageExamples)
H = TypeVar("H", bound=Head)


@dataclass(frozen=True)
class ImageRecipe(Recipe[Fitted[S, ImagePreprocessor], T, E, H], Generic[S, T, E, H]):
    """Batches of images that are changed at random; transformers learn at a lower rate.

    Args:
        targets: What the model learns of images.
        baselines: Simple models of images.
    """

    targets: Targets[E, H, T]
    baselines: Baselines[Fitted[S, ImagePreprocessor], E, Any]
    min_steps: int = STEPS

    def batches(
        self,
        examples: E,
        fitted: Fitted[S, ImagePreprocessor],
        head: H,
        training: T,
        held_out: bool,
    ) -> ImageBatches:
        changes = Augmentation(training.shift, training.rotation, training.flip)
        return ImageBatches(
            examples.images,
            self.targets.numbers(examples, head),
            fitted.preprocessor,
            training.batch_size,
            training.seed,
            None if held_out else changes,
            self.targets.weights(examples),
        )

    def weighted(
        self, examples: E, fitted: Fitted[S, ImagePreprocessor], head: H, training: T
    ) -> H:
        return self.targets.weighted(examples, head, training)

    def objective(self, head: H, training: T) -> Objective:
        return self.targets.objective(head, training)

    def rate_factors(self, fitted: Fitted[S, ImagePreprocessor], training: T) -> dict[str, float]:
        weights = (x for layer in fitted.model.all_transformers for x in layer.weights)
        return {weight.path: training.localization_rate for weight in weights}
