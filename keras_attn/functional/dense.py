"""The matrix product of a dense layer, in the form that runs and exports best."""

import math
from typing import Any

from keras import ops


def dense(x: Any, kernel: Any, bias: Any = None, input_axes: int = 1) -> Any:
    """Multiplies the last axes of x by a kernel that may have several input and output axes.

    The product is computed as one product of two matrices. LiteRT converts it to one
    FULLY_CONNECTED operator, bias included; the product of a tensor with three axes would become a
    dozen operators that compute shapes.

    Source: Vaswani et al. 2017, section 3.2.2, whose projections have an axis for the heads.
    Formula: `y[..., o] = sum_i x[..., i] kernel[i, o] + bias[o]`, where i and o run over all input
        and all output axes

    Args:
        x: Tensor (..., *inputs).
        kernel: Tensor (*inputs, *outputs).
        bias: Tensor (*outputs), or None.
        input_axes: Number of input axes.

    Returns:
        Tensor (..., *outputs).

    Example:
        >>> tuple(dense(ops.ones((3, 5, 11)), ops.ones((11, 2, 7))).shape)
        (3, 5, 2, 7)
    """
    inputs, outputs = tuple(kernel.shape[:input_axes]), tuple(kernel.shape[input_axes:])
    leading = _sizes(x, len(x.shape) - input_axes)
    rows = ops.reshape(x, (-1, math.prod(inputs)))
    rows = ops.matmul(rows, ops.reshape(kernel, (-1, math.prod(outputs))))
    if bias is not None:
        rows = rows + ops.reshape(bias, (-1,))
    return ops.reshape(rows, (*leading, *outputs))


def _sizes(x: Any, count: int) -> tuple:
    """Sizes of the leading axes for a reshape, with -1 for a single unknown size."""
    static = tuple(x.shape[:count])
    if static.count(None) == 1:
        return tuple(-1 if size is None else size for size in static)
    return tuple(ops.shape(x)[:count])
