"""The kinds of attention of the layers of a checkpoint: of all positions, or within a window."""

from collections.abc import Callable, Sequence
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint

FULL, SLIDING = "full_attention", "sliding_attention"


def layer_types_of(checkpoint: Checkpoint, is_full: Callable[[int], bool]) -> list[str]:
    """The kind of each layer.

    Args:
        checkpoint: The checkpoint, whose `config.json` may have `layer_types`.
        is_full: Whether a layer, counted from 0, attends to all positions, if it has not.

    Raises:
        UserError: If there are others, or not as many as layers.
    """
    count: int = checkpoint.config["num_hidden_layers"]
    types: Any = checkpoint.config.get("layer_types")
    if types is None:
        return [FULL if is_full(number) else SLIDING for number in range(count)]
    if not isinstance(types, list) or len(types) != count:
        raise UserError(f"{checkpoint.folder / CONFIG}: layer_types must have {count} names")
    odd = next((each for each in types if each not in (FULL, SLIDING)), None)
    if odd is not None:
        raise UserError(
            f"layer_types with {odd!r:.40} is not supported; expected {FULL} and {SLIDING}"
        )
    return types


def interval_of(types: Sequence[str], first: bool = False) -> int | None:
    """The n of which every n-th layer attends to all positions; None if none does.

    Args:
        types: The kind of each layer.
        first: Whether the first layer is one of them, instead of the n-th.

    Raises:
        UserError: If they are not every n-th layer.

    Example:
        >>> interval_of([SLIDING, FULL, SLIDING, FULL, SLIDING])
        2
        >>> interval_of([FULL, SLIDING, SLIDING, FULL], first=True)
        3
    """
    at = [number for number, kind in enumerate(types) if kind == FULL]
    if not at:
        return None
    # With one of them alone, the first layer or the n-th, the next one is behind the last layer.
    interval = (at[1] if len(at) > 1 else len(types)) if first else at[0] + 1
    if written_types(len(types), 1, interval, first) != list(types):
        where = "every n-th, from the first on" if first else "every n-th"
        raise UserError(
            f"layer_types = {list(types)!r:.80} is not supported; expected {FULL} for {where}"
        )
    return interval


def written_types(
    count: int, window: int | None, interval: int | None, first: bool = False
) -> list[str]:
    """The kind of each layer, as `interval_of` reads it.

    Args:
        count: Number of layers.
        window: Their window; None without one.
        interval: Every n-th attends to all positions; None if none does.
        first: See `interval_of`.
    """
    if window is None:
        return [FULL] * count
    shift = 0 if first else 1
    is_full = [interval is not None and (n + shift) % interval == 0 for n in range(count)]
    return [FULL if full else SLIDING for full in is_full]
