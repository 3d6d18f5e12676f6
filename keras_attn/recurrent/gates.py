"""Matrix products with kernels that hold several gates side by side.

A product of its own for each gate beats one product for all: two run at a time, a part of the
kernel stays in a core's cache, and nothing is cut out of the result. But to cut the kernel costs as
much as a product with one row, so that it is done once for many steps, or not at all.
"""

from typing import Any

from keras import ops

from keras_attn.functional.dense import dense


def project(x: Any, kernel: Any, bias: Any, gates: int) -> list[Any]:
    """The inputs' part of the pre-activations of each gate.

    Args:
        x: One step (B, D), or a sequence (T, B, D).
        kernel: Kernel (D, gates * U).
        bias: Bias (gates * U).
        gates: Number of gates.

    Outputs: A tensor (..., U) for each gate.
    """
    if len(x.shape) == 2:
        return ops.split(dense(x, kernel, bias), gates, axis=-1)
    kernels, biases = ops.split(kernel, gates, axis=-1), ops.split(bias, gates, axis=-1)
    return [dense(x, *pair) for pair in zip(kernels, biases, strict=True)]


def outer(a: Any, b: Any) -> Any:
    """Sum over all steps and rows of the outer products, (T, B, M) and (T, B, N) to (M, N)."""
    a, b = ops.reshape(a, (-1, a.shape[-1])), ops.reshape(b, (-1, b.shape[-1]))
    return ops.matmul(ops.transpose(a), b)


def add_before(first: Any, sequence: Any) -> Any:
    """What each step finds: the first state (B, U), then all but the last of (T, B, U)."""
    return ops.concatenate([ops.expand_dims(first, 0), sequence[:-1]], axis=0)
