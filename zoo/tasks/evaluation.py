"""The metrics of a task, of its model or of an artifact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from zoo.data.readers.files import name_of
from zoo.data_statistics import LOGGER, collecting, discarding, record
from zoo.errors import UserError
from zoo.metrics.resampling import Difference
from zoo.serving.inference import Run
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.comparison import Comparison
from zoo.tasks.exporting import inferences_of
from zoo.tasks.measuring import Judged, Measured, chosen, compared, measured
from zoo.tasks.provenance import names_of, trained_on

if TYPE_CHECKING:
    from zoo.tasks.task import Task


class LoadedArtifact(Protocol):
    """A loaded artifact; if it samples, each row of a batch has another seed."""

    @property
    def signatures(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]: ...

    def run(self, signature: str, inputs: dict[str, np.ndarray], /) -> dict[str, np.ndarray]: ...


def compare(
    task: "Task",
    data: Any,
    run: Run,
    options: Mapping[str, Any],
    metrics: Sequence[str] | None = None,
) -> Comparison:
    """Computes the metrics on data, beside those of baselines, and keeps them in the task.

    A sentence in the log tells if it is training data, or only some of it is evaluated.

    Args:
        task: The task.
        data: A file or a list, in the form that `fit` takes.
        run: Function that runs an inference by name.
        options: Options of the answer, by name.
        metrics: Names of the metrics, which get intervals; those of the task if None.
    """
    examples = _read(task, data, options)
    note = task.parts.format.note_on(examples, *trained_on(data, task.data))
    if note is not None:
        LOGGER.warning("%s: %s", name_of(data), note)
    if metrics is None:
        comparison = Comparison(_scores(task, examples, run, options))
    else:
        measured = measure(task, examples, run, options, metrics)
        values = {name: value for part in measured for name, value in part.values.items()}
        spans = {name: span for part in measured for name, span in part.intervals.items()}
        comparison = Comparison(values, intervals=spans)
    comparison = replace(comparison, baselines=baseline_scores(task, examples))
    task.metrics, task.evaluated_on = comparison.metrics, names_of(data)
    return comparison


def measure(
    task: "Task",
    examples: Any,
    run: Run,
    options: Mapping[str, Any],
    metrics: Sequence[str] | None,
) -> list[Measured]:
    """The metrics of the registry on examples; see `compare`.

    Raises:
        UserError: If a metric does not fit the task.
    """
    task.parts.input.check_examples(examples, task.settings, task.preprocessor)
    answers = task.parts.answer.judged(task.predictor(run, **options), examples)
    rows = chosen(answers, metrics, task.name)
    LOGGER.info("%s", examples)
    with collecting(examples.path):
        record(examples.statistics)
        return measured(answers, rows, examples.path)


def judged(task: "Task", data: Any) -> Judged:
    """Answers to data beside the correct ones; see `zoo.tasks.parts.Answer.judged`."""
    examples = _read(task, data, {})
    return task.parts.answer.judged(task.predictor(), examples)


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
    both = []
    for each in (task, other):
        examples = _read(each, data, options)
        both.append(measure(each, examples, each.runner(**options), options, metrics))
    return compared(*both)


def baseline_scores(task: "Task", examples: Any) -> dict[str, float]:
    """The metrics of the baselines on examples, by name; empty if there are no baselines."""
    baselines = task.parts.recipe.baselines
    fresh = baselines.scores_without_training(examples)
    if task.baselines is None:
        return fresh
    return {**fresh, **baselines.scores(task.baselines, examples, task.fitted)}


def evaluate_artifact(task: "Task", artifact: LoadedArtifact, data: Any) -> dict[str, float]:
    """Computes the same metrics, without those of baselines, for an artifact."""
    return _scores(task, _read(task, data, {}), _artifact_runner(task, artifact), {})


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
        return [(task.parts.format.size(part), score(task, part, run, {})) for part in parts]


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


def _read(task: "Task", data: Any, options: Mapping[str, Any]) -> Any:
    examples = task.parts.format.read_to_evaluate(data, task.settings, task.preprocessor)
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


def _scores(task: "Task", examples: Any, run: Run, options: Mapping[str, Any]) -> dict[str, float]:
    LOGGER.info("%s", examples)
    with collecting(examples.path):
        record(examples.statistics)
        return score(task, examples, run, options)


def score(task: "Task", examples: Any, run: Run, options: Mapping[str, Any]) -> dict[str, float]:
    """Computes the metrics on examples, without messages; see `compare`."""
    task.parts.input.check_examples(examples, task.settings, task.preprocessor)
    return task.parts.answer.score(task.predictor(run, **options), examples)
