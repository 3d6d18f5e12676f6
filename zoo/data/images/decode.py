"""The decoder of images, which fits them to the size of a model, in TensorFlow operators."""

from typing import Any

import tensorflow as tf

from zoo.data.images.header import JPEG, PNG, Shape
from zoo.data.images.orientation import orientation, upright

WANTED = "expected the bytes of a PNG or JPEG file"


def decode(content: Any, channels: int) -> tf.Tensor:
    """Decodes a PNG or JPEG image, without transparency and animation.

    Images are turned as their EXIF data says. Other formats are refused: TensorFlow takes the
    numbers of a BMP file's palette for gray, and gives GIF files three channels only. JPEG files
    are decoded as by browsers and Pillow, whose pixels those of TensorFlow's default are not.

    Args:
        content: The bytes of a file, a string tensor ().
        channels: 1 for gray, 3 for colors.

    Returns:
        uint8 tensor (h, w, C).

    Example:
        >>> decode(tf.io.encode_png(tf.zeros((2, 3, 1), tf.uint8)), 3).shape
        TensorShape([2, 3, 3])
    """
    start = tf.strings.substr(content, 0, len(PNG))
    is_jpeg = tf.equal(tf.strings.substr(start, 0, len(JPEG)), JPEG)
    known = tf.equal(start, PNG) | is_jpeg
    with tf.control_dependencies([tf.debugging.Assert(known, [WANTED])]):
        content = tf.identity(content)
    image = tf.cond(
        is_jpeg,
        lambda: tf.io.decode_jpeg(content, channels, dct_method="INTEGER_ACCURATE"),
        lambda: tf.io.decode_png(content, channels),
    )
    return tf.ensure_shape(upright(image, orientation(content)), (None, None, channels))


def fit(image: Any, shape: Shape) -> tf.Tensor:
    """Fits an image to a size, with the mean of the pixels that fall together.

    Source: a triangle filter as wide as the scale, as in Pillow.

    Args:
        image: Tensor (h, w, C).
        shape: Height, width and channels of the result.

    Returns:
        float32 tensor (H, W, C) with values in the range of the image.
    """
    image = tf.image.resize(tf.cast(image, tf.float32), shape[:2], antialias=True)
    return tf.ensure_shape(image, shape)


def with_channels(image: Any, channels: int) -> Any:
    """A gray image as a color image, or the brightness of a color image (ITU-R BT.601)."""
    if image.shape[-1] == channels:
        return image
    convert = tf.image.grayscale_to_rgb if channels == 3 else tf.image.rgb_to_grayscale
    return convert(tf.convert_to_tensor(image))
