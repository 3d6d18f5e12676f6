"""A random order of many numbers, of which any part is computed on its own."""

import numpy as np

ROUNDS = 8
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class Permutation:
    """A permutation of 0 ... count - 1 that needs no memory, whatever its length.

    A Feistel network permutes the numbers of an even number of bits; a number that is not below
    `count` is permuted again until it is, so that each comes exactly once.

    Source: Black & Rogaway 2002, "Ciphers with Arbitrary Finite Domains", cycle-walking cipher;
        the mixing function is that of Steele et al. 2014, SplitMix64.

    Args:
        random: Random generator, from which the keys are drawn.
        count: Number of elements N.

    Example:
        >>> order = Permutation(np.random.default_rng(0), 10**12)
        >>> len(order), len(set(order[np.arange(1000)].tolist()))
        (1000000000000, 1000)
        >>> sorted(Permutation(np.random.default_rng(0), 5)[:].tolist())
        [0, 1, 2, 3, 4]
    """

    def __init__(self, random: np.random.Generator, count: int) -> None:
        self._count = count
        self._half = np.uint64(max(1, -(-max(count - 1, 1).bit_length() // 2)))
        self._mask = np.uint64((1 << int(self._half)) - 1)
        self._keys = random.integers(2**64, size=ROUNDS, dtype=np.uint64)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, indices: slice | np.ndarray) -> np.ndarray:
        """The elements, int64, at indices of the permutation: a slice or an array."""
        if isinstance(indices, slice):
            indices = np.arange(*indices.indices(self._count))
        numbers = self._permuted(np.asarray(indices).astype(np.uint64))
        while len(outside := np.flatnonzero(numbers >= self._count)):
            numbers[outside] = self._permuted(numbers[outside])
        return numbers.astype(np.int64)

    def _permuted(self, numbers: np.ndarray) -> np.ndarray:
        left, right = numbers >> self._half, numbers & self._mask
        for key in self._keys:
            left, right = right, left ^ (_mixed(right ^ key) & self._mask)
        return (left << self._half) | right


class Permuted:
    """Batches whose random order takes no memory, as those of data on the disk."""

    def shuffled(self, count: int, random: np.random.Generator) -> Permutation:
        """A random order of `count` things."""
        return Permutation(random, count)


def _mixed(x: np.ndarray) -> np.ndarray:
    """Mixes the bits of numbers, uint64; arithmetic wraps around."""
    x = (x ^ (x >> np.uint64(30))) * _MULTIPLIERS[0]
    x = (x ^ (x >> np.uint64(27))) * _MULTIPLIERS[1]
    return x ^ (x >> np.uint64(31))
