"""EfficientNet-Lite: an EfficientNet of operators that phones compute fast."""

from collections.abc import Sequence
from typing import Any

import keras

# Of each stage: blocks, size of kernels, stride of the first, expansion, filters.
STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
STEM, HEAD = 32, 1280  # filters of the first and of the last convolution
MEAN, SCALE = 127.0, 128.0  # of pixels


def efficientnet_lite0(input_shape: Sequence[int], dtype: Any = None) -> keras.Model:
    """EfficientNet-Lite0 without its classifier: from prepared images to a grid of features.

    Source: Tan & Le 2019, table 1; as in its published "Lite" form without squeeze-and-excitation,
        with ReLU6, and with stem and head of the same width in all sizes.
    Formula: of images from 0 to 255, `(image - 127) / 128` goes in; inverted residual blocks
        `x + project(depthwise(expand(x)))`, each convolution with batch normalization

    Args:
        input_shape: Height, width and channels of images.
        dtype: Dtype policy.

    Returns:
        A model from (B, H, W, C) to (B, H / 32, W / 32, 1280).

    Example:
        >>> efficientnet_lite0((64, 96, 3)).outputs[0].shape
        (None, 2, 3, 1280)
    """

    def convolution(x: Any, filters: int, size: int, stride: int = 1, active: bool = True) -> Any:
        layer = keras.layers.Conv2D(
            filters, size, stride, padding="same", use_bias=False, dtype=dtype
        )
        return finish(layer(x), active)

    def finish(x: Any, active: bool = True) -> Any:
        x = keras.layers.BatchNormalization(epsilon=1e-3, dtype=dtype)(x)
        return keras.layers.ReLU(6.0, dtype=dtype)(x) if active else x

    image = keras.Input(input_shape)
    x = convolution(image, STEM, 3, 2)
    for blocks, size, first_stride, expansion, filters in STAGES:
        for number in range(blocks):
            before, stride = x, first_stride if number == 0 else 1
            if expansion > 1:
                x = convolution(x, expansion * x.shape[-1], 1)
            depthwise = keras.layers.DepthwiseConv2D(
                size, stride, padding="same", use_bias=False, dtype=dtype
            )
            x = convolution(finish(depthwise(x)), filters, 1, active=False)
            if number:
                x = keras.layers.Add(dtype=dtype)([before, x])
    return keras.Model(image, convolution(x, HEAD, 1), name="backbone")
