"""Few shapes, little padding: which lengths share a batch shape."""

import itertools
from collections.abc import Callable

import numpy as np

MAX_BUCKETS = 5
_CANDIDATES = 128


def choose_buckets(
    source_lengths: np.ndarray,
    target_lengths: np.ndarray,
    batch_size: Callable[[int, int], int],
    max_buckets: int = MAX_BUCKETS,
) -> list[np.ndarray]:
    """Splits pairs into groups that are padded to one shape each.

    Pairs are ordered by the longer of their lengths, each relative to its mean, and cut where the
    whole, filled to full batches, takes the fewest positions (dynamic programming over the cuts).
    Since every shape costs a compilation, the fewest groups within 2 % of the best are taken.

    Args:
        source_lengths: (pairs,) S of each pair.
        target_lengths: (pairs,) T of each pair.
        batch_size: rows of a batch of shape (S, T).
        max_buckets: the most groups.

    Returns:
        For each group the indices of its pairs, ascending.

    Example:
        >>> lengths = np.array([2, 9, 2, 9, 2, 2])
        >>> [group.tolist() for group in choose_buckets(lengths, lengths, lambda s, t: 2)]
        [[0, 2, 4, 5], [1, 3]]
    """
    keys = np.maximum(
        source_lengths / source_lengths.mean(), target_lengths / target_lengths.mean()
    )
    ends = np.unique(keys)
    if len(ends) > _CANDIDATES:
        ends = ends[np.linspace(0, len(ends) - 1, _CANDIDATES).round().astype(int)]
    piece = np.searchsorted(ends, keys)  # the finest groups: keys in (ends[i-1], ends[i]]
    counts = np.bincount(piece, minlength=len(ends))
    widest = np.zeros((2, len(ends)), int)
    np.maximum.at(widest[0], piece, source_lengths)
    np.maximum.at(widest[1], piece, target_lengths)

    cost = _group_costs(counts, widest, batch_size)
    # best[k][j]: the least cost of the first j pieces in k groups, and where its last group begins
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
    edges = [0, *reversed(cuts)]
    return [
        np.flatnonzero((piece >= low) & (piece < high)) for low, high in itertools.pairwise(edges)
    ]


def _group_costs(
    counts: np.ndarray, widest: np.ndarray, batch_size: Callable[[int, int], int]
) -> np.ndarray:
    """cost[i, j]: positions that pieces i to j-1 take as one group; infinite unless i < j."""
    pieces = len(counts)
    cost = np.full((pieces + 1, pieces + 1), np.inf)
    for i in range(pieces):
        rows = counts[i:].cumsum()
        sources, targets = np.maximum.accumulate(widest[:, i:], axis=1)
        for j, (n, s, t) in enumerate(zip(rows, sources, targets, strict=True), i + 1):
            size = min(batch_size(int(s), int(t)), int(n))
            cost[i, j] = -(-n // size) * size * (s + t)
    return cost
