"""The angles of sinusoids at positions, accurate in float32 at large positions too."""

import math
from typing import Any

import numpy as np
from keras import ops


def angles(
    wave: np.ndarray, width: int, max_wavelength: float, length: Any, start_index: Any = 0
) -> Any:
    """The angle of each sinusoid at each position, modulo full turns.

    Source: Vaswani et al. 2017, section 3.5.
    Formula: `y[t, i] = (start_index + t) / max_wavelength ** (2 wave[i] / width)`, modulo 2 pi

    Args:
        wave: NumPy array (W,), the index s of the sinusoid in each column.
        width: Number of features D.
        max_wavelength: Ratio of the longest wavelength to the shortest.
        length: Number of positions, an integer or a scalar tensor.
        start_index: First position, an integer or a scalar tensor, or a tensor (B,) with one per
            row.

    Returns:
        float32 tensor (length, W), or (B, length, W) with one start per row.

    Example:
        >>> ops.convert_to_numpy(angles(np.arange(2), 4, 100, 2)).round(2).astype(str).tolist()
        [['0.0', '0.0'], ['1.0', '0.1']]
    """
    return angles_at(max_wavelength ** (-2.0 * wave / width), length, start_index)


def angles_at(frequencies: np.ndarray, length: Any, start_index: Any = 0) -> Any:
    """The angle of each sinusoid at each position, modulo full turns.

    Formula: `y[t, i] = (start_index + t) frequencies[i]`, modulo 2 pi

    Args:
        frequencies: NumPy array (W,), in radians per position.
        length: Number of positions, an integer or a scalar tensor.
        start_index: First position, an integer or a scalar tensor.

    Returns:
        float32 tensor (length, W).
    """
    turns_per_step = frequencies / (2 * math.pi)
    # Full turns do not matter, but cost precision in float32 as t grows. The product of t and the
    # coarse part of the rate, a multiple of 2^-12, is exact up to t = 25,000; its full turns are
    # removed before the fine part is added.
    coarse = np.round(turns_per_step * 4096) / 4096
    fine = turns_per_step - coarse
    start = ops.cast(start_index, "int32")
    start = ops.expand_dims(start, -1) if len(start.shape) else start
    steps = ops.arange(length, dtype="int32") + start
    steps = ops.expand_dims(ops.cast(steps, "float32"), -1)
    turns = steps * coarse.astype("float32")
    turns = turns - ops.floor(turns) + steps * fine.astype("float32")
    return turns * (2 * math.pi)
