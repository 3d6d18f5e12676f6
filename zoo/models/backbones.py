"""Convolutional networks that turn an image into a grid of features."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keras

from zoo.errors import UserError
from zoo.models.efficientnet_lite import MEAN, SCALE, efficientnet_lite0
from zoo.nearest import offered
from zoo.training.weights import load_weights

CONV, LITE = "conv", "EfficientNetLite0"
# Each class of keras.applications, and the module that has its `preprocess_input`.
APPLICATIONS = {
    **dict.fromkeys(("ConvNeXtTiny", "ConvNeXtSmall", "ConvNeXtBase"), "convnext"),
    **dict.fromkeys(("ConvNeXtLarge", "ConvNeXtXLarge"), "convnext"),
    **dict.fromkeys(("DenseNet121", "DenseNet169", "DenseNet201"), "densenet"),
    **{f"EfficientNetB{number}": "efficientnet" for number in range(8)},
    **{f"EfficientNetV2{size}": "efficientnet_v2" for size in ("B0", "B1", "B2", "B3")},
    **{f"EfficientNetV2{size}": "efficientnet_v2" for size in "SML"},
    "InceptionResNetV2": "inception_resnet_v2",
    "InceptionV3": "inception_v3",
    "MobileNet": "mobilenet",
    "MobileNetV2": "mobilenet_v2",
    "MobileNetV3Small": "mobilenet_v3",
    "MobileNetV3Large": "mobilenet_v3",
    "NASNetMobile": "nasnet",
    "NASNetLarge": "nasnet",
    **dict.fromkeys(("ResNet50", "ResNet101", "ResNet152"), "resnet"),
    **dict.fromkeys(("ResNet50V2", "ResNet101V2", "ResNet152V2"), "resnet_v2"),
    "VGG16": "vgg16",
    "VGG19": "vgg19",
    "Xception": "xception",
}
BACKBONES = (CONV, LITE, *APPLICATIONS)


def create_backbone(
    name: str, image_size: Sequence[int], channels: int, filters: Sequence[int], dtype: Any = None
) -> keras.Model:
    """Creates a network from images, prepared by `prepare`, to a grid of features (B, h, w, C).

    Args:
        name: "conv" for a small network, "EfficientNetLite0", or a class of `keras.applications`;
            with random weights.
        image_size: Height and width of images.
        channels: Number of channels of images.
        filters: For "conv", the number of filters of each convolution.
        dtype: Dtype policy.

    Raises:
        UserError: If the name is unknown, or the images do not suit the network.
    """
    if name not in BACKBONES:
        raise UserError(f"unknown backbone {name!r}; {offered(name, BACKBONES)}")
    if name == CONV:
        return _convolutions(image_size, channels, filters, dtype)
    if channels != 3:
        raise UserError(f"the backbone {name} takes color images: choose --channels 3")
    if name == LITE:
        return efficientnet_lite0((*image_size, channels), dtype)
    kind = getattr(keras.applications, name)
    try:
        with _policy(dtype):
            backbone = kind(include_top=False, weights=None, input_shape=(*image_size, channels))
    except ValueError as error:
        raise _too_small(name, image_size, str(error).partition(";")[0]) from None
    if min(backbone.outputs[0].shape[1:3]) < 1:
        raise _too_small(name, image_size, "no cell of the grid is left")
    return backbone


def load_backbone(backbone: keras.Model, path: str | Path) -> None:
    """Loads a file of weights, as `save_weights` of Keras writes, into a backbone.

    Raises:
        UserError: If the file is missing or damaged, links to other files, or belongs to another
            network.
    """
    if not str(path).endswith(".h5"):
        raise UserError(f"{path}: expected a file of weights, .weights.h5 or .h5")
    load_weights(backbone, path)


def prepare(name: str, image: Any) -> Any:
    """Converts images (B, H, W, C), from 0 to 255, to the numbers that a backbone was made for."""
    if name == CONV:
        return image / 255.0
    if name == LITE:
        return (image - MEAN) / SCALE
    return getattr(keras.applications, APPLICATIONS[name]).preprocess_input(image)


def _convolutions(
    image_size: Sequence[int], channels: int, filters: Sequence[int], dtype: Any
) -> keras.Model:
    """Convolutions 3x3 with batch normalization, each followed by a pool that halves the grid."""
    if not isinstance(filters, list | tuple) or not filters:
        raise UserError(f"filters must be a list of numbers, got {filters!r}")
    if any(type(each) is not int or each < 1 for each in filters):
        raise UserError(f"filters must be positive integers, got {filters!r}")
    least = 2 ** len(filters)
    if min(image_size) < least:
        raise _too_small(CONV, image_size, f"{len(filters)} pools need at least {least}x{least}")
    image = keras.Input((*image_size, channels))
    x = image
    for number, count in enumerate(filters):
        x = keras.layers.Conv2D(
            count, 3, padding="same", use_bias=False, dtype=dtype, name=f"conv_{number}"
        )(x)
        # The statistics follow within a few dozen steps, as small data sets have.
        norm = keras.layers.BatchNormalization(momentum=0.9, dtype=dtype, name=f"norm_{number}")
        x = norm(x)
        x = keras.layers.ReLU(dtype=dtype, name=f"relu_{number}")(x)
        x = keras.layers.MaxPooling2D(2, dtype=dtype, name=f"pool_{number}")(x)
    return keras.Model(image, x, name="backbone")


@contextmanager
def _policy(dtype: Any) -> Iterator[None]:
    """Keras's global policy, since its applications take none."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(before if dtype is None else dtype)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def _too_small(name: str, image_size: Sequence[int], reason: str) -> UserError:
    height, width = image_size
    return UserError(
        f"images of {width}x{height} pixels are too small for the backbone {name} ({reason}); "
        "choose a larger --image-size"
    )
