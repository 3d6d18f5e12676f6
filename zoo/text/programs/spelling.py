"""The conversion of ids to UTF-8 bytes."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from zoo.text.programs.code_points import smallest
from zoo.text.programs.ragged import axis_size, columns, packed, to_int


class Spelling:
    """Joins the bytes of tokens.

    Args:
        texts: The bytes of each token; a space in front is left out where a text begins.
        visible: Which tokens are part of a text; others have no bytes.
        keep_space: Whether a text may begin with the space of its first token.

    Example:
        >>> spelling = Spelling([b" a", b"b", b" c"], [True, True, True])
        >>> text_bytes, lengths = spelling(tf.constant([[2, 1, 0], [1, 0, -1]]))
        >>> [bytes(row[:n]) for row, n in zip(text_bytes.numpy().astype("uint8"), lengths.numpy())]
        [b'cb a', b'b a']
    """

    def __init__(
        self, texts: Sequence[bytes], visible: Sequence[bool], keep_space: bool = False
    ) -> None:
        # The last one is that of ids below 0.
        shown = [text if seen else b"" for text, seen in zip(texts, visible, strict=True)]
        sizes = np.array([*map(len, shown), 0])
        pool: dict[bytes, int] = {}
        begins, length = [], 0
        for text in [*shown, b""]:
            if text not in pool:
                pool[text], length = length, length + len(text)
            begins.append(pool[text])
        self._pool = np.frombuffer(b"".join(pool) + b"\0", np.uint8)
        self._sizes, self._longest = smallest(sizes), int(sizes.max())
        self._begins = np.array(begins, np.int32)
        self._visible = np.array([*visible, False])
        spaced = [text.startswith(b" ") and not keep_space for text in shown]
        self._spaced = np.array([*spaced, False])

    def __call__(self, ids: tf.Tensor, continues: bool = False) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts ids (B, L) to texts.

        Args:
            ids: int32; below 0 for padding.
            continues: Whether the ids continue a text, so that the first word keeps its space.

        Returns:
            The bytes, int32 (B, N), 0 behind each text, and their number (B,).
        """
        rows, tokens = axis_size(ids, 0), axis_size(ids, 1)
        ids = tf.where(ids < 0, len(self._sizes) - 1, ids)
        size = tf.cast(tf.gather(self._sizes, ids), tf.int32)
        begin = tf.gather(self._begins, ids)
        if not continues:
            seen = to_int(tf.gather(self._visible, ids))
            first = tf.gather(self._spaced, ids) & tf.equal(tf.cumsum(seen, axis=1), 1)
            size, begin = size - to_int(first), begin + to_int(first)
        ends = tf.cumsum(size, axis=1)
        counts = tf.reduce_sum(size, axis=1)
        most = ids.shape[1] * self._longest if ids.shape.is_fully_defined() else None
        length = columns(counts, most)
        # The token of each byte: how many tokens with bytes have begun, of which it is the last.
        shown, start = size > 0, ends - size
        shift, _ = packed(tf.reshape(begin - start, [-1]), tf.reshape(shown, [-1]), rows, 0, tokens)
        end = rows * (length + 1)
        targets = tf.where(shown, start + tf.range(rows)[:, None] * (length + 1), end)
        begun = tf.scatter_nd(
            tf.reshape(targets, [-1, 1]), tf.ones_like(tf.reshape(ids, [-1])), [end + 1]
        )
        token = tf.cumsum(tf.reshape(begun[:-1], [rows, length + 1]), axis=1)[:, :-1] - 1
        token = tf.maximum(token, 0) + tf.range(rows)[:, None] * tokens
        source = tf.range(length) + tf.gather(tf.reshape(shift, [-1]), token)
        inside = tf.range(length) < counts[:, None]
        spelled = tf.gather(self._pool, tf.where(inside, source, 0))
        return tf.where(inside, tf.cast(spelled, tf.int32), 0), counts
