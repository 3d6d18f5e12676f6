"""Byte tokenizer: every byte is a token."""

from collections.abc import Iterable, Sequence

import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.text.programs.byte_bpe import ByteIds
from zoo.text.programs.program import Decode, Encode
from zoo.text.programs.spelling import Spelling
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SPECIALS
from zoo.text.tokenizer import Tokenizer

FIRST = len(SPECIALS)
VOCABULARY = [*SPECIALS, *(chr(b) if 32 < b < 127 else f"<{b:02X}>" for b in range(256))]


class ByteTokenizer(Tokenizer):
    """Splits text into its UTF-8 bytes. Decoding restores the text exactly, including whitespace.

    LiteRT has no operator that splits text into bytes, so exporting with `strings` requires another
    tokenizer.

    Args:
        vocabulary: The special tokens, followed by a name for each of the 256 bytes.

    Raises:
        UserError: If any other vocabulary is passed.

    Example:
        >>> tokenizer = ByteTokenizer()
        >>> ids = tokenizer.tokenize(["a\\n b"])
        >>> ids.to_list(), tokenizer.detokenize(ids).numpy().tolist()
        ([[101, 14, 36, 102]], [b'a\\n b'])
    """

    kind = "bytes"

    def __init__(self, vocabulary: Sequence[str] = VOCABULARY):
        if list(vocabulary) != VOCABULARY:
            raise UserError("the vocabulary of a bytes tokenizer cannot be changed")
        self.vocabulary, self.special_tokens = list(VOCABULARY), DEFAULT_SPECIAL_TOKENS
        texts = [b""] * FIRST + [bytes([b]) for b in range(256)]
        self._texts = np.array(texts, object)

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "ByteTokenizer":
        """Returns a tokenizer; a vocabulary of bytes needs no training."""
        return cls()

    def tokenize(self, texts) -> tf.RaggedTensor:
        split = tf.strings.bytes_split(tf.convert_to_tensor(texts, tf.string))
        # decode_raw fails to infer a shape if there are no bytes: append one, then drop it.
        flat = tf.concat([split.flat_values, ["a"]], axis=0)
        numbers = tf.cast(tf.io.decode_raw(flat, tf.uint8)[:-1, 0], tf.int32) + FIRST
        return split.with_flat_values(numbers)

    def detokenize(self, ids, continues: bool = False) -> tf.Tensor:
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor()
        return tf.strings.reduce_join(tf.gather(tf.constant(self._texts), ids), axis=1)

    def _encoder(self) -> Encode:
        return ByteIds(np.arange(256) + FIRST, self.special_tokens.pad, self.vocabulary_size)

    def _decoder(self) -> Decode:
        return Spelling(self._texts.tolist(), [bool(text) for text in self._texts], keep_space=True)

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into bytes: export without strings, or train with another "
            "tokenizer"
        )
