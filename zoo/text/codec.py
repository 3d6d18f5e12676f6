"""A tokenizer with the marks and limits that a model wants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from zoo.notes import Lost, note
from zoo.text.lost import count_lost
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Codec:
    """What ids become again: text, or the pieces they stand for.

    Args:
        tokenizer: The tokenizer.
        limit: Greatest number of tokens of a text.
    """

    goes_on: ClassVar[bool] = False  # whether what it decodes stands behind a text

    tokenizer: Tokenizer
    limit: int

    @property
    def room(self) -> int:
        """Greatest number of a text's own tokens."""
        return self.limit

    @property
    def _cut(self) -> str:
        """What is said of texts that have more."""
        return f"texts cut to {self.limit} tokens"

    def read(self, texts: Sequence[str], seconds: Sequence[str] | None = None) -> np.ndarray:
        """What `encode` makes of texts in Python, with a note of what is lost of them.

        Args:
            texts: The texts.
            seconds: A second text for each.
        """
        given = [texts] if seconds is None else [texts, seconds]
        tokens = self._tokens(*(tf.constant(list(each), tf.string) for each in given))
        ids = self._padded(tokens).numpy()
        note(self._lost(tokens, ids))
        return ids

    def _lost(self, tokens: tf.RaggedTensor, ids: np.ndarray) -> Lost:
        flat, marks = tokens.flat_values.numpy(), self.tokenizer.special_tokens
        lost = count_lost(flat, tokens.row_lengths().numpy(), self.room, self._cut, marks)
        if marks.mask >= 0:
            lost["masks cut off"] = int((flat == marks.mask).sum() - (ids == marks.mask).sum())
        return lost

    def _tokens(self, texts: Any, seconds: Any = None) -> tf.RaggedTensor:
        """All tokens of each text, or of both texts of a pair."""
        tokens = self.tokenizer.tokenize(texts)
        if seconds is None:
            return tokens
        return joined(tokens, self.tokenizer.tokenize(seconds), self.tokenizer.special_tokens)

    def _padded(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """The tokens as the model reads them, in operators that LiteRT has."""
        raise NotImplementedError

    def decode(self, ids: Any, for_litert: bool = False) -> tf.Tensor:
        """Ids (B, T) -> texts (B,); special tokens are silent.

        Args:
            ids: int32 tensor (B, T); T must be static for LiteRT.
            for_litert: Use the operators that LiteRT has.
        """
        if for_litert:
            return self.tokenizer.detokenize_for_litert(ids, self.goes_on)
        return self.tokenizer.detokenize(ids, self.goes_on)

    def pieces(self, ids: Any) -> list[str]:
        """The pieces of one sequence of ids, without padding."""
        return [self.tokenizer.vocabulary[i] for i in ids if i != self.tokenizer.special_tokens.pad]


@dataclass(frozen=True)
class TextCodec(Codec):
    """Text to padded ids that end in the end token, and ids back to text.

    What is longer than the limit is cut: the first pieces stay, then comes the end token.

    Args:
        tokenizer: The tokenizer.
        limit: Greatest number of source tokens, start and end token included.
        starts: Whether texts also begin with the start token.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> codec = TextCodec(train_tokenizer("wordpiece", ["a red hut", "a hat"], 30), limit=3)
        >>> ids = codec.encode(tf.constant(["a", "a a a a", ""]))
        >>> (ids.numpy() == 3).astype(int).tolist()
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """

    starts: bool = False

    def encode(self, texts: Any, seconds: Any = None) -> tf.Tensor:
        """Texts (B,) -> int32 ids (B, S), in operators that LiteRT has.

        Args:
            texts: The texts.
            seconds: A second text for each, which follows behind an end token of its own; LiteRT
                cannot join them.
        """
        return self._padded(self._tokens(texts, seconds))

    @property
    def room(self) -> int:
        return self.limit - 1 - self.starts

    def _padded(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        marks = self.tokenizer.special_tokens
        ids = tokens.to_tensor(marks.pad)[:, : self.room]
        is_text = tf.cast(tf.not_equal(ids, marks.pad), tf.int32)
        lengths = tf.reduce_sum(is_text, axis=1, keepdims=True)
        ids = tf.pad(ids, [[0, 0], [0, 1]], constant_values=marks.pad)
        ids = tf.where(tf.equal(tf.range(tf.shape(ids)[1]), lengths), marks.end, ids)
        if not self.starts:
            return ids
        return tf.pad(ids, [[0, 0], [1, 0]], constant_values=marks.start)


def joined(
    firsts: tf.RaggedTensor, seconds: tf.RaggedTensor, special_tokens: SpecialTokens
) -> tf.RaggedTensor:
    """The ids of two texts in a row, the end token between them.

    Example:
        >>> firsts, seconds = tf.ragged.constant([[7, 8], []]), tf.ragged.constant([[9], [4]])
        >>> joined(firsts, seconds, SpecialTokens()).to_list()
        [[7, 8, 3, 9], [3, 4]]
    """
    between = tf.fill([firsts.nrows(), 1], tf.constant(special_tokens.end, firsts.dtype))
    return tf.concat([firsts, between, seconds], axis=1)
