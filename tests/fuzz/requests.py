"""Targets of requests to a server: whole ones, and bodies in JSON."""

import asyncio
import json
import logging
import re
import socket
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from tests.fuzz.guard import Unexpected, check_message
from tests.fuzz.target import Target
from tests.zoo.server.test_server import MODEL, PREDICT, SERVABLE, SIGNATURES
from zoo.server.limits import RequestLimits
from zoo.server.run import server_of

LIMITS = RequestLimits(body=50_000, rows=7, length=50, seconds=0.2)
SUMS = replace(
    SIGNATURES["serving_default"],
    outputs={"sum": SIGNATURES["serving_default"].outputs["sum"]},
    run=lambda arrays: {"sum": arrays["ids"].sum(1)},
)
SERVED = replace(SERVABLE, signatures={**SIGNATURES, "serving_default": SUMS})
BODIES: dict[str, Any] = {
    "rows": {"instances": [[1, 2, 3], [4]]},
    "columns": {"inputs": {"ids": [[1, 2], [3, 4]]}},
    "means": {
        "signature_name": "means",
        "inputs": {"values": [[1, 2.5], [None, 3]], "more": [1, 2]},
    },
    "texts": {"signature_name": "lengths", "instances": ["a", {"text": "é"}, {"b64": "AP8B"}]},
    "stream": {"text": "two dogs"},
}
CHUNKED = b'Transfer-Encoding: chunked\r\n\r\n6\r\n{"inst\r\nd\r\nances":[[1]]}\r\n0\r\n\r\n'
ANSWERS = {b"100", b"200", b"400", b"404", b"405", b"413", b"415", b"503", b"504"}
ATTEMPTS = 50
GOOD, RIGHT = {"instances": [[5, 6]]}, b'{"predictions":[11]}'


def bodies(folder: Path) -> None:
    for name, body in BODIES.items():
        (folder / f"{name}.json").write_text(json.dumps(body), "utf-8")


def requests(folder: Path) -> None:
    """Requests of each kind."""
    for name, body in BODIES.items():
        (folder / name).write_bytes(post(name, json.dumps(body).encode()))
    (folder / "parts").write_bytes(f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\n".encode() + CHUNKED)
    for name, path in {"page": "/", "metadata": f"{MODEL}/versions/1/metadata"}.items():
        (folder / name).write_bytes(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())


def post(name: str, body: bytes) -> bytes:
    path = f"{MODEL}:stream" if name == "stream" else PREDICT
    facts = f"Host: a\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    return f"POST {path} HTTP/1.1\r\n{facts}".encode() + body


def ask(path: Path) -> None:
    """Sends a request, and then a good one, which has to be answered as ever."""
    if not path.is_file():
        return
    content = path.read_bytes()
    request = post(path.stem, content) if path.suffix == ".json" else content
    errors = Errors()
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(errors)
    try:
        answer, right = asyncio.run(answers(request))
    finally:
        logger.removeHandler(errors)
    actual = set(re.findall(rb"HTTP/1\.1 (\d+) ", answer))
    if not actual <= ANSWERS or errors.found or not right.endswith(RIGHT):
        raise Unexpected((actual, errors.found, right))
    for said in re.findall(rb'\{"error":(".*?[^\\]")\}', answer):
        check_message(json.loads(said))


async def answers(request: bytes) -> tuple[bytes, bytes]:
    """What a server of its own answers to a request, and then to a good one."""
    good = post("rows", json.dumps(GOOD).encode())
    config: Config = server_of(SERVED, LIMITS, 8, 0).config
    config.load()
    app: Any = config.app
    async with app.router.lifespan_context(app):
        answer = await answered(config, request)
        for _ in range(ATTEMPTS):
            right = await answered(config, good)
            if right.endswith(RIGHT):  # or it was too slow, on a machine that does other work
                break
    return answer, right


async def answered(config: Config, request: bytes) -> bytes:
    """The answers on a connection until it is closed."""
    ours, theirs = socket.socketpair()
    protocol: Any = config.http_protocol_class
    loop = asyncio.get_running_loop()
    await loop.connect_accepted_socket(
        lambda: protocol(config=config, server_state=ServerState(), app_state={}), theirs
    )
    reader, writer = await asyncio.open_connection(sock=ours)
    with closing(writer):
        writer.write(request)
        actual = bytearray()
        try:
            while part := await reader.read(1 << 16):
                actual += part
        except ConnectionError:  # closed while we were writing
            pass
    return bytes(actual)


class Errors(logging.Handler):
    """What the server logs about exceptions that were not expected."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record))


TARGETS = {
    "bodies of requests": Target(bodies, ask),
    "requests": Target(requests, ask),
}
