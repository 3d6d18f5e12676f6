"""What the tasks on images share: their settings, raw inputs and signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.images.header import Shape
from zoo.data.images.image_list import ImageList
from zoo.data.readers.files import is_path
from zoo.errors import UserError
from zoo.preprocessing.images import IMAGE, ImagePreprocessor, size_of
from zoo.serving.signatures import SERVING_DEFAULT, Signature, from_raw
from zoo.tasks.undivided import UndividedTask
from zoo.tasks.views import PreviewRow

FOLDER = "images"  # of the preprocessor, in a run folder
ENCODED = "bytes"  # signature that takes files


class ImageTask(UndividedTask):
    """Base class of the tasks whose raw inputs are images: arrays, or paths of files."""

    def check_settings(self) -> None:
        super().check_settings()
        if self.settings.channels not in (None, 1, 3):
            raise UserError(f"channels must be 1 or 3, got {self.settings.channels}")
        if self.settings.image_size is not None:
            size_of(self.settings.image_size)

    @property
    def image_sizes(self) -> dict[str, Any]:
        """The arguments of the model that depend on the images."""
        height, width, channels = self.preprocessor.shape
        return {"image_size": [height, width], "channels": channels}

    def files_of(self, data: Any, examples: ImageList) -> list[Path]:
        return [Path(image) for image in examples.images if isinstance(image, str)]

    def sample_inputs(self, examples: ImageList, count: int) -> dict[str, list[Any]]:
        return {}  # the preprocessor keeps some images

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        if isinstance(data, str | PathLike):
            raise UserError("predict takes a list of images; got a single one")
        return {IMAGE: [str(each) if is_path(each) else np.asarray(each) for each in data]}

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        examples = self.read(data)
        images = examples.images[:count]
        names = [Path(examples.name(place)).name for place in range(len(images))]
        found = [self.result_text(each) for each in self.predict(images)]
        references = self.references(examples) or []
        return [PreviewRow(*row) for row in zip(names, found, references, images, strict=False)]


def learn_shape(settings: Any, examples: ImageList) -> Shape:
    """The shape of the model's images; sets `channels` and `image_size` if they are not given."""
    if settings.channels is None:
        settings.channels = examples.channels()
    if settings.image_size is None:
        settings.image_size = examples.most_common_size
    return Shape(*size_of(settings.image_size), settings.channels)


def encoded_signature(
    signatures: Mapping[str, Signature], preprocessor: ImagePreprocessor, purpose: str
) -> dict[str, Signature]:
    """The signature that takes images in files, and returns what the main one does."""
    main = signatures[SERVING_DEFAULT]
    found = from_raw(main, preprocessor, preprocessor.encoded, preprocessor.decode)
    return {ENCODED: replace(found, purpose=purpose)}
