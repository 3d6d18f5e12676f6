"""Checks of the arguments of multi-head attention that depend on each other."""

from typing import Any

from keras_attn.attention.arguments import check_sizes

AGGREGATES = ("project", "concat", "mean")


def check_heads(
    num_heads: int,
    key_dim: int,
    value_dim: int | None,
    num_key_value_heads: int | None,
    tie_key_value: bool,
) -> None:
    """Checks the number and the sizes of heads.

    Args:
        num_heads: Number of query heads H.
        key_dim: Size of each head of queries and keys.
        value_dim: Size of each head of values; None for that of the keys.
        num_key_value_heads: Number of key and value heads; None for H.
        tie_key_value: Whether keys and values share one projection.

    Raises:
        ValueError: If a size is not positive, or they contradict each other.

    Example:
        >>> check_heads(8, 64, None, num_key_value_heads=3, tie_key_value=False)
        Traceback (most recent call last):
        ValueError: num_key_value_heads must divide num_heads = 8; received 3.
    """
    check_sizes(num_heads=num_heads, key_dim=key_dim, value_dim=value_dim)
    check_sizes(num_key_value_heads=num_key_value_heads)
    if tie_key_value and value_dim not in (None, key_dim):
        raise ValueError(f"tie_key_value requires value_dim = key_dim; received {value_dim!r}.")
    if num_heads % (num_key_value_heads or num_heads):
        raise ValueError(
            f"num_key_value_heads must divide num_heads = {num_heads}; "
            f"received {num_key_value_heads!r}."
        )


def check_output(
    aggregate: str, output_shape: tuple[int, ...] | None, output_kernel_initializer: Any
) -> None:
    """Checks how heads are combined, and the arguments of the output projection.

    Args:
        aggregate: How heads are combined.
        output_shape: Sizes of the output axes, or None.
        output_kernel_initializer: Initializer of the kernel of the output projection, or None.

    Raises:
        ValueError: If `aggregate` is unknown, a size is not positive, or an argument of the output
            projection is given without one.

    Example:
        >>> check_output("mean", (7,), None)
        Traceback (most recent call last):
        ValueError: output_shape requires aggregate='project'; received 'mean'.
    """
    for size in output_shape or ():
        check_sizes(output_shape=size)
    if aggregate not in AGGREGATES:
        choices = ", ".join(AGGREGATES)
        raise ValueError(f"aggregate must be one of {choices}; received {aggregate!r}.")
    given = {"output_shape": output_shape, "output_kernel_initializer": output_kernel_initializer}
    for name, argument in given.items():
        if argument is not None and aggregate != "project":
            raise ValueError(f"{name} requires aggregate='project'; received {aggregate!r}.")
