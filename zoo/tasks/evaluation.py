"""The metrics of a task, of its model or of an artifact."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from zoo.data_statistics import LOGGER, collecting, discarding, record
from zoo.errors import UserError
from zoo.metrics.resampling import Difference
from zoo.serving.inference import Run
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.comparison import Margin
from zoo.tasks.exporting import inferences_of
from zoo.tasks.measurement import Measurement
from zoo.tasks.measuring import JudgedTasks, chosen, measurement

if TYPE_CHECKING:
    from zoo.tasks.task import Task


class LoadedArtifact(Protocol):
    """A loaded artifact; if it samples, each row of a batch has another seed."""

    @property
    def signatures(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]: ...

    def run(self, signature: str, inputs: dict[str, np.ndarray], /) -> dict[str, np.ndarray]: ...


def measure(
    task: "Task",
    examples: Any,
    run: Run,
    options: Mapping[str, Any],
    metrics: Sequence[str] | None = None,
) -> Measurement:
    """The metrics of the registry on examples, without messages; see `Answered.comparison`.

    Raises:
        UserError: If a metric does not fit the task, or is undefined.
    """
    answers = judge(task, examples, run, options)
    return measured_of(task, answers, examples.path, metrics)


def judge(task: "Task", examples: Any, run: Run, options: Mapping[str, Any]) -> JudgedTasks:
    """Answers beside the correct ones, of one task or of several.

    Raises:
        UserError: If the examples have another form than the task takes.
    """
    task.parts.input.check_examples(examples, task.settings, task.preprocessor)
    return task.parts.answer.judged_tasks(task.predictor(run, **options), examples)


def measured_of(
    task: "Task", answers: JudgedTasks, path: str, metrics: Sequence[str] | None
) -> Measurement:
    """The metrics of answers; see `measure`."""
    mean = task.parts.answer.mean(task.settings, [*answers])
    rows = chosen(answers, metrics, task.name)
    return measurement(answers, rows, path, mean, required=metrics is not None)


def compare_tasks(
    task: "Task",
    other: "Task",
    data: Any,
    options: Mapping[str, Any],
    metrics: Sequence[str] | None = None,
) -> dict[str, Difference]:
    """Compares two tasks on the same data by a paired test.

    Args:
        task: A task.
        other: The other one.
        data: A file or a list, in the form that `fit` takes.
        options: Options of the answer, by name.
        metrics: Names of the metrics; those of the task if None.

    Raises:
        UserError: If the tasks differ in kind, or in what is correct.
    """
    if task.name != other.name:
        raise UserError(f"a run of {task.name} cannot be compared with one of {other.name}")
    both = [each.answered(data, **options).measurement(metrics) for each in (task, other)]
    return both[0].compared(both[1], task.parts.answer.more_rows)


def baseline_measurements(
    task: "Task", examples: Any, metrics: Sequence[str] | None
) -> dict[str, Measurement]:
    """The measurements of the baselines whose answers are known, by the name of the baseline.

    Args:
        task: The task.
        examples: The examples.
        metrics: Names of metrics; those of the task if None.
    """
    found: dict[str, Measurement] = {}
    baselines = task.parts.recipe.baselines
    fresh = baselines.judged_without_training(examples)
    judged: dict[str, JudgedTasks] = {name: {"": own} for name, own in fresh.items()}
    if task.baselines is not None:
        judged |= baselines.judged_tasks(task.baselines, examples, task.fitted)
    for name, own in judged.items():
        mean = task.parts.answer.mean(task.settings, [*own])
        rows = chosen(own, metrics, task.name, required=False)
        found[name] = measurement(own, rows, examples.path, mean, required=False)
    return found


def margin_of(
    task: "Task", examples: Any, measured: Measurement, metric: str, baseline: str
) -> Margin | None:
    """How far a model is from a baseline in a metric; None if the rows of both are not known.

    Args:
        task: The task.
        examples: The examples.
        measured: The measurement of the model on them.
        metric: Name of the metric.
        baseline: Name of the baseline.
    """
    other = baseline_measurements(task, examples, None).get(baseline)
    if other is None:
        return None
    with suppress(UserError):  # a single row, or rows in another form
        found = measured.compared(other, names=[metric]).get(metric)
        return None if found is None else Margin(metric, baseline, found)
    return None


def baseline_scores(
    task: "Task", examples: Any, metrics: Sequence[str] | None = None
) -> dict[str, float]:
    """The metrics of the baselines on examples, by name; empty if there are no baselines.

    Args:
        task: The task.
        examples: The examples.
        metrics: Names of metrics; those that are measured by default if None, or if the answers of
            the baselines are not known.
    """
    if metrics is not None:
        every = baseline_measurements(task, examples, metrics)
        by_name = {
            f"{name}_{metric}": value
            for name, own in every.items()
            for metric, value in own.values.items()
        }
        if by_name:
            return by_name
    baselines = task.parts.recipe.baselines
    fresh = baselines.scores_without_training(examples)
    if task.baselines is None:
        return fresh
    return {**fresh, **baselines.scores(task.baselines, examples, task.fitted)}


def evaluate_artifact(task: "Task", artifact: LoadedArtifact, data: Any) -> dict[str, float]:
    """Computes the same metrics, without those of baselines, for an artifact."""
    examples, run = _read(task, data, {}), _artifact_runner(task, artifact)
    LOGGER.info("%s", examples)
    with collecting(examples.path):
        record(examples.statistics)
        return measure(task, examples, run, {}).values


def scores_in_parts(
    task: "Task", artifact: LoadedArtifact, data: Any, count: int
) -> list[tuple[int, dict[str, float]]]:
    """The size and the metrics of each of some random parts of the data.

    Args:
        task: The task.
        artifact: The artifact.
        data: A file or a list, in the form that `fit` takes.
        count: The number of parts. The list is empty if the data cannot be cut into so many.
    """
    examples, run = _read(task, data, {}), _artifact_runner(task, artifact)
    parts = _parts(examples, count) if task.parts.answer.independent else []
    with discarding():
        return [
            (task.parts.format.size(part), measure(task, part, run, {}).values) for part in parts
        ]


def _parts(examples: Any, count: int) -> list[Any]:
    """Examples cut into so many parts at random; none if there are too few rows."""
    parts, rest = [], examples
    try:
        for left in range(count, 1, -1):
            rest, part = rest.split(1 / left, seed=left)
            parts.append(part)
    except UserError:
        return []
    return [*parts, rest]


def read_to_evaluate(task: "Task", data: Any) -> Any:
    """Reads data with correct answers."""
    return task.parts.format.read_to_evaluate(data, task.settings, task.preprocessor)


def _read(task: "Task", data: Any, options: Mapping[str, Any]) -> Any:
    examples = read_to_evaluate(task, data)
    return task.parts.answer.to_score(examples, task.settings, options)


def _artifact_runner(task: "Task", artifact: LoadedArtifact) -> Run:
    inferences = inferences_of(task.parts, task.fitted, task.head)

    def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
        taken = {key: np.asarray(features[key]) for key in inferences[name].features}
        signature = name if name in artifact.signatures else SERVING_DEFAULT
        if SEED in artifact.signatures[signature]["inputs"]:
            taken[SEED] = seeds_of(len(next(iter(taken.values()))))
        return artifact.run(signature, taken)

    return run
