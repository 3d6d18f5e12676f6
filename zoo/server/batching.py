"""Dynamic batching: calls that wait at the same time are computed together, in one thread."""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from zoo.server.joining import compute
from zoo.server.limits import RequestError, RequestLimits
from zoo.server.metrics import Metrics, NoMetrics
from zoo.server.queue import Queue, Waiting
from zoo.server.servable import Arrays, ServedSignature
from zoo.server.size import amounts_of, check, check_answer

T = TypeVar("T")
STOPS = "the server stops"


class Batcher:
    """Computes calls in a single thread: neither LiteRT nor a stream may be called by two.

    Args:
        max_batch: Number of rows that are computed together.
        max_wait: Seconds to wait for further rows, counted from the first.
        limits: How many calls may wait, and how much is computed together.
        metrics: What counts the batches.
    """

    def __init__(
        self,
        max_batch: int,
        max_wait: float,
        limits: RequestLimits,
        metrics: Metrics | None = None,
    ) -> None:
        self._metrics = metrics or NoMetrics()
        self._max_batch, self._max_wait, self._limits = max_batch, max_wait, limits
        self._queue = Queue(max_batch, limits)
        self._arrived, self._stopping = asyncio.Event(), asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._tasks: list[asyncio.Task[Any]] = []
        self.batches = 0

    def start(self) -> None:
        """Begins to compute; in a running event loop."""
        self._tasks = [
            asyncio.create_task(self._run()),
            asyncio.create_task(self._stopping.wait()),
        ]

    async def stop(self) -> None:
        """Refuses what waits, and ends the thread."""
        self.refuse()
        for each in self._tasks:
            each.cancel()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def refuse(self) -> None:
        """Answers all that wait, and all that still come, that the server stops."""
        self._stopping.set()
        for each in self._queue:
            if not each.answer.done():
                each.answer.set_exception(_stopped())
        self._queue.drop()

    async def call(
        self, signature: ServedSignature, calls: list[Arrays], caller: Hashable = None
    ) -> list[Arrays]:
        """The outputs of each call.

        If it is cancelled, since whoever asked has gone, what has not begun is not computed.

        Args:
            signature: The signature.
            calls: The inputs of each call.
            caller: Who asks: callers are served in turn.

        Raises:
            RequestError: If too many wait, a call is too much to be computed, or the server stops.
        """
        if len(self._queue) + len(calls) > self._limits.waiting:
            self._queue.drop()
        if len(self._queue) + len(calls) > self._limits.waiting:
            raise RequestError("too many requests wait: try again later", 503)
        if self._stopping.is_set():
            raise _stopped()
        amounts = [amounts_of(signature, arrays) for arrays in calls]
        for each in amounts:
            check(signature, each, self._limits)
        loop = asyncio.get_running_loop()
        waiting = [
            Waiting(signature, arrays, amount, loop.create_future())
            for arrays, amount in zip(calls, amounts, strict=True)
        ]
        self._queue.add(caller, waiting)
        self._arrived.set()
        try:
            return await self._answers(waiting)
        finally:
            for call in waiting:  # whoever asked has gone, or one of them has failed
                if not call.answer.cancel() and not call.answer.cancelled():
                    call.answer.exception()  # else asyncio logs that nobody looked at it

    async def _answers(self, waiting: list[Waiting]) -> list[Arrays]:
        """What is computed, as long as it is no more than an answer may have."""
        answers: list[Arrays] = []
        count = 0
        for each in waiting:
            answers.append(await each.answer)
            count += sum(array.size for array in answers[-1].values())
            check_answer(count, self._limits)
        return answers

    async def in_thread(self, function: Callable[[], T]) -> T:
        """Runs a function where the model runs.

        Raises:
            RequestError: If the server stops before it has returned.
        """
        future = asyncio.get_running_loop().run_in_executor(self._thread, function)
        try:
            stopping = self._tasks[1]
            await asyncio.wait({future, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                raise _stopped()
            return future.result()
        finally:
            future.cancel()  # if it has not begun

    async def _run(self) -> None:
        while True:
            await self._arrived.wait()
            await self._gather()
            batch = self._queue.take()
            if len(self._queue):  # what did not fit into the batch is next
                self._arrived.set()
            else:
                self._arrived.clear()
            if batch:
                await self._compute(batch)

    async def _gather(self) -> None:
        """Waits until there are enough rows, or the time is over."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._max_wait
        while self._queue.rows < self._max_batch:
            self._arrived.clear()
            try:
                async with asyncio.timeout_at(end):
                    await self._arrived.wait()
            except TimeoutError:
                return

    async def _compute(self, batch: list[Waiting]) -> None:
        signature, calls = batch[0].signature, [each.arrays for each in batch]
        self.batches += 1
        self._metrics.batch(sum(each.rows for each in batch))
        try:
            answers: list[Any] = await self.in_thread(lambda: compute(signature, calls))
        except Exception as error:
            if len(batch) > 1:  # one row that the model refuses must not refuse the others
                for each in batch:
                    if not each.answer.done():
                        await self._compute([each])
                return
            answers = [error]
        for each, outputs in zip(batch, answers, strict=True):
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


def _stopped() -> RequestError:
    return RequestError(STOPS, 503)
