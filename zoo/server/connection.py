"""Connections that end, however slow or silent a client is."""

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REST = 5.0  # seconds for the rest of a body whose request was answered before


def connection_of(seconds: float, finish: float, stop: Callable[[], None]) -> type[H11Protocol]:
    """A connection on which each request is sent, answered and read in limited time.

    Without a limit, clients that say nothing would keep all connections that a server may have.

    Args:
        seconds: The time, from the beginning of the connection or the end of the last answer.
        finish: The time for the answers that are not there yet when the server is told to stop.
        stop: Function to call then, which ends them.
    """

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # TCP only
            super().connection_made(transport)
            self._begin(seconds)

        def on_response_complete(self) -> None:
            left = self._end.when() - self.loop.time()
            self._end.cancel()
            whole = self.conn.their_state is not h11.SEND_BODY
            self._begin(seconds if whole else min(left, REST))
            super().on_response_complete()

        def connection_lost(self, *reason: Any) -> None:
            self._end.cancel()
            super().connection_lost(*reason)

        def shutdown(self) -> None:
            super().shutdown()
            self.loop.call_later(finish, stop)

        def _begin(self, time: float) -> None:
            self._end = self.loop.call_later(max(0.0, time), self.transport.abort)

    return Connection
