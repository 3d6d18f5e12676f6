"""The command `bench`."""

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, load, show_json
from zoo.errors import UserError
from zoo.json_file import write_json
from zoo.nearest import offered

LAYERS, MODELS, DECODING = "layers", "models", "decoding"
PARTS = (LAYERS, MODELS, DECODING)
TITLES = "| what | by | ms | least ms | a second | times the first |\n" + "|" + 6 * " --- |"
RATE = "_per_second"


def bench(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help=f"{', '.join(PARTS)}. Default: all."),
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Small layers and few rounds, to check that all runs.")
    ] = False,
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Also write all times as JSON to this file.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure the speed of layers, models and text generation on this machine.

    [bold]layers[/bold]: LSTM, GRU and attention, compared with those of Keras, and of PyTorch if it
    is installed. [bold]models[/bold]: a training step of each model. [bold]decoding[/bold]: text
    generation with Keras, a SavedModel and LiteRT files.

    Prints a table in Markdown, with the median and the minimum of the times. The implementations
    are timed in turn, so that other load affects all of them. Layers and models run on the backend
    of Keras (`KERAS_BACKEND`), decoding on TensorFlow.

    [bold]Examples[/bold]

    \b
      keras-attn bench
      keras-attn bench layers --out layers.json
      KERAS_BACKEND=jax keras-attn bench models
    """
    for part in parts or ():
        if part not in PARTS:
            raise UserError(f"unknown part {part!r}; {offered(part, PARTS)}")
    if out is not None and not out.absolute().parent.is_dir():
        raise UserError(f"{out.parent} is no folder")
    logging.getLogger("tensorflow").setLevel(logging.ERROR)  # it advises against many models
    module = load("zoo.bench.machine", tensorflow=False)
    report: dict[str, Any] = {"machine": module.machine(), "quick": quick, "results": []}
    if not json:
        print(f"{heading(report['machine'])}\n\n{TITLES}", flush=True)
    for result in _results(parts or PARTS, quick):
        report["results"].append(result.as_json())
        if not json:
            print(rows(report["results"][-1]), flush=True)
        if out is not None:  # after each result: a long run that is stopped leaves what it has
            write_json(out, report)
    if json:
        show_json(report)


def _results(parts: Iterable[str], quick: bool) -> Iterator[Any]:
    """The results of some parts, one by one."""
    runs: dict[str, Callable[[], Iterable[Any]]] = {
        LAYERS: lambda: load("zoo.bench.layers", tensorflow=False).layers(
            *((3, 7, 16, 1) if quick else (32, 64, 256, 9))
        ),
        MODELS: lambda: load("zoo.bench.models", tensorflow=False).every_model(
            *((2, 8, 1, 1) if quick else (32, 64, 5, 3))
        ),
        DECODING: lambda: load("zoo.cli.bench_decoding").decoding(
            *((2, 5, 1) if quick else (16, 64, 9))
        ),
    }
    for part in parts:
        yield from runs[part]()


def heading(machine: dict[str, Any]) -> str:
    """What the numbers belong to, as a line of Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    return (
        f"{machine['processor']}, {machine['cores']} cores, load {machine['load']:.1f}, "
        f"Python {machine['python']}, {versions}"
    )


def rows(result: dict[str, Any]) -> str:
    """The times of a comparison as rows of a table in Markdown; `TITLES` are above them.

    Example:
        >>> ours = {"median_ms": 2.0, "least_ms": 1.5, "rows_per_second": 16000.0}
        >>> peer = {"median_ms": 3.0, "least_ms": 2.5, "rows_per_second": 10666.7}
        >>> print(rows({"name": "LSTM, a step", "contenders": {"ours": ours, "keras": peer}}))
        | LSTM, a step | ours | 2 | 1.5 | 16,000 rows | 1.00 |
        |  | keras | 3 | 2.5 | 10,667 rows | 1.50 |
    """
    first, *_ = result["contenders"].values()
    lines = []
    for number, (name, times) in enumerate(result["contenders"].items()):
        unit = next((key for key in times if key.endswith(RATE)), "")
        rate = f"{times[unit]:,.0f} {unit.removesuffix(RATE)}" if unit else ""
        numbers = [f"{times[key]:.3g}" for key in ("median_ms", "least_ms")]
        ratio = f"{times['median_ms'] / first['median_ms']:.2f}"
        lines.append([result["name"] if number == 0 else "", name, *numbers, rate, ratio])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
