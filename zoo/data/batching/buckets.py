"""Grouping examples of similar lengths, to save padding."""

from collections.abc import Callable

import numpy as np

MAX_BUCKETS = 5
FEW_BUCKETS = 2
_CANDIDATES = 128


def max_buckets(held_out: bool) -> int:
    """Maximum number of batch shapes, for training or for validation.

    In validation, padding takes less time than compiling more shapes would.
    """
    return FEW_BUCKETS if held_out else MAX_BUCKETS


def choose_buckets(
    source_lengths: np.ndarray,
    target_lengths: np.ndarray,
    batch_size: Callable[[int, int], int],
    max_buckets: int = MAX_BUCKETS,
    nested: bool = False,
) -> list[np.ndarray]:
    """Splits pairs into buckets, each of which is padded to a single batch shape.

    Pairs are sorted by the larger of their two lengths, relative to the means. Dynamic programming
    finds the boundaries with the smallest total size of all batches, including padding. Since
    every shape costs a compilation, the result has the fewest buckets within 2 % of the optimum.

    Args:
        source_lengths: Source length S of each pair, int (pairs,).
        target_lengths: Target length T of each pair, int (pairs,).
        batch_size: Function from S and T to the batch size.
        max_buckets: Maximum number of buckets.
        nested: Whether an example has S T positions, as a document of S sentences of up to T words
            has; otherwise it has S + T.

    Returns:
        The sorted indices of the pairs in each bucket.

    Example:
        >>> lengths = np.array([2, 9, 2, 9, 2, 2])
        >>> [group.tolist() for group in choose_buckets(lengths, lengths, lambda s, t: 2)]
        [[0, 2, 4, 5], [1, 3]]
    """
    keys = np.maximum(
        source_lengths / source_lengths.mean(), target_lengths / target_lengths.mean()
    )
    sizes, counts = (source_lengths, target_lengths), np.ones(len(keys), int)
    group = np.searchsorted(bounds(keys, sizes, counts, batch_size, max_buckets, nested), keys)
    return [np.flatnonzero(group == number) for number in range(group.max() + 1)]


def bounds(
    keys: np.ndarray,
    sizes: tuple[np.ndarray, np.ndarray],
    counts: np.ndarray,
    batch_size: Callable[[int, int], int],
    max_buckets: int = MAX_BUCKETS,
    nested: bool = False,
) -> np.ndarray:
    """The largest key of each bucket, ascending; see `choose_buckets`.

    Args:
        keys: By which the kinds of pairs are sorted, (kinds,).
        sizes: Source length S and target length T of each kind.
        counts: Number of pairs of each kind.
        batch_size: Function from S and T to the batch size.
        max_buckets: Maximum number of buckets.
        nested: See `choose_buckets`.

    Example:
        >>> lengths, counts = np.array([2, 9]), np.array([4, 2])
        >>> bounds(lengths, (lengths, lengths), counts, lambda s, t: 2).tolist()
        [2, 9]
    """
    ends = np.unique(keys)
    if len(ends) > _CANDIDATES:
        ends = ends[np.linspace(0, len(ends) - 1, _CANDIDATES).round().astype(int)]
    piece = np.searchsorted(ends, keys)  # the smallest groups: keys in (ends[i-1], ends[i]]
    widest = np.zeros((2, len(ends)), int)
    for wide, lengths in zip(widest, sizes, strict=True):
        np.maximum.at(wide, piece, lengths)
    in_piece = np.zeros(len(ends), int)
    np.add.at(in_piece, piece, counts)

    cost = _group_costs(in_piece, widest, batch_size, nested)
    # best[k][j]: the minimum cost of the first j pieces in k + 1 groups.
    # begins[k - 1][j]: where the last of these groups begins.
    best, begins = [cost[0]], []
    for _ in range(1, min(max_buckets, len(ends))):
        totals = best[-1][:, None] + cost
        begins.append(totals.argmin(axis=0))
        best.append(totals.min(axis=0))
    finals = [float(row[-1]) for row in best]
    groups = next(k for k, total in enumerate(finals) if total <= 1.02 * min(finals))

    cuts = [len(ends)]
    for k in reversed(range(groups)):
        cuts.append(int(begins[k][cuts[-1]]))
    return ends[np.array(cuts[::-1]) - 1]


def _group_costs(
    counts: np.ndarray, widest: np.ndarray, batch_size: Callable[[int, int], int], nested: bool
) -> np.ndarray:
    """cost[i, j]: total batch size of pieces i to j - 1 as one group; infinite unless i < j."""
    pieces = len(counts)
    cost = np.full((pieces + 1, pieces + 1), np.inf)
    for i in range(pieces):
        rows = counts[i:].cumsum()
        sources, targets = np.maximum.accumulate(widest[:, i:], axis=1)
        for j, (n, s, t) in enumerate(zip(rows, sources, targets, strict=True), i + 1):
            size = min(batch_size(int(s), int(t)), int(n))
            cost[i, j] = -(-n // size) * size * (s * t if nested else s + t)
    return cost
