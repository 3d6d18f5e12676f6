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
