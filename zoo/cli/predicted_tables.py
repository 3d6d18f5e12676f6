"""Tables with predictions, by the command `predict`: the inputs, and their answers beside them."""

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.column_options import name_columns
from zoo.cli.console import arguments
from zoo.errors import UserError
from zoo.option_names import option_name

if TYPE_CHECKING:
    import pyarrow as pa

    from zoo.data.readers.column_names import ReadOptions
    from zoo.data.readers.input_columns import InputColumns
    from zoo.data.table_writer import TableWriter
    from zoo.tasks.cells import Cells
    from zoo.tasks.task import Task

Rows = tuple["pa.Table", list[Any]]  # rows of a table, and the input of each
LINES = "input"  # name of the column of inputs that are lines
ROWS = 256  # number of rows that are predicted at a time
DIGITS = 7  # of numbers, which models compute in float32
SECONDS = 1.0  # between two lines of progress


@dataclass(frozen=True)
class TableAnswers:
    """What answers the rows of a table: a run, or an artifact.

    Args:
        columns: What each row gives to predict from.
        learned: The names of these columns in the training data, by role; may be empty.
        read: How tables are read.
        answer: Function from inputs, and the number of their part from 0, to the cells of their
            answers.
    """

    columns: "InputColumns"
    learned: Mapping[str, str]
    read: "ReadOptions"
    answer: "Callable[[list[Any], int], list[Cells]]"


def answers_of(
    task: "Task", columns: Mapping[str, Any], encoding: str | None, generation: Mapping[str, Any]
) -> TableAnswers:
    """A task as what answers the rows of a table.

    Args:
        task: The task.
        columns: Options of the command line that name columns.
        encoding: Encoding of the table, if the command line has one.
        generation: Generation options.

    Raises:
        UserError: If the task has no such option, or reads no tables.
    """
    from zoo.data.readers.column_names import ReadOptions
    from zoo.options import values_of

    name_columns(task, {**columns, **({} if encoding is None else {"encoding": encoding})})
    inputs = task.parts.input.table_columns(task.settings)
    if inputs is None:
        raise UserError(
            f"{task.name} does not predict for the rows of a table: give the table itself, without "
            f"{option_name('file')} and {option_name('out')}"
        )

    def answer(rows: list[Any], number: int) -> "list[Cells]":
        with arguments():
            return task.predict_cells(rows, **seeded(generation, number))

    return TableAnswers(inputs, task.columns, ReadOptions.of(values_of(task.settings)), answer)


def seeded(generation: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Generation options with a seed for each part, so that equal texts get different samples.

    Args:
        generation: The options.
        number: The number of the part, from 0.
    """
    seed = generation.get("seed")
    if seed is None or number == 0:
        return dict(generation)
    return {**generation, "seed": random.Random(f"{seed} {number}").getrandbits(32)}


def predict_table(file: Path, out: Path | None, answers: TableAnswers) -> None:
    """Writes the rows of a table with their predictions in further columns.

    Args:
        file: The table.
        out: The file to write; None for standard output, in the format of the table.
        answers: What answers.

    Raises:
        UserError: If the table cannot be read, has no column to predict from, has a column of the
            name of one of the answers, or is the file to write.
    """
    from zoo.data.readers.input_columns import open_inputs

    if out is not None and out.exists() and out.samefile(file):
        raise UserError(f"{out} is the table to read: name another file with {option_name('out')}")
    table = open_inputs(file, answers.columns, answers.read, answers.learned)
    parts = ((part.data, inputs) for part, inputs in table.parts)
    with _writer(out, file, table.header) as writer:
        _write(str(file), parts, answers, writer, out)


def predict_lines(lines: Iterable[str], source: str, out: Path, answers: TableAnswers) -> None:
    """Writes a table of inputs and their predictions.

    Args:
        lines: The inputs: texts, texts of a pair with a tab between them, or paths.
        source: Where they come from, for messages.
        out: The file to write.
        answers: What answers.
    """
    import pyarrow as pa

    def table(inputs: list[Any]) -> pa.Table:
        return pa.table({LINES: [x if isinstance(x, str) else "\t".join(x) for x in inputs]})

    texts = len(answers.columns.roles)
    inputs = (line if texts == 1 else parts_of(line, texts) for line in lines)
    chunks = iter(lambda: list(islice(inputs, ROWS)), [])
    parts = ((table(chunk), chunk) for chunk in chunks)
    with _writer(out, out, True) as writer:
        _write(source, parts, answers, writer, out)


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
    writer: "TableWriter",
    out: Path | None,
) -> None:
    count, number, shown = 0, 0, time.monotonic()
    for table, inputs in parts:
        for start in range(0, len(inputs), ROWS):
            cells = answers.answer(inputs[start : start + ROWS], number)
            number += 1
            writer.write(_with_cells(source, table.slice(start, ROWS), cells))
            count += len(cells)
            if out is not None and time.monotonic() > shown + SECONDS:
                print(f"{count:,} rows", file=sys.stderr, flush=True)
                shown = time.monotonic()
    if not count:
        raise UserError(f"{source} has no rows")
    if out is not None:
        print(f"{out}: {count:,} rows", file=sys.stderr)


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
def _writer(out: Path | None, file: Path, header: bool) -> "Iterator[TableWriter]":
    from zoo.data.readers.files import format_of
    from zoo.data.table_writer import CSV, JSONL, TO_STREAMS, TSV, writing_table

    if out is not None:
        with writing_table(out, header) as writer:
            yield writer
        return
    form = {".tab": TSV, ".json": JSONL}.get(format_of(file), format_of(file))
    yield TO_STREAMS.get(form, TO_STREAMS[CSV])(sys.stdout, header)
    sys.stdout.flush()
