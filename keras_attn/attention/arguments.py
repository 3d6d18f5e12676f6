"""Checks of the arguments that several attention layers take."""


def check_sizes(**sizes: int | None) -> None:
    """Checks that every size that is not None is positive.

    Args:
        **sizes: Sizes, by the names of the arguments.

    Raises:
        ValueError: If a size is less than 1.

    Example:
        >>> check_sizes(num_heads=2, output_shape=None)
    """
    for name, size in sizes.items():
        if size is not None and size < 1:
            raise ValueError(f"{name} must be a positive integer; received {size!r}.")


def check_dropout(rate: float) -> None:
    """Checks a dropout rate of attention weights.

    Args:
        rate: The dropout rate.

    Raises:
        ValueError: If the rate is not in [0, 1).

    Example:
        >>> check_dropout(0.1)
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout must be at least 0 and less than 1; received {rate!r}.")
