"""What tokens are drawn by: the same for a seed on every backend, compiled or not."""

from typing import Any

import numpy as np
from keras import ops

from keras_attn.functional.hashing import hashed


def row_seeds(seed: Any, rows: Any) -> Any:
    """The seeds of rows: each has chance of its own, whichever rows are worked on beside it.

    Args:
        seed: An integer, of which 32 bits count; None for another each time, in every process.
        rows: Integers (B,), the numbers of the rows.

    Outputs: int32 tensor (B, 2).

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
    """A number from [0, 1) for each row, float32 (B, 1), as if drawn at random for the step.

    Args:
        seeds: Integers (B, 2), as `row_seeds` gives.
        step: An integer.

    Example:
        >>> [round(float(u), 3) for u in uniform(row_seeds(7, ops.arange(2)), 3)[:, 0]]
        [0.998, 0.985]
    """
    bits = hashed(ops.zeros_like(seeds[..., 0]) + ops.cast(step, "int32"), seeds)
    # As many bits as float32 can hold, so that 1 is never rounded to.
    return ops.expand_dims(ops.cast(ops.right_shift(bits, 8), "float32") / 2**24, -1)
