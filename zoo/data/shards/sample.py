"""A random sample of rows, bounded in characters, while data is read once."""

import random

from zoo.data.in_memory import InMemory

CHARACTERS = 1 << 26  # of a sample


class Sample:
    """Keeps all rows or, if they are too long in all, each with the same probability.

    Args:
        characters: Maximum number of characters of the sample, unless it is one row.
        seed: Random seed.

    Example:
        >>> from zoo.data.readers.pairs import Pairs
        >>> sample = Sample(characters=20)
        >>> for n in range(10):
        ...     sample.add(Pairs("", [f"row {n}"], ["a row"]))
        >>> sample.rows, len(sample.examples())
        (10, 2)
    """

    def __init__(self, characters: int = CHARACTERS, seed: int = 0) -> None:
        self.rows = 0  # that were read
        self._limit = characters
        self._random, self._share, self._size = random.Random(seed), 1.0, 0
        self._kept: list[tuple[str, ...]] = []
        self._last: InMemory | None = None

    def add(self, examples: InMemory) -> None:
        """Adds the rows of examples."""
        self._last = examples
        for row in zip(*examples.columns.values(), strict=True):
            self.rows += 1
            if self._share == 1 or self._random.random() < self._share:
                self._kept.append(row)
                self._size += sum(map(len, row))
                while self._size > self._limit and len(self._kept) > 1:
                    self._halve()

    def _halve(self) -> None:
        self._share /= 2
        kept = [row for row in self._kept if self._random.random() < 0.5]
        self._kept = kept or self._kept[:1]
        self._size = sum(len(text) for row in self._kept for text in row)

    def examples(self) -> InMemory:
        """The rows that were kept, as examples."""
        assert self._last is not None
        columns = zip(*self._kept, strict=True)
        kept = {name: list(each) for name, each in zip(self._last.columns, columns, strict=True)}
        return self._last.with_columns(kept)
