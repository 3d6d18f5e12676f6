"""Data that a task reads once, with answers that it computes once."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from zoo.data.readers.files import name_of
from zoo.data_statistics import LOGGER, collecting, record
from zoo.errors import UserError
from zoo.serving.inference import Run
from zoo.tasks import views
from zoo.tasks.comparison import Comparison
from zoo.tasks.evaluation import (
    baseline_scores,
    judge,
    margin_of,
    measured_of,
    read_to_evaluate,
)
from zoo.tasks.measured_on import MeasuredOn, Seen
from zoo.tasks.measurement import Measurement
from zoo.tasks.measuring import Judged, JudgedTasks
from zoo.tasks.parts import PreviewRow
from zoo.tasks.provenance import files_of, names_of, of_checkpoint, trained_on
from zoo.tasks.resuming import VALIDATION

if TYPE_CHECKING:
    from zoo.tasks.task import Task


class Answered:
    """Data, and the answers of a task to it: metrics and reports share one reading and one pass.

    Args:
        task: The task.
        data: A file or a list, in the form that `fit` takes.
        run: Function that runs an inference by name.
        options: Options of the answer, by name.
    """

    def __init__(self, task: "Task", data: Any, run: Run, options: Mapping[str, Any]) -> None:
        self.task, self.data, self._run, self._options = task, data, run, options

    @cached_property
    def read(self) -> Any:
        """The data as it is read to evaluate; raises a `UserError` if it cannot be."""
        return read_to_evaluate(self.task, self.data)

    @cached_property
    def examples(self) -> Any:
        """The examples; those to predict from, if they have no correct answers.

        Of training data they are those that were held out, but for series, which go on as a whole.
        """
        try:
            is_part = self._unseen is not None and not self.task.parts.answer.forecasts
            return self._unseen if is_part else self.read
        except UserError:
            return self.task.read(self.data)

    @cached_property
    def _unseen(self) -> Any:
        """What is scored of the data if a part of it was held out in training; else None."""
        task, trained = self.task, self.task.data
        part = task.files.get(VALIDATION)
        if not isinstance(part, float | str):
            return None
        same, files = self._trained
        if not 0 < same == files == len(trained.keys() - of_checkpoint(trained).keys()):
            return None
        held_out = self.read.split(files_of(part), task.training["seed"])[1]
        return task.parts.answer.unseen(self.read, held_out, task.settings, self._options)

    @cached_property
    def _to_score(self) -> Any:
        examples = self.read if self._unseen is None else self._unseen
        return self.task.parts.answer.to_score(examples, self.task.settings, self._options)

    @cached_property
    def judged_tasks(self) -> JudgedTasks:
        """Answers beside the correct ones, each kind of which is computed once, when needed."""
        answers = judge(self.task, self._to_score, self._run, self._options)
        return {
            name: {kind: cache(rows) for kind, rows in own.items()} for name, own in answers.items()
        }

    @property
    def judged(self) -> Judged:
        """Those of a single task; empty if there are several."""
        return self.judged_tasks.get("", {})

    def measurement(self, metrics: Sequence[str] | None = None) -> Measurement:
        """The metrics of the answers, with sentences in the log on the data.

        Args:
            metrics: Their names; those of the task if None.
        """
        LOGGER.info("%s", self._to_score)
        if self.measured_on != names_of(self.data):
            aims = self.task.parts.answer.aims(self.task.settings)
            should = "".join(f"; {name} should be {aim:g}" for name, aim in aims.items())
            LOGGER.info("measured on %s%s", self.measured_on, should)
        with collecting(self._to_score.path):
            record(self._to_score.statistics)
            return measured_of(self.task, self.judged_tasks, self._to_score.path, metrics)

    def comparison(self, metrics: Sequence[str] | None = None) -> Comparison:
        """The metrics beside those of baselines; the task keeps them.

        Those of training data do not take the place of those of other data.

        A sentence in the log tells if it is training data, or only some of it is evaluated.

        Args:
            metrics: Names of the metrics, which get intervals; those of the task if None, of which
                the main one gets an interval.
        """
        task, examples = self.task, self._to_score
        note = task.parts.format.note_on(examples, *self._trained)
        if note is not None and self._unseen is None:
            LOGGER.warning("%s: %s", name_of(self.data), note)
        measured = self.measurement(metrics)
        values, baselines = measured.values, baseline_scores(task, examples, metrics)
        with_interval = [measured.main] if metrics is None else [*values]
        aims = task.parts.answer.aims(task.settings)
        comparison = Comparison(
            values,
            baselines,
            lambda: measured.intervals(with_interval),
            aims,
            partial(margin_of, task, examples, measured),
        )
        if not task.metrics or self.measured_on.replaces(task.evaluated_on):
            task.metrics, task.evaluated_on = comparison.metrics, self.measured_on
        else:
            told = "these metrics are of training data: the run keeps those of %s"
            LOGGER.warning(told, str(task.evaluated_on))
        return comparison

    @cached_property
    def measured_on(self) -> MeasuredOn:
        """The data as it is evaluated, what is scored of it, and what the model had seen of it."""
        task, seen = self.task, Seen.SELECTED
        if self._unseen is None:
            seen = task.parts.format.seen(self._to_score, *self._trained)
        extent = task.parts.answer.extent(self._to_score, task.settings, task.preprocessor)
        return MeasuredOn(": ".join(filter(None, [names_of(self.data), extent])), seen)

    @cached_property
    def _trained(self) -> tuple[int, int]:
        return trained_on(self.data, self.task.data)

    def preview(self, count: int) -> list[PreviewRow]:
        """The first rows with their predictions and references; see `Task.preview`."""
        return views.preview(self.task, self.examples, count)

    def rows(self) -> list[PreviewRow]:
        """All rows; of series those that are measured, which are forecasts."""
        if self.task.parts.answer.forecasts:
            return views.preview(self.task, self._to_score, sys.maxsize)
        return self.preview(self.task.parts.format.size(self.examples))
