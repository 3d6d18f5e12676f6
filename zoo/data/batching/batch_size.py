"""The default size of a batch, by the size of the data."""

OUTPUTS = 1 << 26  # maximum number of the outputs of a batch: 256 MiB, of which training has copies
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


def batch_size_of_tokens(rows: int, length: int, vocabulary_size: int) -> int:
    """The default batch size of a model with an output for each token of a vocabulary.

    It is 32, or 16 or 8 for few rows, and fewer where the outputs of such a batch would take too
    much memory: 4 rows of 320 tokens with a vocabulary of 49,152.

    Args:
        rows: Number of rows in the training data.
        length: Number of tokens in a row.
        vocabulary_size: Number of outputs for each token.

    Example:
        >>> batch_size_of_tokens(2048, 128, 8000), batch_size_of_tokens(2048, 320, 49_152)
        (32, 4)
    """
    most = 32
    while most > 1 and most * length * vocabulary_size > OUTPUTS:
        most //= 2
    return default_batch_size(rows, most=most, least=min(8, most))
