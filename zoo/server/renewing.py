"""Newer versions of what is served: noticed on the disk, verified, and opened before they are."""

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from zoo.errors import reason_of
from zoo.server.servable import Servable

LOGGER = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class ModelSource:
    """Where a model comes from.

    Args:
        shown: Its path, for the log.
        known: The identity of what is served.
        identity: Function that returns another value after its files were changed.
        open: Function that verifies and opens what is there now, and raises a ValueError if it
            must not be served. None if changes are only written to the log.
        seconds: Time from one look at the files to the next.
    """

    shown: str
    known: object
    identity: Callable[[], object]
    open: Callable[[], Servable] | None = None
    seconds: float = 2.0


async def follow(source: ModelSource, serve: Callable[[Servable], None]) -> None:
    """Looks for changes until it is cancelled. A version that cannot be opened is never served.

    Args:
        source: Where the model comes from.
        serve: Function that serves a newer version, from the next request on.
    """
    known = source.known
    while True:
        await asyncio.sleep(source.seconds)
        current = await _in_thread(source.identity)
        if current == known:
            continue
        if source.open is None:
            LOGGER.warning(
                "%s was changed on the disk: what was opened is served on; --reload serves what is "
                "there now",
                source.shown,
            )
            known = current
            continue
        while (later := await _in_thread(source.identity)) != current:  # it is being written
            current = later
            await asyncio.sleep(source.seconds)
        known = current
        LOGGER.info("%s was changed on the disk: it is verified", source.shown)
        try:
            newer = await _in_thread(source.open)
        except Exception as error:  # whatever a damaged one raises
            reason = reason_of(error)
            LOGGER.error("%s is refused, what was opened is served on: %s", source.shown, reason)
            continue
        serve(newer)
        LOGGER.info("version %s of %s is served", newer.version, source.shown)


async def _in_thread(function: Callable[[], T]) -> T:
    """What a function returns, from a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(act: Callable[[], None]) -> None:
        if not future.done():
            act()

    def run() -> None:
        try:
            value = function()
        except Exception as error:
            failure = error
            act: Callable[[], None] = lambda: future.set_exception(failure)  # noqa: E731
        else:
            act = lambda: future.set_result(value)  # noqa: E731
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, act)

    threading.Thread(target=run, daemon=True, name="newer version").start()
    return await future
