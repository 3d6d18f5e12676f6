"""Checks of arguments that several attention layers have."""

import numbers
from collections.abc import Sequence
from typing import Any


def check_sizes(**sizes: Any) -> None:
    """Checks that sizes are positive integers; None is allowed.

    Args:
        **sizes: Sizes by argument name.

    Raises:
        ValueError: If a size is less than 1 or no integer.

    Example:
        >>> check_sizes(num_heads=2, output_shape=None)
    """
    for name, size in sizes.items():
        is_whole = isinstance(size, numbers.Integral) and not isinstance(size, bool)
        if size is not None and not (is_whole and size >= 1):
            raise ValueError(f"{name} must be a positive integer; received {size!r}.")


def check_dropout(rate: float, name: str = "dropout") -> None:
    """Checks a dropout rate.

    Args:
        rate: Dropout rate.
        name: Name of the argument.

    Raises:
        ValueError: If the rate is not in [0, 1).

    Example:
        >>> check_dropout(0.1)
    """
    if not 0 <= rate < 1:
        raise ValueError(f"{name} must be at least 0 and less than 1; received {rate!r}.")


def integers(value: int | Sequence[int] | None) -> tuple[int, ...] | None:
    """Returns an integer or several as a tuple; None stays None.

    Args:
        value: An integer, a sequence of integers, or None.

    Returns:
        A tuple, or None.

    Example:
        >>> integers(5), integers([2, 3]), integers(None)
        ((5,), (2, 3), None)
    """
    if value is None:
        return None
    return tuple(value) if isinstance(value, Sequence) else (value,)


def check_equal_lengths(value_shape: Sequence, key_shape: Sequence) -> None:
    """Checks that values and keys differ in width only.

    Args:
        value_shape: Shape (B, S, Dv); S may stand for several axes.
        key_shape: Shape (B, S, Dk).

    Raises:
        ValueError: If another axis differs, where both are known.

    Example:
        >>> check_equal_lengths((3, 5, 11), (3, None, 7))
    """
    axes = [tuple(shape)[1:-1] for shape in (value_shape, key_shape)]
    differ = any(None not in pair and pair[0] != pair[1] for pair in zip(*axes, strict=False))
    if differ or len(axes[0]) != len(axes[1]):
        raise ValueError(
            "value and key must be equal in all axes but the last; received the shapes "
            f"{tuple(value_shape)} and {tuple(key_shape)}."
        )


def check_attention_mask(mask: Any, query: Any, value: Any, num_heads: int | None = None) -> None:
    """Checks that a mask broadcasts to the attention weights.

    Args:
        mask: Mask that should broadcast to (B, T, S), or with heads to (B, H, T, S).
        query: Tensor (B, T, D).
        value: Tensor (B, S, Dv).
        num_heads: Number of heads H, or None without heads.

    Raises:
        ValueError: If the mask does not.

    Example:
        >>> from keras import ops
        >>> x = ops.ones((3, 5, 11))
        >>> check_attention_mask(ops.ones((3, 1, 5)), x, x)
    """
    (batch, t), s = query.shape[:2], value.shape[1]
    wanted = {2: (t, s), 3: (batch, t, s)} | ({4: (batch, num_heads, t, s)} if num_heads else {})
    sizes = wanted.get(len(mask.shape))
    if sizes is None or any(
        size != mask_size
        for size, mask_size in zip(sizes, mask.shape, strict=True)
        if None not in (size, mask_size) and mask_size != 1
    ):
        axes = "(B, T, S)" + (" or (B, H, T, S)" if num_heads else "")
        heads = f", H={num_heads}" if num_heads else ""
        raise ValueError(
            f"attention_mask must broadcast to {axes} with B={batch}{heads}, T={t}, S={s}; "
            f"received the shape {tuple(mask.shape)}."
        )
