"""BPE-dropout: byte-pair encoding of which merges are left out at random."""

import numpy as np

from zoo.text.programs.merges import NO_MERGE, Merges


class BPEDropout:
    """Splits words into pieces by byte-pair encoding, each time into others.

    Source: Provilkov et al. 2020, algorithm 1, as the authors' code for `subword-nmt` applies it.

    Before each merge, every pair of neighbors that could be merged is left out with probability
    `rate`. Of the pairs that remain, the one that was learned first is merged, wherever it remains.
    A word is finished when none remains. With rate 0 the pieces are those of `Merges`, with rate 1
    the symbols stay as they are.

    Args:
        merges: The merges.
        rate: Probability of leaving out a pair, from 0 to 1.

    Example:
        >>> dropout = BPEDropout(Merges([(0, 1), (2, 0)], [2, 3], size=4), rate=0.5)
        >>> symbols, words = np.array([0, 1, 0, 0, 1, 0, 0, 1, 0]), np.repeat([0, 1, 2], 3)
        >>> ids, of = dropout(symbols, words, np.random.default_rng(1))
        >>> [ids[of == word].tolist() for word in range(3)]
        [[2, 0], [3], [3]]
    """

    def __init__(self, merges: Merges, rate: float) -> None:
        self._merges, self._rate = merges, rate

    def __call__(
        self, symbols: np.ndarray, words: np.ndarray, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """The pieces of words, and the word of each piece.

        Args:
            symbols: Ids of the symbols of all words, (M,).
            words: The number of the word of each symbol, (M,), ascending.
            random: Decides what is left out.
        """
        done: list[tuple[np.ndarray, np.ndarray]] = [(symbols[:0], words[:0])]
        while len(symbols):
            ranks = self._remaining(symbols, words, random)
            begins = np.flatnonzero(np.diff(words, prepend=-1))
            first = np.minimum.reduceat(ranks, begins)
            counts = np.diff(begins, append=len(words))
            finished = np.repeat(first == NO_MERGE, counts)
            done.append((symbols[finished], words[finished]))
            chosen = _without_overlap(~finished & (ranks == np.repeat(first, counts)))
            merged = self._merges.merged[np.where(chosen, ranks, 0)]
            kept = ~finished
            kept[1:] &= ~chosen[:-1]
            symbols, words = np.where(chosen, merged, symbols)[kept], words[kept]
        pieces, of = (np.concatenate(parts) for parts in zip(*done, strict=True))
        order = np.argsort(of, kind="stable")
        return pieces[order], of[order]

    def _remaining(
        self, symbols: np.ndarray, words: np.ndarray, random: np.random.Generator
    ) -> np.ndarray:
        """The rank of each symbol with the next one; `NO_MERGE` of those that are left out."""
        ranks = np.full(len(symbols), NO_MERGE)
        ranks[:-1] = self._merges.ranks(symbols[:-1], symbols[1:])
        ranks[:-1][words[:-1] != words[1:]] = NO_MERGE
        ranks[random.random(len(ranks)) < self._rate] = NO_MERGE
        return ranks


def _without_overlap(chosen: np.ndarray) -> np.ndarray:
    """Every other position of each run, from its first, since an id is merged with one neighbor.

    Example:
        >>> _without_overlap(np.array([True, True, True, False, True])).astype(int).tolist()
        [1, 0, 1, 0, 1]
    """
    index = np.arange(len(chosen))
    begins = chosen.copy()
    begins[1:] &= ~chosen[:-1]
    start = np.maximum.accumulate(np.where(begins, index, 0))
    return chosen & ((index - start) % 2 == 0)
