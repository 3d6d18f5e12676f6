"""The default size of a batch, by the size of the data."""

BATCHES = 64  # minimum number of batches in an epoch, unless they are the smallest


def default_batch_size(total: int, most: int, least: int) -> int:
    """The largest size that leaves 64 batches in an epoch, so that small data take many steps.

    It is the largest one divided by a power of two, so that devices can share it.

    Args:
        total: Number of rows, or of tokens, in the training data.
        most: The largest size.
        least: The smallest size.

    Example:
        >>> [default_batch_size(total, most=32, least=8) for total in (100, 1024, 2048, 10**6)]
        [8, 16, 32, 32]
    """
    size = most
    while size // 2 >= least and total < BATCHES * size:
        size //= 2
    return size
