"""Values in the place of missing ones, from the seasons before and after them."""

from collections.abc import Iterator
from typing import Any

import keras
from keras import ops

from zoo.data.series.windows import stride


@keras.saving.register_keras_serializable(package="keras_attn")
class SeasonalFill(keras.layers.Layer):
    """Puts the value of the same step of another season where one is missing.

    The nearest season before is taken first, then the nearest after. Without a whole season, the
    steps before and after are taken. `filled_contexts` does the same in NumPy.

    Formula: `f_t = z_{t-km}` with the smallest k >= 0 of which the value is there, or else
        `z_{t+km}`; 0 if all of these are missing; m is 1 if T is not above the season

    Args:
        season: Number of steps m of a season; 1 if there is none.

    Inputs: Values (B, T, C), 0.0 where missing; `seen`, 1.0 where there is a value and 0.0 where it
        is missing (B, T, C).
    Outputs: Values (B, T, C), float32.

    Example:
        >>> z, seen = [[[1.0], [2.0], [0.0], [4.0]]], [[[1.0], [1.0], [0.0], [1.0]]]
        >>> ops.convert_to_numpy(SeasonalFill(2)(*map(ops.array, (z, seen)))).ravel().tolist()
        [1.0, 2.0, 1.0, 4.0]
    """

    def __init__(self, season: int, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)
        self.season = season

    def call(self, z: Any, seen: Any) -> Any:
        for distance, backward in shifts(self.season, z.shape[1]):
            there = seen > 0.0
            z = ops.where(there, z, _shifted(z, distance, backward))
            seen = ops.where(there, seen, _shifted(seen, distance, backward))
        return z

    def get_config(self) -> dict[str, Any]:
        return {"season": self.season, "name": self.name}


def shifts(season: int, length: int) -> Iterator[tuple[int, bool]]:
    """Distances by which values are moved to missing ones, and whether backward, in this order.

    Each pass doubles its distance, so that after it values came from all seasons within reach.

    Example:
        >>> list(shifts(3, 7))
        [(3, False), (6, False), (3, True), (6, True)]
        >>> list(shifts(3, 3))
        [(1, False), (2, False), (1, True), (2, True)]
    """
    step = stride(season, length)
    for backward in (False, True):
        distance = step
        while distance < length:
            yield distance, backward
            distance *= 2


def _shifted(x: Any, distance: int, backward: bool) -> Any:
    """What is so many steps before each step, or after it; 0 where there is none."""
    if backward:
        return ops.pad(x[:, distance:], [(0, 0), (0, distance), (0, 0)])
    return ops.pad(x[:, :-distance], [(0, 0), (distance, 0), (0, 0)])
