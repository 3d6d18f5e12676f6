"""A number for each code point."""

import numpy as np
import tensorflow as tf

CODE_POINTS = 0x110000
_PAGE = 128  # code points


class CodePointTable:
    """Looks up a number for each code point, in a table of which equal pages are stored once.

    Args:
        values: The number of each code point, integers (0x110000,).

    Example:
        >>> values = np.zeros(CODE_POINTS, np.int32)
        >>> values[ord("é")] = 7
        >>> CodePointTable(values)(tf.constant([ord("e"), ord("é")])).numpy().tolist()
        [0, 7]
    """

    def __init__(self, values: np.ndarray) -> None:
        # Not numpy.unique, which takes a quarter of a second to sort the pages.
        numbers: dict[bytes, int] = {}
        pages = (page.tobytes() for page in values.reshape(-1, _PAGE))
        indices = [numbers.setdefault(page, len(numbers)) for page in pages]
        self._pages = smallest(np.frombuffer(b"".join(numbers), values.dtype))
        self._page_indices = smallest(np.array(indices))

    def __call__(self, codes: tf.Tensor) -> tf.Tensor:
        """The numbers of code points (M,), int32."""
        page = codes // _PAGE
        index = tf.cast(tf.gather(self._page_indices, page), tf.int32) * _PAGE + (
            codes - page * _PAGE
        )
        return tf.cast(tf.gather(self._pages, index), tf.int32)


def smallest(numbers: np.ndarray) -> np.ndarray:
    """Integers in the smallest dtype that LiteRT can gather.

    Example:
        >>> smallest(np.array([0, 200])).dtype.name, smallest(np.array([-1, 200])).dtype.name
        ('uint8', 'int16')
    """
    least, greatest = numbers.min(initial=0), numbers.max(initial=0)
    for dtype in (np.uint8, np.int8, np.int16):
        if np.iinfo(dtype).min <= least and greatest <= np.iinfo(dtype).max:
            return numbers.astype(dtype)
    return numbers.astype(np.int32)
