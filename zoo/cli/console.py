"""Helpers for all commands: common arguments, imports without log messages, output."""

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from zoo.cli.imports import without_needless
from zoo.errors import UserError
from zoo.option_names import spelled

RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run folder: the --out of `train` or `import`.")
]
CheckDigests = Annotated[
    bool,
    typer.Option(
        "--check-digests/--no-check-digests",
        help="Check that the files of the run are those that were saved. It takes about a second "
        "for each gigabyte. Default: true.",
        show_default=False,
    ),
]
SILENT = "TF_CPP_MIN_LOG_LEVEL" not in os.environ  # whether TensorFlow's messages are not wanted

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def load(module: str, tensorflow: bool = True) -> ModuleType:
    """Imports `zoo` or `export`, without TensorFlow's log messages.

    Commands import them only when they need them, because importing TensorFlow takes seconds.
    TensorFlow logs to standard error before Python can configure it; set TF_CPP_MIN_LOG_LEVEL to
    see these messages. What can do without TensorFlow is imported without it, and may still need it
    for some data.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with silent_errors() if SILENT else nullcontext(), without_needless():
        if tensorflow:
            importlib.import_module("tensorflow_text")
    return importlib.import_module(module)


@contextmanager
def silent_errors() -> Iterator[None]:
    """Discards what C++ code writes to standard error."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with open(os.devnull, "wb") as devnull:
        os.dup2(devnull.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            os.close(stderr)


@contextmanager
def arguments() -> Iterator[None]:
    """Converts a `ValueError` about an argument to a `UserError`.

    Only if this library raised it: a `ValueError` from NumPy or TensorFlow is a bug in this
    library and keeps its traceback.
    """
    try:
        yield
    except UserError:
        raise
    except ValueError as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if frame.f_globals["__name__"].split(".")[0] not in ("keras_attn", "zoo", "export"):
            raise
        raise UserError(str(error)) from error


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None; the others get the defaults of the Python API."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_alone(options: Mapping[str, Any], needs: Mapping[str, str]) -> None:
    """Refuses options that have no effect without another option.

    Args:
        options: The given options by name.
        needs: Dictionary from the name of such an option to the name of the option that it needs.

    Raises:
        UserError: If an option is given without the one that it needs.
    """
    for name, other in needs.items():
        if name in options and not options.get(other):
            raise UserError(f"{spelled(name)} has no effect without {spelled(other)}")


def show_json(result: Any) -> None:
    """Prints a result as JSON."""
    print(json.dumps(result, ensure_ascii=False, indent=2, default=str))


def show_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Prints a table, floats with four significant digits."""
    table = Table(*header, box=None, pad_edge=False, show_header=any(header), header_style="bold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 10_000  # do not wrap cells if another program reads the output
    console.print(table)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
