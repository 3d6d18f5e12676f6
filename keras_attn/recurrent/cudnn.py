"""The LSTM in cuDNN's kernel, on JAX."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_attn import gpu
from keras_attn.right_padding import with_lengths

DTYPES = ("float32", "bfloat16", "float16")


def cudnn_suits(dtype: str, steps: Any, rows: Any) -> bool:
    """Whether cuDNN can compute an LSTM over these inputs, on JAX and one GPU of NVIDIA.

    Args:
        dtype: Compute dtype.
        steps: Number of steps T; known on JAX.
        rows: Batch size B; likewise.

    Example:
        >>> cudnn_suits("float64", 3, 2)
        False
    """
    # Of several devices, each would compute the rows of all.
    alone = keras.distribution.distribution() is None
    return gpu.compute_capability() > 0 and alone and dtype in DTYPES and steps * rows > 0


def lstm_in_cudnn(
    x: Any,
    states: list,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    mask: Any,
    otherwise: Callable[[Any], tuple],
) -> tuple[Any, Any, list]:
    """Runs an LSTM over a time-major sequence in one kernel, which skips steps behind the end.

    The kernel takes the length of each sequence. So if steps are masked anywhere but at the end of
    a sequence, as in one that is read backwards, `otherwise` is computed instead. The choice is
    part of the compiled program, since only the values of a mask show it. The kernel computes in
    float32, and its products in TF32, unless `jax_default_matmul_precision` is "highest".

    Source: `jax.experimental.rnn`, which describes the layout of the weights.
    Formula: see `LSTMCell`.

    Args:
        x: Inputs (T, B, D).
        states: h and c (B, U) before the first step.
        kernel: Input kernel (D, 4U), gates in the order i, f, g, o.
        recurrent_kernel: Recurrent kernel (U, 4U).
        bias: Bias (4U,) or None.
        mask: (T, B, 1), True for valid steps, or None.
        otherwise: Computes the same from x without the kernel.

    Returns:
        The last output (B, U), all outputs (T, B, U), and the last states [h, c].
    """
    dtype = states[0].dtype
    steps, rows, _ = x.shape
    h, c, *weights = (ops.cast(each, "float32") for each in (*states, kernel, recurrent_kernel))
    bias = ops.zeros(weights[0].shape[-1:]) if bias is None else ops.cast(bias, "float32")
    parts = [*map(ops.transpose, weights), bias, ops.zeros_like(bias)]
    packed = ops.concatenate([ops.reshape(part, (-1,)) for part in parts])

    def run(lengths: Any) -> tuple:
        results = _call_kernel(ops.cast(ops.swapaxes(x, 0, 1), "float32"), h, c, packed, lengths)
        outputs, last_h, last_c = (ops.cast(each, dtype) for each in results)
        return ops.swapaxes(outputs, 0, 1), last_h, last_c

    def run_to_the_end(lengths: Any) -> tuple[Any, Any, list]:
        outputs, last_h, last_c = run(ops.maximum(lengths, 1))
        some = ops.reshape(lengths > 0, (-1, 1))
        output = ops.where(some, last_h, 0)
        ends = zip((last_h, last_c), states, strict=True)
        last = [ops.where(some, after, before) for after, before in ends]
        return output, ops.where(mask, outputs, output), last

    if mask is None:
        outputs, last_h, last_c = run(ops.full((rows,), steps, "int32"))
        return last_h, outputs, [last_h, last_c]
    of_rows = ops.transpose(mask[..., 0])
    return with_lengths(of_rows, run_to_the_end, lambda: otherwise(x))


def _call_kernel(x: Any, h: Any, c: Any, weights: Any, lengths: Any) -> tuple:
    """Outputs (B, T, U), zeros behind the lengths, and the last h and c (B, U)."""
    import jax
    from jax.experimental import rnn

    config: Any = jax.config
    exact = config.jax_default_matmul_precision in ("highest", "float32")
    # The function refuses the others that can be set, though the kernel has no other than TF32.
    precision = jax.lax.Precision.HIGHEST if exact else jax.lax.Precision.HIGH
    sizes = x.shape[-1], h.shape[-1], 1  # layers
    row_major = _row_major()
    x, h, c, weights = map(row_major, (x, h[None], c[None], weights))
    outputs, h, c = rnn.lstm(x, h, c, weights, lengths, *sizes, 0.0, False, precision)
    outputs, h, c = map(row_major, (outputs, h, c))
    return outputs, h[0], c[0]


def _row_major() -> Callable[[Any], Any]:
    """The identity, with the layout in memory that the kernel expects, for the gradient as well.

    JAX does not tell XLA which layout that is. So XLA may pass a transposed tensor without having
    transposed it, and the kernel computes something else (github.com/jax-ml/jax/issues/19177).
    """
    import jax
    from jax.experimental.layout import Layout, with_layout_constraint

    def constrained(x: Any) -> Any:
        return with_layout_constraint(x, Layout(tuple(range(x.ndim))))

    identity = jax.custom_vjp(constrained)
    identity.defvjp(lambda x: (constrained(x), None), lambda _, gradient: (constrained(gradient),))
    return identity
