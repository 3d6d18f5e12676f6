"""A tokenizer as a tensor program."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

Encode = Callable[..., tuple[tf.Tensor, tf.Tensor]]
Decode = Callable[..., tuple[tf.Tensor, tf.Tensor]]


class TokenizerProgram(NamedTuple):
    """A tokenizer as functions of numbers alone, in built-in operators of LiteRT.

    Bytes that are not valid UTF-8 are read as U+FFFD, as in `bytes.decode(errors="replace")`.

    Args:
        encode: Function from bytes, int32 (B, N), and their lengths (B,) to ids, int32 (B, L),
            padded, and their number in each row (B,). The boundaries between parts (see
            `parts.py`) become the number
            of tokens in the vocabulary, which is no token's id.
        decode: Function from ids (B, L), and optionally whether they continue a text, to bytes,
            int32 (B, N), and their number in each row (B,).
    """

    encode: Encode
    decode: Decode


def encoded(program: TokenizerProgram, texts: tf.Tensor) -> tf.RaggedTensor:
    """The ids of texts (B,), ragged int32 (B, T).

    Args:
        program: The program.
        texts: Texts in UTF-8.
    """
    split = tf.strings.bytes_split(texts)
    # decode_raw fails to infer a shape if there are no bytes: append one, then drop it.
    flat = tf.io.decode_raw(tf.concat([split.flat_values, ["a"]], axis=0), tf.uint8)[:-1, 0]
    text_bytes = split.with_flat_values(tf.cast(flat, tf.int32))
    lengths = tf.cast(text_bytes.row_lengths(), tf.int32)
    ids, counts = program.encode(text_bytes.to_tensor(), lengths)
    return tf.RaggedTensor.from_tensor(ids, counts, row_splits_dtype=tf.int64)
