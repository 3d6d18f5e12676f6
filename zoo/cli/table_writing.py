"""Tables with predictions, by the command `predict`: the inputs, and their answers beside them."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.predicted_tables import TableAnswers
from zoo.cli.stopping import ending_on_sigterm
from zoo.errors import UserError
from zoo.option_names import option_name

if TYPE_CHECKING:
    import pyarrow as pa

    from zoo.data.unfinished_tables import CountedWriter
    from zoo.tasks.cells import Cells

Rows = tuple["pa.Table", list[Any]]  # rows of a table, and the input of each
LINES, FILES = "input", "file_name"  # names of the column of inputs that are lines, or files
DIGITS = 7  # of numbers, which models compute in float32
SECONDS, QUIET_SECONDS = 1.0, 10.0  # between two lines of progress, on a terminal and elsewhere


@dataclass(frozen=True)
class TableFile:
    """Where a table with predictions is written.

    Args:
        out: The file; None for standard output, in the format of the table that is read.
        key: What the predictions depend on, by which an interrupted command continues; empty if
            it cannot.
    """

    out: Path | None
    key: str = ""


def predict_table(file: Path, target: TableFile, answers: TableAnswers, name: str = "") -> None:
    """Writes the rows of a table with their predictions in further columns.

    Args:
        file: The table.
        target: Where to write.
        answers: What answers.
        name: What the table is called, if its name does not say; its paths are then those of the
            working directory.

    Raises:
        UserError: If the table cannot be read, has no column to predict from, has a column of the
            name of one of the answers, or is the file to write.
    """
    from zoo.data.readers.input_columns import open_inputs

    out = target.out
    if out is not None and out.exists() and out.samefile(file):
        raise UserError(f"{out} is the table to read: name another file with {option_name('out')}")
    folder = Path() if name else file.parent
    table = open_inputs(file, answers.columns, answers.read, answers.learned, folder)
    parts = ((part.data, inputs) for part, inputs in table.parts)
    with _writer(target, file, table.header) as writer:
        _write(name or str(file), parts, answers, writer, out)


def predict_lines(
    lines: Iterable[str], source: str, target: TableFile, answers: TableAnswers
) -> None:
    """Writes a table of inputs and their predictions.

    Args:
        lines: The inputs: texts, texts of a pair with a tab between them, or paths.
        source: Where they come from, for messages.
        target: The file to write.
        answers: What answers.
    """
    import pyarrow as pa

    column = LINES if answers.columns.located is None else FILES

    def table(inputs: list[Any]) -> pa.Table:
        return pa.table({column: [x if isinstance(x, str) else "\t".join(x) for x in inputs]})

    texts = len(answers.columns.roles)
    inputs = (line if texts == 1 else parts_of(line, texts) for line in lines)
    chunks = iter(lambda: list(islice(inputs, answers.rows)), [])
    parts = ((table(chunk), chunk) for chunk in chunks)
    with _writer(target, Path(), True) as writer:
        _write(source, parts, answers, writer, target.out)


def parts_of(line: str, count: int) -> tuple[str, ...]:
    """The texts of a line, with tabs between them.

    Raises:
        UserError: If there are more or fewer.
    """
    parts = tuple(line.split("\t"))
    if len(parts) != count:
        raise UserError(f"expected {count} texts separated by tabs, got {line!r}")
    return parts


def _write(
    source: str,
    parts: Iterable[Rows],
    answers: TableAnswers,
    writer: "CountedWriter",
    out: Path | None,
) -> None:
    done, progress = writer.written, Progress(writer.written.rows)
    if done.rows:
        print(f"{out}: continues after {done.rows:,} rows", file=sys.stderr, flush=True)
    for number, (table, inputs) in enumerate(_pieces(parts, answers.rows)):
        if number >= done.parts:
            writer.write(_with_cells(source, table, answers.answer(inputs, number)))
            progress.show(writer.written.rows)
    progress.end()
    if not writer.written.rows:
        raise UserError(f"{source} has no rows")
    if out is not None:
        print(f"{out}: {writer.written.rows:,} rows", file=sys.stderr)


def _pieces(parts: Iterable[Rows], rows: int) -> Iterator[Rows]:
    """The parts of a table in pieces of at most so many rows."""
    for table, inputs in parts:
        for start in range(0, len(inputs), rows):
            yield table.slice(start, rows), inputs[start : start + rows]


class Progress:
    """Lines on standard error that tell how many rows are done, and how fast.

    Args:
        rows: The number of rows that were done before.
    """

    def __init__(self, rows: int) -> None:
        self._first, self._start = rows, time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._shown = self._start

    def show(self, rows: int) -> None:
        """Shows the number of rows, if the last line is old; on a terminal, in its place."""
        now = time.monotonic()
        if now < self._shown + (SECONDS if self._terminal else QUIET_SECONDS):
            return
        speed = (rows - self._first) / (now - self._start)
        line = f"{rows:,} rows, {speed:,.0f} a second"
        print(f"\r{line}   " if self._terminal else line, end="" if self._terminal else "\n",
              file=sys.stderr, flush=True)  # fmt: skip
        self._shown = now

    def end(self) -> None:
        """Leaves the line, on a terminal."""
        if self._terminal and self._shown > self._start:
            print(file=sys.stderr)


def _with_cells(source: str, rows: "pa.Table", cells: "list[Cells]") -> "pa.Table":
    import pyarrow as pa

    for name in cells[0]:
        if name in rows.column_names:
            raise UserError(
                f"{source} has a column {name!r}, which is the name of a column of predictions: "
                "rename it"
            )
        rows = rows.append_column(name, pa.array([_rounded(each[name]) for each in cells]))
    return rows


def _rounded(cell: str | float | int) -> str | float | int:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


@contextmanager
def _writer(target: TableFile, file: Path, header: bool) -> "Iterator[CountedWriter]":
    from zoo.data.readers.files import format_of
    from zoo.data.table_writer import CSV, JSONL, TO_STREAMS, TSV
    from zoo.data.unfinished_tables import CountedWriter, continued_table

    if target.out is not None:
        with ending_on_sigterm(), continued_table(target.out, target.key, header) as writer:
            yield writer
        return
    form = {".tab": TSV, ".json": JSONL}.get(format_of(file), format_of(file))
    yield CountedWriter(TO_STREAMS.get(form, TO_STREAMS[CSV])(sys.stdout, header))
    sys.stdout.flush()
