"""A server in a thread of the test, and requests to it."""

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from zoo.server.limits import RequestLimits
from zoo.server.metrics import Metrics
from zoo.server.page import page
from zoo.server.renewing import ModelSource
from zoo.server.run import listen, server_of
from zoo.server.servable import Servable

PLAIN = "/metrics"  # of which the answer is no JSON, like that of the page


class Client:
    """Requests to a server at a port."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the JSON of an answer; a body makes it a POST request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        encoded = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request("GET" if body is None else "POST", path, encoded)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content if path in ("/", PLAIN) else json.loads(content)


async def _slow(_: Any) -> Response:
    """What a browser waits for before it takes a page for complete."""
    await asyncio.sleep(5)
    return Response()


@contextmanager
def serving(
    servable: Servable,
    limits: RequestLimits | None = None,
    max_batch: int = 8,
    max_wait: float = 0.005,
    script: str = "",
    source: ModelSource | None = None,
    metrics: Metrics | None = None,
) -> Iterator[Client]:
    """A running server, which has ended afterwards. At /scripted, its page runs a script more."""
    where = listen("127.0.0.1", 0)
    server = server_of(servable, limits or RequestLimits(), max_batch, max_wait, source, metrics)
    scripted = f"{page(servable)}<script>{script}</script><img src='/slow'>"
    app: Any = server.config.app
    app.routes.append(Route("/scripted", lambda _: HTMLResponse(scripted)))
    app.routes.append(Route("/slow", _slow))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where]})
    thread.start()
    try:
        yield Client(where.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        where.close()
        assert not thread.is_alive()
