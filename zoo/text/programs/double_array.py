"""Slots of the entries of a sparse table, of which the rows lie one over the other."""

import numpy as np


class Slots:
    """The slots of a double array, and which of them are taken.

    Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure".
    Formula: the entry of row r and column c is at `base(r) + c`.

    Args:
        first: The first free slot. It is not less than the number of columns, so that no base is
            negative.

    Example:
        >>> slots = Slots(first=10)
        >>> slots.base_for(np.array([2, 5])), slots.base_for(np.array([0, 1]))
        (8, 11)
        >>> slots.bases_of_single(np.array([3, 1])).tolist()
        [11, 14]
    """

    BLOCK, SOME, SAMPLES = 4096, 16, (16, 128, 1024)

    def __init__(self, first: int) -> None:
        self._free, self.end = first, first
        self._taken = np.zeros(first + self.BLOCK, bool)
        self._starts: dict[int, int] = {}  # where rows of so many symbols found slots, at last

    def base_for(self, symbols: np.ndarray) -> int:
        """A base at which there are free slots for all symbols, which it takes.

        It is the least one, but for the slots that were full for other rows of as many symbols.
        """
        offsets = symbols - symbols[0]
        while self._taken[self._free]:
            self._free += 1
            self._grow(self._free)
        start = max(self._free, self._starts.get(len(symbols), 0))
        while True:
            self._grow(start + self.BLOCK + int(offsets[-1]))
            candidates = start + np.flatnonzero(~self._taken[start : start + self.BLOCK])
            if len(symbols) == 1:
                candidates = candidates[:1]
            index = self._first_fit(candidates, offsets)
            if index is not None:
                break
            start += self.BLOCK
        self._starts[len(symbols)] = start
        self._taken[index + offsets] = True
        self.end = max(self.end, index + int(offsets[-1]) + 1)
        return index - int(symbols[0])

    def bases_of_single(self, symbols: np.ndarray) -> np.ndarray:
        """A base for each of many rows of one symbol, whose slots are the least free ones."""
        self._grow(self.end + len(symbols))
        places = np.flatnonzero(~self._taken[self._free :])[: len(symbols)] + self._free
        self._taken[places] = True
        self.end = max(self.end, int(places.max(initial=-1)) + 1)
        return places - symbols

    def _first_fit(self, candidates: np.ndarray, offsets: np.ndarray) -> int | None:
        """The first candidate at which all slots are free; None if there is none."""
        for count in self.SAMPLES:  # nearly all fail at some of the slots
            some = offsets[:: max(1, len(offsets) // count)]
            candidates = candidates[~self._taken[candidates[:, None] + some].any(axis=1)]
            if len(some) == len(offsets):
                return int(candidates[0]) if len(candidates) else None
        for first in range(0, len(candidates), self.SOME):
            few = candidates[first : first + self.SOME]
            fits = ~self._taken[few[:, None] + offsets].any(axis=1)
            if fits.any():
                return int(few[np.argmax(fits)])
        return None

    def _grow(self, size: int) -> None:
        if size >= len(self._taken):
            self._taken = np.pad(self._taken, (0, size))
