"""Options of `export` about precisions, and `export --sweep`, which compares them."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from zoo.cli.console import arguments, show_json
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.tasks.task import Task

PANEL = "LiteRT, web and MediaPipe"  # of `--help`


class Quantization(StrEnum):
    """How a LiteRT file is quantized."""

    FLOAT16 = "float16"
    INT8 = "int8"
    DYNAMIC_INT8 = "dynamic_int8"
    DYNAMIC_INT4 = "dynamic_int4"
    DYNAMIC_INT4_BLOCKWISE = "dynamic_int4_blockwise"
    WEIGHT_ONLY_INT8 = "weight_only_int8"
    WEIGHT_ONLY_INT4 = "weight_only_int4"
    STATIC_INT8 = "static_int8"


class Scope(StrEnum):
    """Which weights are quantized."""

    ALL = "all"
    FEED_FORWARD = "feed_forward"
    ATTENTION = "attention"
    EMBEDDINGS = "embeddings"


Quantize = Annotated[
    Quantization | None,
    Option(
        help="Quantize the weights; with static_int8 also the activations. All but float16 and "
        "int8 require the extra `quantize`.",
        rich_help_panel=PANEL,
    ),
]
QuantizeScope = Annotated[
    Scope | None,
    Option(
        help="Quantize these weights only, with a dynamic or weight_only precision. Default: all.",
        rich_help_panel=PANEL,
    ),
]
Calibration = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Data to calibrate static_int8 on. Default: samples of the training data.",
        rich_help_panel=PANEL,
    ),
]
SweepFlag = Annotated[
    bool,
    Option(
        "--sweep",
        help="Write a LiteRT file for each precision to the folder --out, evaluate each on --data, "
        "and recommend the smallest within --max-drop. If it is stopped, the same command goes "
        "on. Requires the extras `quantize` and `report`.",
        rich_help_panel=PANEL,
    ),
]
Precisions = Annotated[
    list[str] | None,
    Option(
        metavar="NAME",
        help="A precision to sweep, such as int8 or dynamic_int4-attention; may be repeated. "
        "Default: all.",
        rich_help_panel=PANEL,
    ),
]


def sweep_precisions(
    exporter: Any, task: "Task", out: Path, options: dict[str, Any], json: bool
) -> None:
    """Runs a sweep, and shows its table.

    Args:
        exporter: The package `export`.
        task: The task.
        out: The folder to write.
        options: Options of `export.sweep`; `precision` is what it calls precisions.
        json: Whether to print JSON.
    """
    options = dict(options)
    if "data" not in options:
        raise UserError("--sweep requires --data, a file to evaluate on")
    if "precision" in options:
        options["precisions"] = options.pop("precision")
    with arguments():
        result = exporter.sweep(task, out, progress=_note, **options)
    if json:
        show_json(result.to_json())
    else:
        print(result)


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
