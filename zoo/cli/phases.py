"""A line on standard error of what a command is doing, and for how long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def phases() -> Iterator[Callable[[str], None]]:
    """Context manager that yields a function which is told what begins, in words.

    On a terminal, it is shown beside the time since the start; elsewhere, each is a line.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: print(f"{text} ...", file=sys.stderr, flush=True)
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        shown = progress.add_task("")
        yield lambda text: progress.update(shown, description=text)
