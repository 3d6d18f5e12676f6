"""What a tokenizer is as a tensor program."""

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

Encode = Callable[..., tuple[tf.Tensor, tf.Tensor]]
Decode = Callable[..., tuple[tf.Tensor, tf.Tensor]]


class Program(NamedTuple):
    """A tokenizer as functions of numbers alone, in built-in operators of LiteRT.

    Bytes that are not valid UTF-8 are read as U+FFFD, as in `bytes.decode(errors="replace")`.

    Args:
        encode: Function from bytes, int32 (B, N), their lengths (B,), and optionally the number of
            columns L, to ids, int32 (B, L), padded, and their number in each row (B,).
        decode: Function from ids (B, L), whether they continue a text, and optionally the number of
            columns N, to bytes, int32 (B, N), and their number in each row (B,).
    """

    encode: Encode
    decode: Decode

    def module(self, rows: int | None = None, length: int | None = None) -> tuple[tf.Module, dict]:
        """The functions as signatures of a SavedModel, or of a LiteRT file.

        Args:
            rows: Number of rows B; None if it is dynamic.
            length: Number of bytes N, and of ids L; None if they are dynamic.

        Returns:
            The module to save, and its signatures: `encode` takes `text_bytes` and `lengths`, and
            returns `ids` and `counts`; `decode` takes `ids`, and returns `text_bytes` and
            `lengths`.
        """

        def encode(text_bytes: tf.Tensor, lengths: tf.Tensor) -> dict[str, tf.Tensor]:
            ids, counts = self.encode(text_bytes, lengths, length)
            return {"ids": ids, "counts": counts}

        def decode(ids: tf.Tensor) -> dict[str, tf.Tensor]:
            text_bytes, lengths = self.decode(ids, length=length)
            return {"text_bytes": text_bytes, "lengths": lengths}

        matrix, vector = tf.TensorSpec([rows, length], tf.int32), tf.TensorSpec([rows], tf.int32)
        specs: dict[str, tuple[Callable[..., Any], list[tf.TensorSpec]]] = {
            "encode": (encode, [matrix, vector]),
            "decode": (decode, [matrix]),
        }
        module = tf.Module()
        module.functions = {
            name: tf.function(function, input_signature=taken, autograph=False)
            for name, (function, taken) in specs.items()
        }
        return module, dict(module.functions)
