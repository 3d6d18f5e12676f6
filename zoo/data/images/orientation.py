"""Which way up a photo is: cameras store it as the sensor has it, and say how it was held."""

from typing import Any

import tensorflow as tf

LONGEST = 1 << 18  # bytes at the beginning of a file, in which EXIF data has to be
EXIF, IMAGE_DATA = 0xE1, 0xDA  # markers of JPEG segments
ORIENTATION = 0x0112  # a tag of TIFF


@tf.function(input_signature=[tf.TensorSpec((), tf.string)], autograph=False)
def orientation(content: Any) -> tf.Tensor:
    """The orientation in the EXIF data of a JPEG file.

    Source: CIPA DC-008 (EXIF 2.32), sections 4.5.4 and 4.6.4; TIFF 6.0, section 2.

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
        """Unsigned numbers at some places; bytes beyond the end are 0."""
        places = tf.expand_dims(at, -1) + tf.range(size)
        inside = tf.logical_and(places >= 0, places < end)
        found = tf.cast(tf.gather(head, tf.where(inside, places, end)), tf.int32)
        found = tf.where(little, tf.reverse(found, [-1]), found)
        return tf.reduce_sum(found * [256**power for power in reversed(range(size))], -1)

    def is_exif(at: Any) -> tf.Tensor:
        starts_so = tf.equal(number(at + 4, 3), int.from_bytes(b"Exi", "big"))
        return tf.logical_and(tf.equal(number(at + 1, 1), EXIF), starts_so)

    def is_other(at: Any) -> tf.Tensor:
        here = tf.equal(number(at, 1), 0xFF) & tf.not_equal(number(at + 1, 1), IMAGE_DATA)
        return tf.logical_and(here, tf.logical_not(is_exif(at)))

    at = tf.while_loop(is_other, lambda at: (at + 2 + number(at + 2, 2),), (tf.constant(2),))[0]
    tiff = at + 10
    little = tf.equal(number(tiff, 1), ord("I"))
    directory = tiff + number(tiff + 4, 4, little)
    entries = directory + 2 + 12 * tf.range(number(directory, 2, little))
    chosen = tf.equal(number(entries, 2, little), ORIENTATION)
    values = tf.where(chosen, number(entries + 8, 2, little), 0)
    found = tf.reduce_max(tf.concat([values, [0]], 0))
    valid = is_exif(at) & (found >= 1) & (found <= 8)
    return tf.where(valid, found, 1)


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
