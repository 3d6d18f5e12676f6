"""Image classification: from an image to its label."""

from typing import Any, ClassVar

import numpy as np

from zoo.data.images.label_sets import LabelSetImages, read_label_set_images
from zoo.data.images.read import LabeledImages, read_images
from zoo.data.readers.column_names import ReadOptions
from zoo.options import values_of
from zoo.tasks.answers.labels import Labels, probabilities
from zoo.tasks.baselines.labeled_vectors import labeled_vectors
from zoo.tasks.baselines.small_inputs import small_pixels
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.images import ImageInput
from zoo.tasks.options import image_classifier as options
from zoo.tasks.options.table_columns import refuse_weights, without_weights
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.images import ImageRecipe
from zoo.tasks.recipes.targets import LabelTargets
from zoo.tasks.task import Task
from zoo.tasks.transformer_samples import TransformerSample, transformer_samples


def read(data: Any, settings: options.Settings, learned: Any) -> LabeledImages | LabelSetImages:
    """A folder of images for each label, a table of image files, an `.npz` file, or idx files.

    Of several labels: a table of the paths of images and of their labels, or an `.npz` file.
    """
    table = ReadOptions.of(values_of(settings))
    if settings.multi_label:
        refuse_weights(settings)
        return read_label_set_images(data, table, settings.label_separator, settings.images)
    return read_images(data, table, settings.images)


class ImageClassifier(Task):
    """Classifies images; trained on images with labels.

    With `multi_label`, an image can have several labels, or none: `predict` returns a list of
    labels for each image, and `predict_proba` independent probabilities.

    `predict` takes a list of arrays (H, W), (H, W, 1) or (H, W, 3) with numbers from 0 to 255, or
    of paths of PNG and JPEG files. Images of other sizes than that of the model are resized.

    Source: Jaderberg et al. 2015, section 4.1.

    Example:
        >>> import numpy as np, zoo
        >>> def bar(x, label):
        ...     image = np.zeros((13, 13), np.uint8)
        ...     image[2:5, x : x + 3] = 255
        ...     return image, label
        >>> rows = [bar(x, side) for x, side in ((1, "left"), (9, "right"))] * 8
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
    parts: ClassVar = Parts(
        format=InMemoryFormat(read, without_weights),
        input=ImageInput(),
        answer=Labels(),
        recipe=ImageRecipe(LabelTargets(), labeled_vectors(small_pixels)),
        purpose="Classifies images.",
        preview="Images with the predictions of the model.",
        pictures=Pictures.IMAGES,
    )

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return list(self.head.labels)

    def predict_proba(self, data: Any, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`; see `predict`."""
        return probabilities(self.predictor(), data, batch_size)

    def transformer_samples(self, image: Any) -> list[TransformerSample]:
        """What each spatial transformer looks at in an image.

        Args:
            image: An image, as in the list that `predict` takes.
        """
        return transformer_samples(self, image)
