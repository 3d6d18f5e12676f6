"""Checks of arguments that several attention layers have."""


def check_sizes(**sizes: int | None) -> None:
    """Checks that sizes are positive; None is allowed.

    Args:
        **sizes: Sizes by argument name.

    Raises:
        ValueError: If a size is less than 1.

    Example:
        >>> check_sizes(num_heads=2, output_shape=None)
    """
    for name, size in sizes.items():
        if size is not None and size < 1:
            raise ValueError(f"{name} must be a positive integer; received {size!r}.")


def check_dropout(rate: float) -> None:
    """Checks the dropout rate of attention weights.

    Args:
        rate: Dropout rate.

    Raises:
        ValueError: If the rate is not in [0, 1).

    Example:
        >>> check_dropout(0.1)
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout must be at least 0 and less than 1; received {rate!r}.")
