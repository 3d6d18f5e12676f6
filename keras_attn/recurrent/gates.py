"""Matrix products with kernels that hold the kernels of several gates.

For a sequence, one product per gate is faster than a single product for all gates: two products run
in parallel, a part of the kernel stays in a core's cache, and the result need not be split. But
splitting the kernel costs as much as a product with one row, so it is done once for many steps, or
not at all.
"""

from typing import Any

from keras import ops

from keras_attn.functional.dense import dense


def project(x: Any, kernel: Any, bias: Any, gates: int, masks: Any = ()) -> list[Any]:
    """Computes the contribution of the inputs to the pre-activations of each gate.

    Args:
        x: One step (B, D), or a sequence (T, B, D).
        kernel: Kernel (D, gates * U).
        bias: Bias (gates * U,), or None.
        gates: Number of gates.
        masks: Dropout masks (B, D) of the inputs: one for all gates, one for each gate, or none.

    Returns:
        A list with one tensor (..., U) per gate.
    """
    xs = [x * mask for mask in masks] or [x]
    if gates == 1:
        return [dense(xs[0], kernel, bias)]
    if len(x.shape) == 2 and len(xs) == 1:
        return ops.split(dense(xs[0], kernel, bias), gates, axis=-1)
    kernels = ops.split(kernel, gates, axis=-1)
    biases = [None] * gates if bias is None else ops.split(bias, gates, axis=-1)
    xs *= gates // len(xs)
    return [dense(*three) for three in zip(xs, kernels, biases, strict=True)]


def dropped(h: Any, masks: list | None, gates: int) -> list[Any]:
    """Returns the state (B, U) as each gate sees it, after recurrent dropout if there are masks."""
    return [h] * gates if masks is None else [h * mask for mask in masks]


def outer(a: Any, b: Any) -> Any:
    """Sums the outer products of all steps and rows: (T, B, M) and (T, B, N) to (M, N)."""
    a, b = ops.reshape(a, (-1, a.shape[-1])), ops.reshape(b, (-1, b.shape[-1]))
    return ops.matmul(ops.transpose(a), b)


def add_before(first: Any, sequence: Any) -> Any:
    """Returns the state before each step: `first` (B, U), then all but the last of (T, B, U)."""
    return ops.concatenate([ops.expand_dims(first, 0), sequence], axis=0)[:-1]
