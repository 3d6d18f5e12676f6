"""Texts to go on from, as ids."""

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from zoo.text.codec import Codec


@dataclass(frozen=True)
class PromptCodec(Codec):
    """Text to padded ids without an end; ids back to text.

    Of a text longer than the limit the end is read. An empty text becomes the end token, after
    which a new document begins.

    Args:
        tokenizer: The tokenizer.
        limit: Greatest number of tokens of a prompt.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> codec = PromptCodec(train_tokenizer("bytes", [], 300), limit=2)
        >>> codec.encode(tf.constant(["abc", "a", ""])).numpy()[:, :2].tolist()
        [[102, 103], [101, 0], [3, 0]]
    """

    goes_on = True

    def encode(self, texts: Any) -> tf.Tensor:
        """Texts (B,) -> int32 ids (B, P), each row with one at least."""
        return self._padded(self._tokens(texts))

    @property
    def _cut(self) -> str:
        return f"prompts cut to their last {self.limit} tokens"

    def _padded(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        marks = self.tokenizer.special_tokens
        ids = tokens.to_tensor(marks.pad)
        is_text = tf.cast(tf.not_equal(ids, marks.pad), tf.int32)
        lengths = tf.reduce_sum(is_text, axis=1, keepdims=True)
        kept = tf.range(tf.minimum(tf.shape(ids)[1], self.limit))
        ids = tf.gather(ids, tf.maximum(lengths - self.limit, 0) + kept, batch_dims=1)
        # A column more, for batches in which every text is empty.
        ids = tf.pad(ids, [[0, 0], [0, 1]], constant_values=marks.pad)
        is_first = tf.equal(tf.range(tf.shape(ids)[1]), 0)
        return tf.where(tf.logical_and(is_first, tf.equal(ids, marks.pad)), marks.end, ids)
