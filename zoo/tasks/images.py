"""What the tasks on images share: their settings, raw inputs and signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import keras
import numpy as np

from zoo.data.images.header import Shape
from zoo.data.images.image_list import ImageList
from zoo.data.readers.files import is_path
from zoo.errors import UserError
from zoo.preprocessing.images import IMAGE, ImagePreprocessor, size_of
from zoo.serving.signatures import SERVING_DEFAULT, Signature

FOLDER = "images"  # of the preprocessor, in a run folder
ENCODED = "bytes"  # signature that takes files


def check_images(settings: Any) -> None:
    """Raises a `UserError` if `channels` or `image_size` is not allowed."""
    if settings.channels not in (None, 1, 3):
        raise UserError(f"channels must be 1 or 3, got {settings.channels}")
    if settings.image_size is not None:
        size_of(settings.image_size)


def learn_shape(settings: Any, examples: ImageList) -> Shape:
    """The shape of the model's images; sets `channels` and `image_size` if they are not given."""
    if settings.channels is None:
        settings.channels = examples.channels()
    if settings.image_size is None:
        settings.image_size = examples.most_common_size
    return Shape(*size_of(settings.image_size), settings.channels)


def listed_images(data: Any) -> dict[str, Sequence[Any]]:
    """The argument of `predict` as raw inputs: paths as text, and arrays.

    Raises:
        UserError: If it is a single path.
    """
    if isinstance(data, str | PathLike):
        raise UserError("predict takes a list of images; got a single one")
    return {IMAGE: [str(each) if is_path(each) else np.asarray(each) for each in data]}


def encoded_signature(
    signatures: Mapping[str, Signature], preprocessor: ImagePreprocessor, purpose: str
) -> dict[str, Signature]:
    """The signature that takes images in files, and returns what the main one does."""
    main = signatures[SERVING_DEFAULT]
    decode = preprocessor.decode
    return {ENCODED: replace(main, inputs=preprocessor.encoded, preprocess=decode, purpose=purpose)}


def xla_of_convolutions() -> bool | str:
    """Whether to compile training steps: not on TensorFlow, whose own convolutions are faster."""
    # XLA's take about twice as long on a CPU.
    return False if keras.backend.backend() == "tensorflow" else "auto"
