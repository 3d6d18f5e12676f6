"""Images with labels, as users have them."""

from typing import Any

from zoo.data.images.read import LabeledImages, read_images
from zoo.preprocessing.images import ImagePreprocessor
from zoo.tasks.options.image_classifier import Settings
from zoo.tasks.parts import Format


class LabeledImageFormat(Format[Settings, ImagePreprocessor, LabeledImages]):
    """A folder of images for each label, an `.npz` file, or idx files like those of MNIST."""

    def read(
        self, data: Any, settings: Settings, learned: ImagePreprocessor | None
    ) -> LabeledImages:
        return read_images(data, settings.skip_bad_rows)
