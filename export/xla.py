"""Compile the numeric part of a signature with XLA, for a few shapes."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from export.signatures import Function, Signature

# XLA compiles once for each shape it meets, which takes seconds: every batch and length is
# padded to one of these. Longer inputs are padded to the next multiple of the last. A single row is
# padded to two: what XLA makes of the product of one row takes more than twice as long.
LENGTHS = (16, 32, 64, 128, 256, 512)
BATCHES = (2, 4, 8, 16, 32, 64)


def compiled(signature: Signature, *, pad: bool) -> Function | None:
    """The signature's function with its core compiled; None where text keeps XLA out.

    Args:
        signature: what to compile.
        pad: round batch and length up, for a function whose results do not grow with the length
            of its inputs: generation, whose padded columns change nothing.
    """
    if signature.stages is None and any(
        dtype == "string" for _, dtype in signature.inputs.values()
    ):
        return None
    core = tf.function(signature.core, jit_compile=True, autograph=False)
    padded = _in_buckets(core, signature.pad) if pad else core
    if signature.stages is None:
        return padded
    before, _, after = signature.stages

    def function(**texts: Any) -> dict[str, Any]:
        return after(**padded(**before(**texts)))

    return function


def _in_buckets(core: Function, pad: int) -> Function:
    def function(**ids: Any) -> dict[str, Any]:
        rows = tf.shape(next(iter(ids.values())))[0]
        padded = {name: _pad(tensor, pad) for name, tensor in ids.items()}
        return {name: tensor[:rows] for name, tensor in core(**padded).items()}

    return function


def _pad(ids: tf.Tensor, pad: int) -> tf.Tensor:
    rows, length = tf.unstack(tf.shape(ids))
    more = [[0, 0], [0, _bucket(length, LENGTHS) - length]]
    ids = tf.pad(ids, more, constant_values=pad)
    # A row of padding might never stop; a row there twice stops when it does.
    return tf.gather(ids, tf.minimum(tf.range(_bucket(rows, BATCHES)), rows - 1))


def _bucket(size: tf.Tensor, buckets: tuple[int, ...]) -> tf.Tensor:
    beyond = -(-size // buckets[-1]) * buckets[-1]
    return tf.reduce_min(tf.where(size <= buckets, tf.constant(buckets), beyond))
