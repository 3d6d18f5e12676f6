"""Ranks of inputs, which no runtime compares with those that a signature declares."""

from __future__ import annotations

import tensorflow as tf


def of_rank(tensor: tf.Tensor) -> tf.Tensor:
    """An input of an artifact that refuses, where it runs, any other rank than it is traced with.

    Without it, a single text without a list ends the process that serves a tokenizer, and other
    operators give wrong results in silence. A SavedModel keeps `EnsureShape`, whose name tells what
    is wrong. The converter to LiteRT drops it, but keeps a slice of everything, which fails unless
    the input has as many sizes as it was traced with.
    """
    rank = len(tensor.shape)
    tensor = tf.ensure_shape(tensor, tensor.shape, name=f"{tensor.op.name}_must_have_rank_{rank}")
    # LiteRT's `slice` of text never changes its size; `strided_slice` forgets sizes that are fixed.
    cut = tf.strided_slice if tensor.dtype == tf.string else tf.slice
    return cut(tensor, [0] * rank, tf.shape(tensor))
