"""What every command shares: quiet imports, tables, JSON."""

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from zoo.errors import UserError

RunFolder = Annotated[Path, typer.Argument(help="The folder of a run, as `train` wrote it.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def load(module: str) -> ModuleType:
    """Imports `zoo` or `export` when a command needs it, without TensorFlow's messages.

    Importing TensorFlow takes seconds, which `--help` should not; and it logs to the error
    stream before any setting of Python's can stop it. Set TF_CPP_MIN_LOG_LEVEL to see that log.
    """
    if "TF_CPP_MIN_LOG_LEVEL" not in os.environ:
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        with _silent_errors():
            importlib.import_module("tensorflow_text")
    return importlib.import_module(module)


@contextmanager
def _silent_errors() -> Iterator[None]:
    """Sends what C++ code writes to standard error nowhere."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def arguments() -> Iterator[None]:
    """Makes a `UserError` of a `ValueError` that our own code raised about an argument.

    One that NumPy or TensorFlow raised tells of a fault of ours, and keeps its traceback.
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
    """The options that were given; for the others, the Python API keeps the defaults."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_alone(options: Mapping[str, Any], needs: Mapping[str, str]) -> None:
    """Names the first option that says nothing without another that is not there.

    Args:
        options: Those given, by name.
        needs: Names of options, each with the one that it needs.

    Raises:
        UserError: If there is one.
    """
    for name, other in needs.items():
        if name in options and not options.get(other):
            raise UserError(f"{spelled(name)} says nothing without {spelled(other)}")


def spelled(name: str) -> str:
    """How an argument of the Python API is spelled on the command line.

    Example:
        >>> spelled("max_new_tokens")
        '--max-new-tokens'
    """
    return "--" + name.replace("_", "-")


def show_json(result: Any) -> None:
    """Prints one JSON document."""
    print(json.dumps(result, ensure_ascii=False, indent=2, default=str))


def show_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Prints a table; floats with four significant digits."""
    table = Table(*header, box=None, pad_edge=False, show_header=any(header), header_style="bold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 10_000  # another program reads it: no cell is wrapped
    console.print(table)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
