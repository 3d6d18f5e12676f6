"""Dynamic batching: calls that wait at the same time are computed together, in one thread."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from zoo.preprocessing.base import BATCH
from zoo.server.joining import Sizes, compute, fit, sizes_of
from zoo.server.limits import RequestError
from zoo.server.servable import Arrays, ServedSignature

T = TypeVar("T")


@dataclass(eq=False)
class _Waiting:
    signature: ServedSignature
    arrays: Arrays
    sizes: Sizes = field(init=False)
    answer: asyncio.Future[Arrays] = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = sizes_of(self.signature, self.arrays)
        self.answer = asyncio.get_running_loop().create_future()

    @property
    def rows(self) -> int:
        return self.sizes.get(BATCH, 1)


class Batcher:
    """Computes calls in a single thread: neither LiteRT nor a stream may be called by two.

    Args:
        max_batch: Number of rows that are computed together.
        max_wait: Seconds to wait for further rows, counted from the first.
        waiting: Number of calls that may wait.
    """

    def __init__(self, max_batch: int, max_wait: float, waiting: int) -> None:
        self._max_batch, self._max_wait, self._limit = max_batch, max_wait, waiting
        self._queue: deque[_Waiting] = deque()
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._task: asyncio.Task[None] | None = None
        self.batches = 0

    def start(self) -> None:
        """Begins to compute; in a running event loop."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Refuses what waits, and ends the thread."""
        if self._task is not None:
            self._task.cancel()
        for each in self._queue:
            if not each.answer.done():
                each.answer.set_exception(RequestError("the server stops", 503))
        self._queue.clear()
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def call(self, signature: ServedSignature, calls: list[Arrays]) -> list[Arrays]:
        """The outputs of each call.

        Raises:
            RequestError: If too many wait.
        """
        if len(self._queue) + len(calls) > self._limit:
            raise RequestError("too many requests wait: try again later", 503)
        waiting = [_Waiting(signature, arrays) for arrays in calls]
        self._queue.extend(waiting)
        self._arrived.set()
        try:
            return list(await asyncio.gather(*(each.answer for each in waiting)))
        finally:
            for each in waiting:  # whoever asked has gone, or one of them has failed
                each.answer.cancel()

    async def in_thread(self, function: Callable[[], T]) -> T:
        """Runs a function where the model runs."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    async def _run(self) -> None:
        while True:
            await self._arrived.wait()
            await self._gather()
            batch = self._take()
            if self._queue:  # what did not fit into the batch is next
                self._arrived.set()
            else:
                self._arrived.clear()
            if batch:
                await self._compute(batch)

    async def _gather(self) -> None:
        """Waits until there are enough rows, or the time is over."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._max_wait
        while sum(each.rows for each in self._queue) < self._max_batch:
            self._arrived.clear()
            try:
                async with asyncio.timeout_at(end):
                    await self._arrived.wait()
            except TimeoutError:
                return

    def _take(self) -> list[_Waiting]:
        """The first call, and all others that fit to it, in order."""
        chosen: list[_Waiting] = []
        rest: deque[_Waiting] = deque()
        rows, most = 0, self._max_batch
        for each in self._queue:
            if each.answer.done():
                continue
            if not chosen:
                most = each.signature.fixed_rows or most
            fits = not chosen or (
                each.signature is chosen[0].signature
                and rows + each.rows <= most
                and all(fit(each.signature, x.sizes, each.sizes) for x in chosen)
            )
            (chosen if fits else rest).append(each)
            rows += each.rows * fits
        self._queue = rest
        return chosen

    async def _compute(self, batch: list[_Waiting]) -> None:
        signature, calls = batch[0].signature, [each.arrays for each in batch]
        self.batches += 1
        try:
            found: list[Any] = await self.in_thread(lambda: compute(signature, calls))
        except Exception as error:
            if len(batch) > 1:  # one row that the model refuses must not refuse the others
                for each in batch:
                    if not each.answer.done():
                        await self._compute([each])
                return
            found = [error]
        for each, outputs in zip(batch, found, strict=True):
            if each.answer.done():
                continue
            if isinstance(outputs, Exception):
                each.answer.set_exception(outputs)
            else:
                each.answer.set_result(outputs)

    async def pieces(self, iterator: Iterator[T]) -> Any:
        """The items of an iterator, each computed where the model runs, between other calls."""
        end = object()
        while (piece := await self.in_thread(lambda: next(iterator, end))) is not end:
            yield piece
