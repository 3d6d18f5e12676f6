"""The size of images at which a training takes minutes."""

LONGEST = 300.0  # seconds of a training, above which a smaller size is proposed
LEAST = 32  # width and height of which no half is proposed


def smaller_size(size: str, seconds: float) -> str | None:
    """Half of the width and the height, or a half of that, until a training takes few minutes.

    A step takes a time that is proportional to the number of pixels.

    Args:
        size: Width and height of the images, such as 128x128.
        seconds: How long a training takes with this size.

    Returns:
        The first such size, or the smallest one; None if the size need not, or cannot be smaller.

    Example:
        >>> smaller_size("128x96", 1500.0), smaller_size("128x128", 2100.0)
        ('64x48', '32x32')
        >>> smaller_size("128x128", 200.0), smaller_size("28x28", 2100.0)
        (None, None)
    """
    width, height = map(int, size.split("x"))
    halves = 0
    while seconds > LONGEST * 4**halves and min(width, height) >= 2 * LEAST << halves:
        halves += 1
    return f"{width >> halves}x{height >> halves}" if halves else None
