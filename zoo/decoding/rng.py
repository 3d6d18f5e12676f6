"""Random numbers for sampling: the same for a seed on every backend, compiled or not."""

from typing import Any

import numpy as np
from keras import ops

from keras_attn.functional.hashing import hashed


def row_seeds(seed: Any, rows: Any) -> Any:
    """One random seed for each row, which does not depend on the other rows of its batch.

    Args:
        seed: Integer, of which the lowest 32 bits are used. If None, a new seed is drawn.
        rows: Integers (B,), the indices of the rows.

    Returns:
        int32 tensor (B, 2).

    Example:
        >>> ops.convert_to_numpy(row_seeds(7, ops.arange(3))).tolist()
        [[7, 0], [7, 1], [7, 2]]
    """
    if seed is None:
        seed = np.random.default_rng().integers(2**32)
    if isinstance(seed, int | np.integer):
        seed = np.array(int(seed) % 2**32, "uint32").view("int32")
    rows = ops.convert_to_tensor(rows, "int32")
    return ops.stack([ops.zeros_like(rows) + ops.cast(seed, "int32"), rows], axis=-1)


def uniform(seeds: Any, step: Any) -> Any:
    """One uniform random number for each row, determined by its seed and the step.

    Args:
        seeds: Integers (B, 2) from `row_seeds`.
        step: Integer, the number of the step.

    Returns:
        float32 tensor (B, 1) of numbers in [0, 1).

    Example:
        >>> [round(float(u), 3) for u in uniform(row_seeds(7, ops.arange(2)), 3)[:, 0]]
        [0.998, 0.985]
    """
    bits = hashed(ops.zeros_like(seeds[..., 0]) + ops.cast(step, "int32"), seeds)
    # As many bits as the significand of float32 has, so that no number is rounded up to 1.
    return ops.expand_dims(ops.cast(ops.right_shift(bits, 8), "float32") / 2**24, -1)
