"""The command `serve`: a local HTTP server of a run or an artifact."""

import os
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import CheckDigests, arguments, load
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.generation_options import check_generation
from zoo.cli.memory import keep_few_shapes
from zoo.cli.tasks import Head, one_task
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.tasks.folder import CONFIG

LIMITS = "Limits"  # panel of `--help`


@takes("generation", *parameters(GenerationOptions, skip=("seed",)))
def serve(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_ARTIFACT",
            help="A run folder; or a SavedModel folder, a .tflite file or a folder of ONNX files "
            "that `export` wrote.",
        ),
    ],
    generation: dict[str, Any],
    name: Annotated[
        str | None,
        Option(help="Name of the model in addresses. Default: that of the folder or file."),
    ] = None,
    host: Annotated[
        str, Option(help="Address to listen at; 0.0.0.0 is every address of this computer.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(min=0, max=65535, help="Port to listen at; 0 is any free one.")
    ] = 8501,
    max_batch: Annotated[
        int, Option(min=1, help="Largest number of rows, of any requests, to compute together.")
    ] = 32,
    max_wait: Annotated[float, Option(min=0, help="Milliseconds to wait for further rows.")] = 2.0,
    metrics: Annotated[
        bool,
        Option(
            "--metrics",
            help="Count requests, seconds, rows of batches and answers by label, for Prometheus at "
            "/metrics.",
        ),
    ] = False,
    timeout: Annotated[
        float, Option(min=0.001, help="Seconds for an answer.", rich_help_panel=LIMITS)
    ] = 60.0,
    max_body: Annotated[
        int, Option(min=1, help="Largest body of a request, in bytes.", rich_help_panel=LIMITS)
    ] = 16 * 2**20,
    max_rows: Annotated[
        int, Option(min=1, help="Largest number of rows of a request.", rich_help_panel=LIMITS)
    ] = 1024,
    max_length: Annotated[
        int | None,
        Option(
            min=1,
            help="Largest number of token ids of a row, or of edges of a graph. Texts may have "
            "eight times as many bytes. Default: the length that the model was trained for, or "
            "2048 ids if it is not known; 8192 edges, and texts of 65536 bytes.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    max_answer: Annotated[
        int,
        Option(
            min=1,
            help="Maximum number of values (numbers and texts) in an answer; a number takes 100 "
            "bytes of memory.",
            rich_help_panel=LIMITS,
        ),
    ] = 2**22,
    public_key: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Serve an artifact only if its manifest was signed with this key; requires the "
            "extra `sign`.",
        ),
    ] = None,
    reload: Annotated[
        bool,
        Option(
            "--reload",
            help="Serve newer versions of an artifact, once they are verified. One that is refused "
            "is named in the log, and the version before is served on.",
        ),
    ] = False,
    head: Head = None,
    check_digests: CheckDigests = True,
) -> None:
    """Serve a run or an artifact over HTTP, with a page to try it.

    The server has TensorFlow Serving's REST API at /v1/models/NAME, and a page at /. Ctrl-C ends
    it. It requires the extra `serve`: pip install 'keras-attn\\[serve]'.

    [bold]Examples[/bold]

    \b
      keras-attn serve runs/reviews
      keras-attn serve served/en-de --port 0
      keras-attn serve runs/plays --host 0.0.0.0 --max-batch 8
    """
    generation = parsed(GenerationOptions, generation)
    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise UserError("serve requires starlette and uvicorn: pip install 'keras-attn[serve]'")
    if not source.exists():
        raise UserError(f"{source} does not exist")
    if public_key is not None and (source / CONFIG).exists():
        raise UserError("--public-key is for artifacts: a run has no signature")
    if reload and (source / CONFIG).exists():
        raise UserError("--reload is for artifacts: export the run, and serve the artifact")
    os.environ["KERAS_BACKEND"] = "tensorflow"  # of the signatures; the run may be of any other
    keep_few_shapes()
    load("zoo")  # without TensorFlow's log messages
    from zoo.server.limits import RequestLimits
    from zoo.server.metrics import PrometheusMetrics
    from zoo.server.run import listen, serve, server_of

    counted = PrometheusMetrics() if metrics else None
    where = listen(host, port)  # before the model, which takes seconds to load
    own = name or re.sub(r"[^\w.-]", "-", source.resolve().name.removesuffix(".tflite"))
    if not re.fullmatch(r"[\w.-]+", own):
        raise UserError(f"--name must consist of letters, digits, -, _ and ., got {own!r}")
    followed = _source(source, own, public_key, reload)  # before it is read
    servable = _servable(source, own, generation, head, check_digests, public_key)
    limits = RequestLimits(max_body, max_rows, ids=max_length, answer=max_answer, seconds=timeout)
    if max_length is not None:
        limits = replace(limits, length=max_length)
    server = server_of(servable, limits, max_batch, max_wait / 1000, followed, counted)
    first = next(iter(servable.signatures))
    serve(
        server,
        where,
        lambda url: print(
            f"{own}: {', '.join(servable.signatures)} (default: {first})\n"
            f"Page: {url}/\nREST: {url}/v1/models/{own}:predict",
            flush=True,
        ),
    )


def _source(source: Path, name: str, public_key: Path | None, reload: bool) -> Any:
    """Where newer versions come from; None for a run, whose training writes to it."""
    from zoo.server.opening import servable_of
    from zoo.server.renewing import ModelSource

    if (source / CONFIG).exists():
        return None
    renewing = load("export.renewing")

    def again() -> Any:
        return servable_of(name, renewing.open_verified(source, public_key))

    def identity() -> Any:
        return renewing.identity(source, listed=reload)

    return ModelSource(str(source), identity(), identity, again if reload else None)


def _servable(
    source: Path,
    name: str,
    generation: dict[str, Any],
    head: str | None,
    check_digests: bool,
    public_key: Path | None,
) -> Any:
    from zoo.server.opening import servable_of

    zoo, task = load("zoo"), None
    if (source / CONFIG).exists():
        task = one_task(zoo, source, head, check_digests)
        check_generation(task, generation)
        with arguments():
            opened = load("export.task_serving").open_task(task, **generation)
    else:
        if generation or head:
            raise UserError("an artifact has its options of generation and its head in it")
        with arguments():
            opened = load("export.serving").open_artifact(source, public_key)
    return servable_of(name, opened, task, generation)
