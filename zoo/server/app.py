"""The addresses of the server, as TensorFlow Serving has them, and `:stream`."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from zoo.server import responses
from zoo.server.batching import STOPS, Batcher
from zoo.server.bodies import read_body
from zoo.server.errors import TOO_LONG, error_of
from zoo.server.joining import count_united, united
from zoo.server.limits import TEXT_FACTOR, BeyondLimit, RequestError, RequestLimits
from zoo.server.metrics import Metrics, NoMetrics
from zoo.server.page import page, policy
from zoo.server.renewing import ModelSource, follow
from zoo.server.requests import call_of, parse, text_of
from zoo.server.servable import Servable
from zoo.server.size import check_answer

T = TypeVar("T")
LOGGER = logging.getLogger(__name__)
TEXT = "text"
NO_ATTENTION = (
    "this model shows no attention over a text or an image: use :predict with the signature "
    "attention, if it has one"
)


class NameConvertor(StringConvertor):
    """The name of a model in a path, up to the verb."""

    regex = "[^/:]+"


register_url_convertor("model", NameConvertor())


class Server:
    """Answers the requests to a model.

    Args:
        servable: The model.
        batcher: Where it is computed.
        limits: What a request may ask.
        source: Where the model comes from, to notice newer versions.
        metrics: What counts requests and answers.
    """

    def __init__(
        self,
        servable: Servable,
        batcher: Batcher,
        limits: RequestLimits,
        source: ModelSource | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.servable, self.batcher, self.limits = servable, batcher, limits
        self.metrics = metrics or NoMetrics()
        self._source = source

    def serve(self, newer: Servable) -> None:
        """Serves a newer version from the next request on; those that wait get the older one's."""
        self.servable = newer

    def app(self) -> Starlette:
        """The ASGI application."""

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self.batcher.start()
            following = self._source and asyncio.create_task(follow(self._source, self.serve))
            try:
                yield
            finally:
                if following:
                    following.cancel()
                await self.batcher.stop()

        posts = {
            "predict": self.predict,
            "stream": self.stream,
            "attention": self.attention,
            "classify": self.no_examples,
            "regress": self.no_examples,
        }
        routes = [Route("/", _answered(self.page)), Route("/metrics", _answered(self.counts))]
        for start in (
            "/v1/models/{name:model}",
            "/v1/models/{name:model}/versions/{version:model}",
        ):
            routes += [
                Route(f"{start}:{verb}", _answered(each), methods=["POST"])
                for verb, each in posts.items()
            ]
            routes += [
                Route(f"{start}/metadata", _answered(self.metadata)),
                Route(f"{start}/files", _answered(self.files)),
                Route(start, _answered(self.status)),
            ]
        handlers: Any = {HTTPException: _malformed}
        return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)

    async def page(self, _: Request) -> Response:
        text = page(self.servable)
        return HTMLResponse(text, headers={"Content-Security-Policy": policy()})

    async def counts(self, _: Request) -> Response:
        """The counts, for Prometheus."""
        content = self.metrics.text()
        if content is None:
            raise RequestError("nothing is counted: serve with --metrics", 404)
        return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def status(self, request: Request) -> Response:
        self._check_model(request)
        return JSONResponse(responses.status(self.servable))

    async def metadata(self, request: Request) -> Response:
        self._check_model(request)
        return JSONResponse(responses.metadata(self.servable))

    async def files(self, request: Request) -> Response:
        """What a client that computes with ids needs, such as the tokenizer."""
        self._check_model(request)
        return JSONResponse({"files": dict(self.servable.beside)})

    async def no_examples(self, request: Request) -> Response:
        """Refuses `:classify` and `:regress`, which take serialized examples."""
        self._check_model(request)
        raise RequestError("this model has no signature to classify or regress: use :predict")

    async def predict(self, request: Request) -> Response:
        """Answers `:predict`."""
        self._check_model(request)
        call = call_of(self.servable, await self._json(request), self.limits)
        work = self.batcher.call(call.signature, call.calls, request.client or object())
        answers = await _awaited(request, work)
        self.metrics.answers(answers)
        beside = {"unused_columns": [*call.unused]} if call.unused else {}
        if call.by_row:
            return JSONResponse({"predictions": responses.predictions(answers), **beside})
        check_answer(count_united(answers), self.limits)
        outputs = responses.columns(united(call.signature, answers))
        return JSONResponse({"outputs": outputs, **beside})

    async def attention(self, request: Request) -> Response:
        """Answers `:attention`: the attention maps of an input."""
        self._check_model(request)
        if self.servable.attention is None:
            raise RequestError(NO_ATTENTION, 404)
        name, show = self.servable.attention
        value = await self._only(request, name)
        work = self.batcher.in_thread(lambda: show(value))
        return JSONResponse(await _awaited(request, work))

    async def stream(self, request: Request) -> Response:
        """Answers `:stream`: a JSON object with a piece of text in each line."""
        self._check_model(request)
        start = self.servable.stream
        if start is None:
            raise RequestError(self.servable.no_stream, 404)
        text = (await self._only(request, TEXT)).decode(errors="replace")
        iterator = await _awaited(request, self.batcher.in_thread(lambda: start(text)))
        end = asyncio.get_running_loop().time() + self.limits.seconds

        async def lines() -> AsyncIterator[str]:
            try:
                async with asyncio.timeout_at(end):
                    async for piece in self.batcher.pieces(iterator):
                        yield json.dumps({"text": piece}) + "\n"
            except TimeoutError:
                yield json.dumps({"error": str(TOO_LONG)}) + "\n"
            except Exception as error:
                yield json.dumps({"error": error_of(error)[0]}) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    def _check_model(self, request: Request) -> None:
        name, version = request.path_params["name"], request.path_params.get("version")
        if name != self.servable.name or version not in (None, self.servable.version):
            wanted = f"Specific({name[:80]}, {version[:80]})" if version else f"Latest({name[:80]})"
            raise RequestError(f"Servable not found for request: {wanted}", 404)

    async def _json(self, request: Request) -> dict[str, Any]:
        encoding = request.headers.get("content-encoding", "")
        return parse(await read_body(request.stream(), encoding, self.limits.body))

    async def _only(self, request: Request, name: str) -> bytes:
        """The text or the bytes of a request that has nothing else."""
        body = await self._json(request)
        if set(body) != {name}:
            raise RequestError(f"expected an object with {name}")
        content, most = text_of(body[name], name), TEXT_FACTOR * self.limits.length
        if name == TEXT and len(content) > most:
            raise BeyondLimit(f"a text of {len(content)} bytes; at most {most}")
        return content

    async def timed(
        self, answer: Callable[[Request], Awaitable[Response]], request: Request
    ) -> Any:
        """The answer, if it is there in time."""
        async with asyncio.timeout(self.limits.seconds):
            return await answer(request)


async def _awaited(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What is computed for a request whose body was read, if its connection stays open."""
    gone = asyncio.create_task(_gone(request))
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        gone.cancel()
        task.cancel()


async def _gone(request: Request) -> None:
    """Returns when the connection of a request is closed."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answered(
    answer: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """The answer with its line in the log; an error as JSON, never with a traceback."""
    server: Server = answer.__self__  # type: ignore[attr-defined]  # a method

    async def handle(request: Request) -> Response:
        start = time.perf_counter()
        try:
            response: Response = await server.timed(answer, request)
        except ClientDisconnect:
            response = Response(status_code=400)
        except asyncio.CancelledError:  # the time is over for the answers of a server that stops
            response = JSONResponse({"error": STOPS}, 503)
        except Exception as error:
            message, status = error_of(error)
            response = JSONResponse({"error": message}, status)
        spent = time.perf_counter() - start
        server.metrics.request(answer.__name__, response.status_code, spent)
        _log(request, f"{response.status_code} {1000 * spent:.1f} ms")
        return response

    return handle


async def _malformed(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    _log(request, str(status))
    method, path = request.method[:20], request.url.path[:200]
    return JSONResponse({"error": f"Malformed request: {method} {path}"}, status)


def _log(request: Request, outcome: str) -> None:
    """Writes a line whose path cannot begin another one, or change the terminal."""
    path = request.url.path[:200].encode("unicode_escape").decode()
    LOGGER.info("%s %s %s", request.method, path, outcome)
