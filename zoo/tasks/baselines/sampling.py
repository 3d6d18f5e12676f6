"""Sampling of the rows that baselines are fitted to and evaluated on."""

import random


def sampled(count: int, most: int, seed: int = 0) -> list[int]:
    """The numbers of at most `most` of `count` rows, drawn at random, in order.

    Example:
        >>> sampled(3, most=5)
        [0, 1, 2]
        >>> len(sampled(100, most=5))
        5
    """
    if count <= most:
        return list(range(count))
    return sorted(random.Random(seed).sample(range(count), most))
