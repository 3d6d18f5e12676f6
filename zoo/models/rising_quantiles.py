"""Quantiles that do not cross."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

NARROW = 2.0  # so that untrained quantiles are exp(-2) of a standard deviation apart


@keras.saving.register_keras_serializable(package="keras_attn")
class RisingQuantiles(keras.layers.Layer):
    """Quantiles that rise with their levels, in float32.

    Source: Park et al. 2022 (increments that are not negative).
    Formula: `q_mid = u_mid + line`; the quantiles above and below are sums of `1 + elu(u - 2)` from
        q_mid

    Args:
        quantiles: Levels of the Q quantiles, rising; the middle one is the nearest to 0.5.

    Inputs: `u` (B, H, C, Q), first the middle quantile and then the distances of neighbors; `line`
        (B, H, C), or None.
    Outputs: Quantiles (B, H, C, Q).

    Example:
        >>> layer = RisingQuantiles([0.1, 0.5, 0.9])
        >>> ops.convert_to_numpy(layer(ops.reshape([7.0, 2.0, 5.0], (1, 1, 1, 3)))).ravel().tolist()
        [6.0, 7.0, 11.0]
    """

    def __init__(self, quantiles: Sequence[float], name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)
        self.quantiles = list(quantiles)
        self.sums = _sums_from_middle(self.quantiles)

    def call(self, u: Any, line: Any = None) -> Any:
        u = ops.cast(u, "float32")
        middle = u[..., :1]
        if line is not None:
            middle = middle + ops.expand_dims(line, -1)
        if len(self.quantiles) == 1:
            return middle
        return middle + ops.matmul(1.0 + ops.elu(u[..., 1:] - NARROW), self.sums)

    def get_config(self) -> dict[str, Any]:
        return {"quantiles": self.quantiles, "name": self.name}


def middle_of(quantiles: Sequence[float]) -> int:
    """The number of the quantile that is nearest to the median, from 0.

    Example:
        >>> middle_of([0.1, 0.6, 0.9])
        1
    """
    return int(np.argmin(np.abs(np.array(quantiles) - 0.5)))


def _sums_from_middle(quantiles: Sequence[float]) -> np.ndarray:
    """What turns distances between neighboring quantiles into distances from the middle one.

    Example:
        >>> _sums_from_middle([0.1, 0.5, 0.9]).tolist()
        [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    middle = middle_of(quantiles)
    gap, level = np.arange(len(quantiles) - 1)[:, None], np.arange(len(quantiles))
    above, below = (middle <= gap) & (gap < level), (level <= gap) & (gap < middle)
    return (above.astype("float32") - below.astype("float32")).astype("float32")
