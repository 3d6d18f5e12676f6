"""Connections that end, however slow or silent a client is."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def connection_of(seconds: float) -> type[H11Protocol]:
    """A connection on which each request is sent, answered and read in limited time.

    Without a limit, clients that say nothing would keep all connections that a server may have.

    Args:
        seconds: The time, from the beginning of the connection or the end of the last answer.
    """

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # TCP only
            super().connection_made(transport)
            self._begin()

        def on_response_complete(self) -> None:
            self._end.cancel()
            self._begin()
            super().on_response_complete()

        def connection_lost(self, *reason: Any) -> None:
            self._end.cancel()
            super().connection_lost(*reason)

        def _begin(self) -> None:
            self._end = self.loop.call_later(seconds, self.transport.abort)

    return Connection
