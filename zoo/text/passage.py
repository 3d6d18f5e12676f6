"""Parts of texts, and the number of characters before them."""

from typing import Any, NamedTuple

import tensorflow as tf

from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, Tensors, TextForm
from zoo.text.programs.ragged import axis_size, columns, flattened, to_int
from zoo.text.programs.utf8 import decoded
from zoo.text.programs.windows import looked_up


class Passages(NamedTuple):
    """Texts in UTF-8, of which parts are answers.

    Args:
        text_bytes: The bytes, int32 (B, N).
        lengths: How many each has (B,).
        strings: The same as strings (B,); only for parts in this form.

    Example:
        >>> rows = tf.constant([[*"né en été".encode()]]), tf.constant([12])
        >>> passages = Passages(*rows, tf.constant(["né en été"]))
        >>> begins, ends = tf.constant([7]), tf.constant([12])
        >>> passages.parts(begins, ends, TextForm.STRINGS)["text"].numpy()[0].decode()
        'été'
        >>> passages.characters_before(begins).numpy().tolist()
        [6]
    """

    text_bytes: tf.Tensor
    lengths: tf.Tensor
    strings: Any = None

    def parts(self, begins: tf.Tensor, ends: tf.Tensor, form: TextForm) -> Tensors:
        """A part of each text.

        Args:
            begins: Number of bytes before it (B,).
            ends: Number of bytes up to its end (B,).
            form: The form of the parts.

        Returns:
            `text`, strings (B,), or `text_bytes`, int32 (B, M), and `text_lengths` (B,).
        """
        lengths = ends - begins
        if form is not TextForm.BYTES:
            return {TEXT: tf.strings.substr(self.strings, begins, lengths)}
        static = self.text_bytes.shape.is_fully_defined()
        width = columns(lengths, self.text_bytes.shape[1] if static else None)
        inside = tf.range(width) < lengths[:, None]
        answer_bytes = looked_up(self.text_bytes, begins[:, None] + tf.range(width), inside)
        return {TEXT_BYTES: tf.where(inside, answer_bytes, 0), TEXT_LENGTHS: lengths}

    def characters_before(self, places: tf.Tensor) -> tf.Tensor:
        """The number of characters before each place (B,), which is a number of bytes."""
        starts = decoded(flattened(self.text_bytes, self.lengths)).starts
        starts = tf.reshape(starts, [axis_size(self.text_bytes, 0), -1])[:, 1:]
        before = tf.range(axis_size(self.text_bytes, 1)) < places[:, None]
        return tf.reduce_sum(to_int(starts & before), axis=1)
