"""A random sample of rows, bounded in characters, while data is read once."""

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

CHARACTERS = 1 << 26  # of a sample


class Sample:
    """Keeps all rows or, if they are too long in all, each with the same probability.

    Args:
        names: Names of the columns of examples: lists with a text for each row, or None.
        characters: Maximum number of characters of the sample, unless it is one row.
        seed: Random seed.

    Example:
        >>> from zoo.data.readers.pairs import Pairs
        >>> sample = Sample(("sources", "targets"), characters=20)
        >>> for n in range(10):
        ...     sample.add(Pairs("", [f"row {n}"], ["a row"]))
        >>> sample.rows, len(sample.examples())
        (10, 2)
    """

    def __init__(self, names: Sequence[str], characters: int = CHARACTERS, seed: int = 0) -> None:
        self.rows = 0  # that were read
        self._names, self._limit = names, characters
        self._random, self._share, self._size = random.Random(seed), 1.0, 0
        self._kept: list[tuple[str, ...]] = []
        self._last: Any = None

    def add(self, examples: Any) -> None:
        """Adds the rows of examples."""
        self._last = examples
        present = self._present
        for row in zip(*(getattr(examples, name) for name in present), strict=True):
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

    @property
    def _present(self) -> list[str]:
        return [name for name in self._names if getattr(self._last, name) is not None]

    def examples(self) -> Any:
        """The rows that were kept, as examples."""
        columns = zip(*self._kept, strict=True)
        kept = {name: list(each) for name, each in zip(self._present, columns, strict=True)}
        return dataclasses.replace(self._last, **kept)
