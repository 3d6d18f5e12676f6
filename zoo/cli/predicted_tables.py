"""Answers to the rows of a table, by a run or an artifact, for the command `predict`."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoo.cli.column_options import with_columns
from zoo.cli.console import arguments
from zoo.errors import UserError
from zoo.option_names import option_name

if TYPE_CHECKING:
    from zoo.data.readers.column_names import ReadOptions
    from zoo.data.readers.input_columns import InputColumns
    from zoo.tasks.cells import Cells
    from zoo.tasks.task import Task

ROWS, MANY = 256, 1024  # rows that are answered at a time: slowly, and quickly


@dataclass(frozen=True)
class TableAnswers:
    """What answers the rows of a table: a run, or an artifact.

    Args:
        columns: What each row gives to predict from.
        learned: The names of these columns in the training data, by role; may be empty.
        read: How tables are read.
        answer: Function from inputs, and the number of their part from 0, to the cells of their
            answers.
        rows: Number of rows that are answered at a time.
    """

    columns: "InputColumns"
    learned: Mapping[str, str]
    read: "ReadOptions"
    answer: "Callable[[list[Any], int], list[Cells]]"
    rows: int = ROWS


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

    given = columns if encoding is None else {**columns, "encoding": encoding}
    settings = with_columns(task, given)
    inputs = task.parts.input.table_columns(settings)
    if inputs is None:
        raise whole_table(task.name, task.parts.answer.forecasts)

    def answer(rows: list[Any], number: int) -> "list[Cells]":
        with arguments():
            return task.predict_cells(rows, **seeded(generation, number))

    rows = MANY if task.parts.answer.fills_batches else ROWS
    return TableAnswers(inputs, task.columns, ReadOptions.of(values_of(settings)), answer, rows)


def whole_table(name: str, forecasts: bool) -> UserError:
    """The refusal of the rows of a table, by what reads it as a whole.

    Args:
        name: What refuses.
        forecasts: Whether it forecasts, of which a table can be written.
    """
    without = " and ".join(map(option_name, ["file"] if forecasts else ["file", "out"]))
    return UserError(
        f"{name} does not predict for the rows of a table: give the table itself, without {without}"
    )


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
