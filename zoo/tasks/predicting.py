"""The predictions and the metrics of a task, from its model or from an artifact."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.readers.files import name_of
from zoo.data.shards.manifest import refuse_shards
from zoo.data_statistics import LOGGER, collecting, discarding, record
from zoo.errors import UserError
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.inference import Program, Run, Tensors
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.base import BaseTask
from zoo.tasks.provenance import names_of, trained_on


class PredictingTask(BaseTask):
    """A task that predicts outputs, and computes metrics."""

    def predict(self, data: Any, batch_size: int = 64, **options: Any) -> list[Any]:
        """Predicts an output for each row.

        Args:
            data: A list of raw inputs.
            batch_size: Batch size. Rows of similar length are batched together.
            **options: Generation options, for tasks that generate text.
        """
        columns, run = self.raw_inputs(data), self.runner(**options)
        preprocessor = self.preprocessor_with(**options)
        rows = self.predict_rows(columns, run, batch_size, preprocessor=preprocessor)
        return [self.result(row) for row in rows]

    def predict_rows(
        self,
        columns: Mapping[str, Sequence[Any]],
        run: Run,
        batch_size: int = 64,
        finish: Callable[[Tensors, Features], Tensors] | None = None,
        preprocessor: Preprocessor | None = None,
    ) -> list[dict[str, Any]]:
        """Computes the outputs for raw inputs: a dictionary for each row, in order.

        Args:
            columns: Raw inputs by name.
            run: Function that runs an inference by name, in Python or in an artifact.
            batch_size: Batch size.
            finish: Function to use instead of `postprocess`.
            preprocessor: Preprocessor to use instead of that of the task.
        """
        finish, preprocessor = finish or self.postprocess, preprocessor or self.preprocessor
        count = len(next(iter(columns.values())))
        found: list[dict[str, Any]] = [{} for _ in range(count)]
        order = sorted(range(count), key=lambda i: sum(len(rows[i]) for rows in columns.values()))
        with collecting("predict"):
            for start in range(0, count, batch_size):
                places = order[start : start + batch_size]
                raw = {name: [rows[i] for i in places] for name, rows in columns.items()}
                features = {**preprocessor.read(raw), "row": np.array(places, "int32")}
                outputs = run(preprocessor.feature_signature, features)
                done = finish({k: tf.constant(x) for k, x in outputs.items()}, features)
                arrays = {name: np.asarray(x) for name, x in done.items()}
                for row, parts in zip(places, self.rows(arrays, features), strict=True):
                    found[row] = parts
        return found

    def runner(self, **options: Any) -> Run:
        """A function that runs the inferences of the model, for `score` and `predict_rows`.

        Raises:
            UserError: If there are options, which only tasks that generate text have.
        """
        for option in options:
            raise UserError(f"{self.name} has no option {option!r}: it does not generate text")
        return lambda name, features: self.program(name)(features)

    def program(self, name: str) -> Program:
        """The compiled inference of a signature."""
        if name not in self._programs:
            self._programs[name] = Program(self.inferences()[name])
        return self._programs[name]

    def evaluate(self, data: Any, **options: Any) -> dict[str, float]:
        """Computes the metrics on data that the model was not trained on.

        Args:
            data: A file or a list, in the form that `fit` takes.
            **options: Generation options, for tasks that generate text.
        """
        examples = self.read_to_evaluate(data)
        self.say_what_is_evaluated(data, examples)
        scores = self._scores(examples, self.runner(**options))
        return self.keep_metrics(data, scores | self.baseline_scores(examples))

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        parts, head = self.parts, self.head
        parts.input.check_examples(examples, self.settings, self.preprocessor)
        references = parts.answer.references(examples, head)
        rows = self.predict_rows(examples.inputs, run)
        return dict(head.score(references, [self.result(row) for row in rows]))

    def say_what_is_evaluated(self, data: Any, examples: Any) -> None:
        """Logs a sentence if data to evaluate is training data, or only some of it is evaluated."""
        if (note := self.note_on(examples, *trained_on(data, self.data))) is not None:
            LOGGER.warning("%s: %s", name_of(data), note)

    def keep_metrics(self, data: Any, metrics: dict[str, float]) -> dict[str, float]:
        """Stores metrics and the names of their data, for the run folder and the model card."""
        self.metrics, self.evaluated_on = metrics, names_of(data)
        return metrics

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        """Computes the same metrics for an exported artifact.

        Args:
            artifact: A loaded artifact, which has `signatures` and `run(signature, inputs)`. If it
                samples, each row of a batch has another seed.
            data: A file or a list, in the form that `fit` takes.
        """
        return self._scores(self.read_to_evaluate(data), self._artifact_runner(artifact))

    def scores_in_parts(
        self, artifact: Any, data: Any, count: int
    ) -> list[tuple[int, dict[str, float]]]:
        """The size and the metrics of each of some random parts of the data.

        Args:
            artifact: A loaded artifact; see `evaluate_artifact`.
            data: A file or a list, in the form that `fit` takes.
            count: The number of parts. The list is empty if the data cannot be cut into so many.
        """
        examples, run = self.read_to_evaluate(data), self._artifact_runner(artifact)
        with discarding():
            return [
                (self.size(part), self.score(part, run)) for part in self.folds(examples, count)
            ]

    def _artifact_runner(self, artifact: Any) -> Run:
        inferences = self.inferences()

        def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            taken = {key: np.asarray(features[key]) for key in inferences[name].features}
            signature = name if name in artifact.signatures else SERVING_DEFAULT
            if SEED in artifact.signatures[signature]["inputs"]:
                taken[SEED] = seeds_of(len(next(iter(taken.values()))))
            return artifact.run(signature, taken)

        return run

    def _scores(self, examples: Any, run: Run) -> dict[str, float]:
        refuse_shards(examples)
        LOGGER.info("%s", examples)
        with collecting(examples.path):
            record(examples.statistics)
            return self.score(examples, run)


def probabilities(task: PredictingTask, data: Any, batch_size: int = 64) -> np.ndarray:
    """The probability of each label that a classifier gives, (B, C).

    Args:
        task: A task with a `LabelHead`.
        data: A list of raw inputs, as `predict` takes it.
        batch_size: Batch size.
    """
    rows = task.predict_rows(task.raw_inputs(data), task.runner(), batch_size)
    return np.array([row["scores"] for row in rows]).reshape(-1, len(task.head.labels))
