"""The orientation of photos: stored as the sensor has them, with how the camera was held."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

LONGEST = 1 << 18  # bytes at the beginning of a file, in which EXIF data has to be
EXIF, IMAGE_DATA = 0xE1, 0xDA  # markers of JPEG segments
ORIENTATION = 0x0112  # a tag of TIFF

Number = Callable[..., tf.Tensor]


@tf.function(input_signature=[tf.TensorSpec((), tf.string)], autograph=False)
def orientation(content: Any) -> tf.Tensor:
    """The orientation in the EXIF data of a JPEG or PNG file.

    Source: CIPA DC-008 (EXIF 2.32), sections 4.5.4 and 4.6.4; TIFF 6.0, section 2; PNG, third
        edition, sections 5.3 and 11.3.4.5.

    Args:
        content: The bytes of a file, a string tensor ().

    Returns:
        int32 tensor (), from 1 to 8; 1, which is upright, if the file does not say.

    Example:
        >>> int(orientation(tf.io.encode_jpeg(tf.zeros((2, 3, 1), tf.uint8))))
        1
    """
    head = tf.io.decode_raw(tf.strings.substr(content, 0, LONGEST), tf.uint8)
    head = tf.pad(head, [[0, 1]])
    end = tf.size(head) - 1

    def number(at: Any, size: int, little: Any = False) -> tf.Tensor:
        """Unsigned numbers at some offsets; bytes beyond the end are 0."""
        indices = tf.expand_dims(at, -1) + tf.range(size)
        inside = tf.logical_and(indices >= 0, indices < end)
        digits = tf.cast(tf.gather(head, tf.where(inside, indices, end)), tf.int32)
        digits = tf.where(little, tf.reverse(digits, [-1]), digits)
        return tf.reduce_sum(digits * [256**power for power in reversed(range(size))], -1)

    is_png = _says(number, 1, b"PNG")
    index, is_there = tf.cond(is_png, lambda: _in_png(number, end), lambda: _in_jpeg(number))
    tiff = tf.where(is_there, index, end)
    little = tf.equal(number(tiff, 1), ord("I"))
    directory = tiff + number(tiff + 4, 4, little)
    entries = directory + 2 + 12 * tf.range(number(directory, 2, little))
    chosen = tf.equal(number(entries, 2, little), ORIENTATION)
    values = tf.where(chosen, number(entries + 8, 2, little), 0)
    value = tf.reduce_max(tf.concat([values, [0]], 0))
    return tf.where(is_there & (value >= 1) & (value <= 8), value, 1)


def _says(number: Number, at: Any, text: bytes) -> tf.Tensor:
    """Whether up to three bytes are at an offset."""
    return tf.equal(number(at, len(text)), int.from_bytes(text, "big"))


def _in_jpeg(number: Number) -> tuple[tf.Tensor, tf.Tensor]:
    """The offset of the EXIF data of a JPEG file, which has segments, and whether there is any."""

    def is_exif(at: Any) -> tf.Tensor:
        return tf.equal(number(at + 1, 1), EXIF) & _says(number, at + 4, b"Exi")

    def is_other(at: Any) -> tf.Tensor:
        here = tf.equal(number(at, 1), 0xFF) & tf.not_equal(number(at + 1, 1), IMAGE_DATA)
        return here & tf.logical_not(is_exif(at))

    at = tf.while_loop(is_other, lambda at: (at + 2 + number(at + 2, 2),), (tf.constant(2),))[0]
    return at + 10, is_exif(at)


def _in_png(number: Number, end: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The offset of the EXIF data of a PNG file, which has chunks, and whether there is any."""

    def is_exif(at: Any) -> tf.Tensor:
        return _says(number, at + 4, b"eX") & _says(number, at + 6, b"If")

    def is_other(at: Any) -> tf.Tensor:
        return (at < end) & tf.logical_not(is_exif(at))

    def after(at: Any) -> tuple[tf.Tensor]:
        size = number(at, 4)  # negative from 2 GB on
        inside = (size >= 0) & (size < LONGEST)
        return (tf.where(inside, at + 12 + size, end),)

    at = tf.while_loop(is_other, after, (tf.constant(8),))[0]
    return at + 8, is_exif(at)


def upright(image: Any, orientation: Any) -> tf.Tensor:
    """An image the right way up.

    Args:
        image: Tensor (h, w, C), as it is stored.
        orientation: int32 tensor (), from 1 to 8.

    Example:
        >>> upright(tf.constant([[[1], [2]]]), tf.constant(6)).numpy().tolist()
        [[[1]], [[2]]]
    """
    turned = tf.where(orientation >= 5, [1, 0, 2], [0, 1, 2])
    down = 1 - 2 * tf.cast(tf.reduce_any(tf.equal(orientation, [3, 4, 7, 8])), tf.int32)
    right = 1 - 2 * tf.cast(tf.reduce_any(tf.equal(orientation, [2, 3, 6, 7])), tf.int32)
    return tf.transpose(image, turned)[::down, ::right]
