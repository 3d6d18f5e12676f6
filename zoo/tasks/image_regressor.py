"""Image regression: from an image to a number or several."""

from typing import Any, ClassVar

from zoo.data.images.values import ValuedImages, read_valued_images
from zoo.data.readers.column_names import ReadOptions
from zoo.options import values_of
from zoo.tasks.answers.values import Values
from zoo.tasks.baselines.linear_vectors import RIDGE, vector_inputs
from zoo.tasks.baselines.small_inputs import small_pixels
from zoo.tasks.baselines.values import ValueBaselines
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.images import ImageInput
from zoo.tasks.options import image_regressor as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.images import ImageRecipe
from zoo.tasks.recipes.targets import ValueTargets
from zoo.tasks.task import Task
from zoo.tasks.transformer_samples import TransformerSample, transformer_samples


def read(data: Any, settings: options.Settings, learned: Any) -> ValuedImages:
    """A table of the paths of images and of their values, or an `.npz` file."""
    return read_valued_images(data, ReadOptions.of(values_of(settings)), settings.images)


class ImageRegressor(Task):
    """Predicts values of images, such as a count or an age; trained on images with values.

    `predict` takes a list of arrays (H, W), (H, W, 1) or (H, W, 3) with numbers from 0 to 255, or
    of paths of PNG and JPEG files, and returns a number for each; of a task with several values, a
    dictionary of them. Images of other sizes than that of the model are resized.

    Example:
        >>> import numpy as np, zoo
        >>> def bar(height):
        ...     image = np.zeros((13, 13), np.uint8)
        ...     image[13 - height :, 4:9] = 255
        ...     return image, 10.0 * height
        >>> rows = [bar(height) for height in (2, 5, 8, 11)] * 4
        >>> task = zoo.ImageRegressor(layers=[[4, 3], [4, 3]])
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=12, learning_rate=0.01, xla=False, verbose=False)
        >>> low, high = task.predict([bar(3)[0], bar(10)[0]])
        >>> low < high
        True
    """

    name = "image-regressor"
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=ImageInput(),
        answer=Values(),
        recipe=ImageRecipe(ValueTargets(), ValueBaselines(RIDGE, vector_inputs(small_pixels))),
        purpose="Predicts a value, or several, for each image.",
        preview="Images with the predictions of the model.",
        pictures=Pictures.IMAGES,
    )

    @property
    def value_names(self) -> list[str]:
        """The names of the values, in the order of the outputs."""
        return list(self.head.names)

    def transformer_samples(self, image: Any) -> list[TransformerSample]:
        """What each spatial transformer looks at in an image.

        Args:
            image: An image, as in the list that `predict` takes.
        """
        return transformer_samples(self, image)
