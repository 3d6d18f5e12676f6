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
    """

    BLOCK = 4096

    def __init__(self, first: int) -> None:
        self._free, self.end = first, first
        self._taken = np.zeros(first + self.BLOCK, bool)

    def base_for(self, symbols: np.ndarray) -> int:
        """The least base at which there are free slots for all symbols, which it takes."""
        offsets = symbols - symbols[0]
        while self._taken[self._free]:
            self._free += 1
            self._grow(self._free)
        start = self._free
        while True:
            self._grow(start + self.BLOCK + int(offsets[-1]))
            candidates = start + np.flatnonzero(~self._taken[start : start + self.BLOCK])
            if len(symbols) == 1:
                candidates = candidates[:1]
            fits = ~self._taken[candidates[:, None] + offsets].any(axis=1)
            if fits.any():
                break
            start += self.BLOCK
        index = int(candidates[np.argmax(fits)])
        self._taken[index + offsets] = True
        self.end = max(self.end, index + int(offsets[-1]) + 1)
        return index - int(symbols[0])

    def _grow(self, size: int) -> None:
        if size >= len(self._taken):
            self._taken = np.pad(self._taken, (0, size))
