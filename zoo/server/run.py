"""The server of a model, which runs until it is told to stop."""

import logging
import socket
import sys
from collections.abc import Callable

import uvicorn

from zoo.errors import UserError
from zoo.server.app import Server
from zoo.server.batching import Batcher
from zoo.server.connection import connection_of
from zoo.server.limits import RequestLimits
from zoo.server.metrics import Metrics
from zoo.server.renewing import ModelSource
from zoo.server.servable import Servable

CONNECTIONS = 1000
FINISH, GRACE = 9, 10  # seconds for the answers to requests, when the server is told to stop


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is any that is free.

    Raises:
        UserError: If the address cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot listen at {host}:{port}: {error}") from None
    return listener


def server_of(
    servable: Servable,
    limits: RequestLimits,
    max_batch: int,
    max_wait: float,
    source: ModelSource | None = None,
    metrics: Metrics | None = None,
) -> uvicorn.Server:
    """The HTTP server of a model.

    Args:
        servable: The model.
        limits: What a request may ask.
        max_batch: Number of rows that are computed together.
        max_wait: Seconds to wait for further rows.
        source: Where the model comes from, to notice newer versions.
        metrics: What counts requests, which `/metrics` then shows.
    """
    batcher = Batcher(max_batch, max_wait, limits, metrics)
    config = uvicorn.Config(
        Server(servable, batcher, limits, source, metrics).app(),
        http=connection_of(2 * limits.seconds, FINISH, batcher.refuse),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)


def serve(server: uvicorn.Server, where: socket.socket, started: Callable[[str], None]) -> None:
    """Answers requests until SIGINT or SIGTERM, and then finishes those that it has.

    Args:
        server: The server.
        where: The socket to listen at.
        started: Function to call with the address.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("zoo.server")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    host, port = where.getsockname()[:2]
    try:
        started(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        server.run(sockets=[where])
    finally:
        logger.removeHandler(handler)
        where.close()
