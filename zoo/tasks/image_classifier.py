"""Image classification: from an image to its label."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.images import ImageBatches
from zoo.data.images.idx import is_idx, labels_beside
from zoo.data.images.image_list import ImageList
from zoo.data.images.read import LabeledImages, read_images
from zoo.data.readers.files import is_path, paths_of
from zoo.heads.label import labels_of
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.images import ImagePreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.attending import ATTENTION
from zoo.tasks.classifying import Classifying
from zoo.tasks.glimpses import Glimpse, glimpse_axes, glimpses_of, named_glimpses
from zoo.tasks.images import ENCODED, FOLDER, ImageTask, encoded_signature, learn_shape
from zoo.tasks.options import image_classifier as options


class ImageClassifier(Classifying, ImageTask):
    """Classifies images; trained on images with labels.

    `predict` takes a list of arrays (H, W), (H, W, 1) or (H, W, 3) with numbers from 0 to 255, or
    of paths of PNG and JPEG files. Images of other sizes than that of the model are resized.

    Source: Jaderberg et al. 2015, section 4.1.

    Example:
        >>> import numpy as np, zoo
        >>> def bar(place, label):
        ...     image = np.zeros((13, 13), np.uint8)
        ...     image[2:5, place : place + 3] = 255
        ...     return image, label
        >>> rows = [bar(place, side) for place, side in ((1, "left"), (9, "right"))] * 8
        >>> small = {"layers": [[4, 3], [4, 3]], "localization": [[2, 3]]}
        >>> task = zoo.ImageClassifier("stn_classifier", "affine", **small)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=12, learning_rate=0.01, xla=False, verbose=False)
        >>> task.predict([rows[0][0], rows[1][0]])
        ['left', 'right']
    """

    name = "image-classifier"
    Settings = options.Settings
    Training = options.Training
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {
        "pixels": "Classifies images.",
        ATTENTION: "Shows what each spatial transformer looks at in images.",
    }
    preview_explanation: ClassVar[str] = "Images with the predictions of the model."

    # --- Data ---

    def read(self, data: Any) -> LabeledImages:
        return read_images(data, self.settings)

    def files_of(self, data: Any, examples: ImageList) -> list[Path]:
        given = paths_of(data) if is_path(data) else []
        beside = [labels_beside(path) for path in given if is_idx(path) and path.is_file()]
        return super().files_of(data, examples) + beside

    def learn(self, examples: LabeledImages) -> ImagePreprocessor:
        self.settings.labels = labels_of(
            examples.labels, self.settings.labels, "label", examples.path
        )
        return ImagePreprocessor.of(learn_shape(self.settings, examples), examples.images)

    def save_preprocessor(self, folder: Path) -> None:
        self.preprocessor.save(folder / FOLDER)

    def load_preprocessor(self, folder: Path) -> ImagePreprocessor:
        return ImagePreprocessor.load(folder / FOLDER)

    def same_preprocessor(self, folder: Path) -> bool:
        return self.load_preprocessor(folder).facts() == self.preprocessor.facts()

    def model_sizes(self) -> dict[str, Any]:
        return {**self.image_sizes, "num_classes": len(self.labels)}

    # --- Training ---

    def batches(
        self, examples: LabeledImages, training: Any, held_out: bool = False
    ) -> ImageBatches:
        changes = Augmentation(training.shift, training.rotation, training.flip)
        return ImageBatches(
            examples.images,
            self.head.numbers(examples.labels, examples.path),
            self.preprocessor,
            training.batch_size,
            training.seed,
            None if held_out else changes,
        )

    def rate_factors(self, training: Any) -> dict[str, float]:
        weights = (x for layer in self.model.all_transformers for x in layer.weights)
        return {weight.path: training.localization_rate for weight in weights}

    # --- Inference ---

    def inferences(self, **_: Any) -> dict[str, Inference]:
        features = self.preprocessor.features

        def compute(inputs: Tensors) -> Tensors:
            return self.head.outputs(self.model(inputs)["logits"])

        def attend(inputs: Tensors) -> Tensors:
            logits, glimpses = self.model.read(inputs, with_glimpses=True)
            return {"scores": self.head.outputs(logits)["scores"], **named_glimpses(glimpses)}

        found = {"pixels": Inference(features, dict, compute, self.head.axes)}
        if self.model.all_transformers:
            axes = {"scores": self.head.axes["scores"], **glimpse_axes(self.model)}
            found[ATTENTION] = Inference(features, dict, attend, axes)
        return found

    def signatures(
        self, text: str | None, litert: bool = False, **options: Any
    ) -> dict[str, Signature]:
        found = super().signatures(text, litert, **options)
        if text:
            del found["pixels"]  # takes the same as the main one
        if text and not litert:  # LiteRT cannot decode images
            found |= encoded_signature(found, self.preprocessor, "Classifies images in files.")
        return found

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        return {SERVING_DEFAULT: raw, ENCODED: self.preprocessor.encoded_probes()}

    @property
    def meanings(self) -> dict[str, str]:
        found = super().meanings
        for number, name in enumerate(x.name for x in self.model.all_transformers):
            found[f"sampled_{number}"] = f"what {name} samples from its input"
            found[f"grid_{number}"] = (
                f"where {name} samples: x and y, from -1 at the left and upper edges of its input "
                "to 1 at the right and lower edges"
            )
        return found

    def glimpses(self, image: Any) -> list[Glimpse]:
        """What each spatial transformer looks at in an image.

        Args:
            image: An image, as in the list that `predict` takes.
        """
        if not self.model.all_transformers:
            return []
        features = self.preprocessor.read(self.raw_inputs([image]))
        return glimpses_of(self.program(ATTENTION)(features), row=0)
