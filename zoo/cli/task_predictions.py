"""Predictions of a run, for lines with texts or with paths."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from zoo.cli.console import arguments
from zoo.cli.generation_options import check_generation
from zoo.cli.predicted_tables import TableAnswers, answers_of
from zoo.cli.printed_predictions import plain, show_stream
from zoo.cli.table_writing import parts_of
from zoo.cli.tasks import takes_pairs, takes_texts
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.tasks.cells import PREDICTION

if TYPE_CHECKING:
    from zoo.tasks.task import Task

Stream = Callable[[str], None]  # prints the output for a text while it is generated


class TaskPredictions:
    """The predictions of a run; a `Predictions`.

    Args:
        task: The task.
        candidates: Function from inputs to all beams of each, if these are asked for.
        chat: Whether the lines are chats.
    """

    def __init__(
        self, task: "Task", candidates: Callable[..., list[Any]] | None = None, chat: bool = False
    ) -> None:
        self._task, self._candidates, self._chat = task, candidates, chat
        self.takes_texts, self.takes_pairs = takes_texts(task), takes_pairs(task)
        columns = task.parts.input.table_columns(task.settings)
        self.suffixes = () if columns is None else columns.suffixes
        forecasts = task.parts.answer.forecasts
        self.targets = tuple(task.preprocessor.targets) if forecasts else ()

    def __call__(self, lines: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The predictions for some lines, as JSON types."""
        with arguments():
            rows = self._rows(_inputs(self._task, lines), options)
        return [{"text": line, **row} for line, row in zip(lines, rows, strict=True)]

    def _rows(self, inputs: Sequence[Any], options: Mapping[str, Any]) -> list[dict[str, Any]]:
        task = self._task
        if self._candidates is not None:
            every = self._candidates(inputs, **options)
            return [{"candidates": [each._asdict() for each in beams]} for beams in every]
        if self._chat:
            from zoo.cli.chatting import reply_to  # imports TensorFlow

            return [{PREDICTION: plain(x)} for x in reply_to(task, inputs, **options)]
        rows = task.predict_scored(inputs, **options)
        return [{**row, PREDICTION: plain(row[PREDICTION])} for row in rows]

    def table_answers(
        self, columns: Mapping[str, Any], encoding: str | None, options: Mapping[str, Any]
    ) -> TableAnswers:
        """What answers the rows of a table."""
        return answers_of(self._task, columns, encoding, options)

    def stream(self, options: Mapping[str, Any]) -> Stream | None:
        """What prints an output while it is generated, if the text goes on from its input."""
        other = self._candidates is not None or self._chat or "beams" in options
        if other or not self._task.parts.input.is_continued:
            return None
        from zoo.tasks import generating  # imports TensorFlow

        return partial(show_stream, partial(generating.stream, self._task), sampling=dict(options))


def task_predictions(
    task: "Task", generation: Mapping[str, Any], candidates: bool, chat: bool
) -> TaskPredictions:
    """The predictions of a run.

    Args:
        task: The task.
        generation: Options of its answer.
        candidates: Whether to give all beams.
        chat: Whether the lines are chats.

    Raises:
        UserError: If the task has no such option.
    """
    check_generation(task, dict(generation), candidates)
    if candidates and not issubclass(task.parts.answer.options, GenerationOptions):
        raise UserError(f"{task.name} has no option --candidates")
    if candidates and chat:
        raise UserError("--chat does not take --candidates")
    if not candidates:
        return TaskPredictions(task, None, chat)
    from zoo.tasks import generating  # imports TensorFlow

    return TaskPredictions(task, partial(generating.candidates, task), chat)


def _inputs(task: "Task", lines: Sequence[str]) -> Sequence[Any]:
    """The inputs of `predict`: the lines, or pairs if the task takes two texts."""
    texts = [spec for spec in task.preprocessor.inputs.values() if spec.dtype == "string"]
    if len(texts) < 2:  # a tab is a space like others
        return lines
    return [parts_of(line, 2) for line in lines]
