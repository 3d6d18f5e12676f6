"""The predictions and the metrics of a task, from its model or from an artifact."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from zoo.data.readers.files import name_of
from zoo.data_statistics import LOGGER, collecting, discarding, record
from zoo.serving.inference import Program, Run
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.base import BaseTask
from zoo.tasks.parts import Predictor
from zoo.tasks.provenance import names_of, trained_on

AnyPredictor = Predictor[Any, Any, Any, Any, Any]


class PredictingTask(BaseTask):
    """A task that predicts outputs, and computes metrics."""

    def predict(self, data: Any, batch_size: int = 64, **options: Any) -> list[Any]:
        """Predicts an output for each row.

        Args:
            data: A list of raw inputs.
            batch_size: Batch size. Rows of similar length are batched together.
            **options: Generation options, for tasks that generate text.
        """
        predictor = self.predictor(self.runner(**options), options)
        return self.parts.answer.predict(predictor, data, batch_size, options)

    def predict_named(self, data: Any, batch_size: int = 64, **options: Any) -> list[Any]:
        """`predict`, where the parts of an answer have names, such as nodes or times: with these.

        Args:
            data: A list of raw inputs.
            batch_size: Batch size.
            **options: See `predict`.
        """
        return self.predict(data, batch_size, **options)

    def predictor(self, run: Run, options: Mapping[str, Any] | None = None) -> AnyPredictor:
        """What computes answers.

        Args:
            run: Function that runs an inference by name, in Python or in an artifact.
            options: Options of the answer, by name.
        """
        preprocessor = self.preprocessor_with(**(options or {}))
        fitted = replace(self.fitted, preprocessor=preprocessor)
        return Predictor(fitted, self.parts.input, self.head, run, dict(options or {}))

    def runner(self, **options: Any) -> Run:
        """A function that runs the inferences of the model, for a predictor.

        Raises:
            UserError: If the task has no such options.
        """
        if not (options or self.parts.answer.options.names()):
            return lambda name, features: self.program(name)(features)
        return self._runner_with(options)

    def _runner_with(self, options: Mapping[str, Any]) -> Run:
        answer, fitted = self.parts.answer, self.fitted
        answer.options.of(options, self.name)  # validates them
        reader = self.parts.input.reader(fitted)
        return answer.runner(fitted, self.head, reader, self._programs, options)

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
        return self.evaluate_with(self.runner(**options), data, **options)

    def evaluate_with(self, run: Run, data: Any, **options: Any) -> dict[str, float]:
        """Computes the metrics with a function that runs an inference by name; see `evaluate`."""
        examples = self.read_to_evaluate(data, **options)
        self.say_what_is_evaluated(data, examples)
        scores = self._scores(examples, run, options)
        return self.keep_metrics(data, scores | self.baseline_scores(examples))

    def score(self, examples: Any, run: Run, **options: Any) -> dict[str, float]:
        self.parts.input.check_examples(examples, self.settings, self.preprocessor)
        return self.parts.answer.score(self.predictor(run, options), examples)

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

    def _scores(
        self, examples: Any, run: Run, options: Mapping[str, Any] | None = None
    ) -> dict[str, float]:
        LOGGER.info("%s", examples)
        with collecting(examples.path):
            record(examples.statistics)
            return self.score(examples, run, **(options or {}))


def probabilities(task: PredictingTask, data: Any, batch_size: int = 64) -> np.ndarray:
    """The probability of each label that a classifier gives, (B, C).

    Args:
        task: A task with a `LabelHead`.
        data: A list of raw inputs, as `predict` takes it.
        batch_size: Batch size.
    """
    predictor = task.predictor(task.runner())
    rows = predictor.rows(predictor.raw(data), batch_size)
    return np.array([row["scores"] for row in rows]).reshape(-1, len(task.head.labels))
