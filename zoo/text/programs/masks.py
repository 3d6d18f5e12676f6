"""Masks in texts: a special token that texts have by its name."""

import tensorflow as tf

from zoo.text.programs.program import Encode
from zoo.text.programs.ragged import BOUNDARY, END, axis_size, flattened, packed, to_int
from zoo.text.programs.utf8 import decoded
from zoo.text.programs.white_bytes import white_bytes
from zoo.text.shift import moved


class WithMasks:
    """Encodes texts in which each mask is one token, between two texts of their own.

    Args:
        encode: Encodes texts without masks; see `TokenizerProgram`.
        mask: The name of the mask.
        mask_id: Its id.
        strips: Whether whitespace before a mask is part of it.
        boundary: Id of boundaries.
        pad: Id of padding.
    """

    def __init__(
        self, encode: Encode, mask: str, mask_id: int, strips: bool, boundary: int, pad: int
    ) -> None:
        self._encode, self._mask, self._id = encode, mask.encode(), mask_id
        self._strips, self._boundary, self._pad = strips, boundary, pad

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
        flat = flattened(text_bytes, lengths)
        begins = tf.equal(flat, self._mask[0])
        for i, byte in enumerate(self._mask[1:], 1):
            begins &= tf.equal(moved(flat, -i, END), byte)
        # A boundary, as of parts, in place of the first two bytes.
        values = tf.where(begins, BOUNDARY, tf.where(moved(begins, 1, False), END, flat))
        column = tf.range(size + 1)[None, :]
        kept = tf.reshape((column > 0) & (column <= lengths[:, None]), [-1])
        for i in range(2, len(self._mask)):
            kept &= ~moved(begins, i, False)
        if self._strips:
            kept &= ~_before(begins, white_bytes(decoded(flat)))
        length = size + 1 if isinstance(size, int) else None
        shorter, counts = packed(values, kept, rows, END, length)
        boundaries = kept & tf.equal(values, BOUNDARY)
        is_mask, _ = packed(to_int(begins), boundaries, rows, 0, axis_size(shorter, 1) + 1)
        ids, numbers = self._encode(shorter, counts)
        return self._marked(ids, is_mask), numbers

    def _marked(self, ids: tf.Tensor, is_mask: tf.Tensor) -> tf.Tensor:
        """The ids with the mask in place of the boundaries that stand for one, by their order."""
        boundaries = tf.equal(ids, self._boundary)
        order = tf.maximum(tf.cumsum(to_int(boundaries), axis=1) - 1, 0)
        row = tf.range(axis_size(ids, 0))[:, None] * axis_size(is_mask, 1)
        flags = tf.gather(tf.reshape(is_mask, [-1]), row + order) > 0
        return tf.where(boundaries & flags, self._id, ids)


def _before(begins: tf.Tensor, white: tf.Tensor) -> tf.Tensor:
    """The whitespace directly before what begins at some positions, bool (M,)."""
    size = tf.size(white)
    run = tf.cumsum(to_int(white & ~moved(white, 1, False)))
    ends = begins & moved(white, 1, False)
    hits = tf.scatter_nd(tf.where(ends, moved(run, 1, 0), size)[:, None], to_int(ends), [size + 1])
    return white & (tf.gather(hits, run) > 0)
