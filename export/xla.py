"""The numeric stage of signatures, compiled with XLA for a few sizes of each dynamic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from export.signatures import Function, LiveSignature
from export.streaming_probes import followed
from export.worker.axes import BATCH, Spec, cut

# XLA compiles once for each combination of sizes that it meets, which takes seconds: a dynamic axis
# is padded to one of these, or to a multiple of the last. A single row is padded to two: what XLA
# makes of the product of one row takes more than twice as long. No row stays none.
LENGTHS = (16, 32, 64, 128, 256, 512)
BATCHES = (0, 2, 4, 8, 16, 32, 64)


def compiled(signatures: Sequence[LiveSignature]) -> dict[str, Function]:
    """The compiled `infer` of each signature by name, without those whose features are text.

    An axis is padded where the signature promises that this changes nothing: "batch" with the
    invariance "batch", any other with the invariance "padding" and a padding value for each feature
    that has it. Outputs are cut back. For other axes XLA compiles anew for each size. Signatures
    that are called step by step, whose states have many sizes, are therefore left out.
    """
    stepwise = followed(signatures) | {each.name for each in signatures if each.parts.follows}
    shared: list[tuple[Function, Function]] = []  # equal stages are compiled once
    functions = {}
    for each in signatures:
        takes_text = any(spec.dtype == "string" for spec in each.features.values())
        if takes_text or each.name in stepwise:
            continue
        infer = each.parts.infer
        known = next((after for before, after in shared if before == infer), None)
        if known is None:
            known = tf.function(infer, jit_compile=True, autograph=False)
            shared.append((infer, known))
        functions[each.name] = _in_buckets(known, each)
    return functions


def _in_buckets(infer: Function, signature: LiveSignature) -> Function:
    features, outputs = signature.features, signature.parts.outputs
    axes = [*signature.paddable, *([BATCH] if BATCH in signature.parts.invariances else [])]

    def padded(**tensors: Any) -> dict[str, Any]:
        sizes = _sizes(tensors, features, axes)
        targets = {
            axis: _bucket(size, BATCHES if axis == BATCH else LENGTHS)
            for axis, size in sizes.items()
        }
        grown = {
            name: _grown(tensor, features[name], sizes, targets) for name, tensor in tensors.items()
        }
        return {name: cut(tensor, outputs[name], sizes) for name, tensor in infer(**grown).items()}

    return padded


def _sizes(
    tensors: Mapping[str, Any], features: Mapping[str, Spec], axes: Sequence[str]
) -> dict[str, tf.Tensor]:
    return {
        axis: tf.shape(tensors[name])[index]
        for name, spec in features.items()
        for index, axis in enumerate(spec.axes or ())
        if isinstance(axis, str) and axis in axes
    }


def _grown(
    tensor: tf.Tensor, spec: Spec, sizes: Mapping[str, Any], targets: Mapping[str, Any]
) -> tf.Tensor:
    """A feature with its axes as long as the targets."""
    more: list[Any] = [
        targets[axis] - sizes[axis]
        if isinstance(axis, str) and axis in targets and axis != BATCH
        else 0
        for axis in spec.axes or ()
    ]
    if any(isinstance(each, tf.Tensor) for each in more):
        tensor = tf.pad(tensor, [[0, each] for each in more], constant_values=spec.padding)
    for index, axis in enumerate(spec.axes or ()):
        if axis == BATCH and BATCH in targets:
            # A row of padding might never stop; a row that is there twice stops when it does.
            rows = tf.minimum(tf.range(targets[BATCH]), sizes[BATCH] - 1)
            tensor = tf.gather(tensor, rows, axis=index)
    return tensor


def _bucket(size: tf.Tensor, buckets: tuple[int, ...]) -> tf.Tensor:
    beyond = -(-size // buckets[-1]) * buckets[-1]
    return tf.reduce_min(tf.where(size <= buckets, tf.constant(buckets), beyond))
