"""Options that name the columns of a data file, for commands that read one for a run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zoo.cli.derived import parameters, parsed
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.options import names_of
from zoo.tasks.options.image_captioner import CaptionColumns
from zoo.tasks.options.images import ImageColumn
from zoo.tasks.options.node_classifier import GraphTableOptions
from zoo.tasks.options.question_answering import AnsweredColumns
from zoo.tasks.options.series_forecaster import SeriesColumns, TimeOptions
from zoo.tasks.options.speech_recognizer import RecordingOptions
from zoo.tasks.options.table_columns import (
    LabeledColumns,
    PairColumns,
    PassageColumns,
    ScoreColumn,
    TableOptions,
    TextColumn,
)
from zoo.tasks.options.token_tagger import TaggedColumns
from zoo.tasks.options.whole_series import WholeSeriesColumns

if TYPE_CHECKING:
    from zoo.tasks.task import Task

COLUMNS = list(
    {
        each.name: each
        for kind in (
            TableOptions,
            TimeOptions,
            WholeSeriesColumns,
            SeriesColumns,
            RecordingOptions,
            GraphTableOptions,
            TextColumn,
            LabeledColumns,
            PairColumns,
            PassageColumns,
            ScoreColumn,
            ImageColumn,
            CaptionColumns,
            TaggedColumns,
        )
        for each in parameters(kind)
    }.values()
)

# Those of inputs, from which a task predicts.
INPUT_COLUMNS = [
    *parameters(TextColumn),
    *parameters(LabeledColumns, ["second_column"]),
    *parameters(PairColumns, ["source_column"]),
    *parameters(AnsweredColumns, ["question_column"]),
    *parameters(PassageColumns, ["query_column", "passage_column"]),
    *parameters(ImageColumn, ["image_column"]),
    *parameters(RecordingOptions, ["audio_column"]),
    *parameters(TableOptions, ["skip_bad_rows"]),
]


def with_columns(task: "Task", given: Mapping[str, Any]) -> Any:
    """The settings of a task, with these options of tables instead of those of its training data.

    Args:
        task: The task of a run.
        given: Values of `COLUMNS` from the command line.

    Raises:
        UserError: If the task has no such option.
    """
    for name in given:
        if name not in names_of(task.Settings):
            raise UserError(f"{task.name} has no option {spelled(name)}")
    return replace(task.settings, **parsed(task.Settings, dict(given)))
