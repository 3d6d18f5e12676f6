"""The calls that wait, in turn: one of each caller, then the next of each."""

import asyncio
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from zoo.preprocessing.base import BATCH
from zoo.server.joining import fit, sizes_of
from zoo.server.limits import RequestLimits
from zoo.server.servable import Arrays, ServedSignature
from zoo.server.size import Amounts, fits, together

Sizes = dict[str, int]


@dataclass(eq=False)
class Waiting:
    """A call that waits for its answer.

    Args:
        signature: The signature.
        arrays: Its inputs.
        amounts: How much they are.
        answer: What it will be answered; done also if nobody waits for it any more.
    """

    signature: ServedSignature
    arrays: Arrays
    amounts: Amounts
    answer: asyncio.Future[Arrays]
    sizes: Sizes = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = sizes_of(self.signature, self.arrays)

    @property
    def rows(self) -> int:
        """Its number of rows."""
        return self.sizes.get(BATCH, 1)


class Queue:
    """Calls that wait, by caller. Who sends a thousand rows does not hold up who sends one.

    Args:
        max_batch: Number of rows that are computed together.
        limits: How much is computed together.
    """

    def __init__(self, max_batch: int, limits: RequestLimits) -> None:
        self._max_batch, self._limits = max_batch, limits
        self._callers: dict[Hashable, deque[Waiting]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._callers.values()))

    def add(self, caller: Hashable, calls: list[Waiting]) -> None:
        """Puts the calls of a caller at the end of its own."""
        self._callers.setdefault(caller, deque()).extend(calls)

    def drop(self) -> None:
        """Forgets the calls that nobody waits for."""
        for caller, calls in list(self._callers.items()):
            left = deque(each for each in calls if not each.answer.done())
            if left:
                self._callers[caller] = left
            else:
                del self._callers[caller]

    def __iter__(self) -> Iterator[Waiting]:
        """All calls, in turn."""
        turns = chain.from_iterable(zip_longest(*self._callers.values()))
        return (each for each in turns if each is not None)

    @property
    def rows(self) -> int:
        """The number of rows that wait."""
        return sum(each.rows for each in self)

    def take(self) -> list[Waiting]:
        """The first call, and others that fit to it; its caller is the last in the next turn."""
        self.drop()
        chosen: list[Waiting] = []
        rows, most, amounts = 0, self._max_batch, Amounts()
        for each in self:
            if not chosen:
                most = each.signature.fixed_rows or most
            elif rows >= most:
                break
            elif not self._fits(each, chosen, rows, most, amounts):
                continue
            chosen.append(each)
            amounts = together([amounts, each.amounts])
            rows += each.rows
        taken = set(map(id, chosen))
        first = None
        for caller, calls in list(self._callers.items()):
            if chosen and chosen[0] is calls[0]:
                first = caller
            self._callers[caller] = deque(each for each in calls if id(each) not in taken)
        if first is not None:
            self._callers[first] = self._callers.pop(first)
        self._callers = {caller: calls for caller, calls in self._callers.items() if calls}
        return chosen

    def _fits(
        self, each: Waiting, chosen: list[Waiting], rows: int, most: int, amounts: Amounts
    ) -> bool:
        signature = chosen[0].signature
        return (
            each.signature is signature
            and rows + each.rows <= most
            and all(fit(signature, x.sizes, each.sizes) for x in chosen)
            and fits(signature, together([amounts, each.amounts]), self._limits)
        )
