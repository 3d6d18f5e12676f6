"""Labels of several tasks as the answer of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import keras

from zoo.data.batching.batches import Batches
from zoo.data.readers.labeled_tasks import LabeledTasks
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead
from zoo.heads.label_of_tasks import MEAN, LabelOfTasksHead
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.inputs.raw_texts import listed
from zoo.tasks.labels import known_tasks, label_set, label_set_of
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow
from zoo.tasks.score_scaling import ScoreScaling
from zoo.training.calibration import CalibrationOfTasks, calibrate_tasks

FittedTasks = Fitted[Settings, TextPreprocessor, keras.Model]
TasksPredictor = Predictor[Settings, TextPreprocessor, keras.Model, LabeledTasks, LabelOfTasksHead]


class LabelsOfTasks(
    Answer[Settings, TextPreprocessor, keras.Model, LabeledTasks, LabelOfTasksHead]
):
    """One label of its task for each row: those of the settings, or else of the training data."""

    def learn(self, examples: LabeledTasks, settings: Settings) -> Settings:
        labels, pairs = dict(settings.labels), dict(settings.pairs)
        for name, part in examples.parts.items():
            own = label_set(part, labels.get(name), pairs.get(name))
            labels[name], pairs[name] = own.labels, own.pairs
        return replace(settings, labels=labels, pairs=pairs)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"num_classes": {name: len(labels) for name, labels in settings.labels.items()}}

    def head(self, settings: Settings, preprocessor: TextPreprocessor) -> LabelOfTasksHead:
        return LabelOfTasksHead({name: LabelHead(own) for name, own in settings.labels.items()})

    def scaled(self, head: LabelOfTasksHead, scaling: ScoreScaling) -> LabelOfTasksHead:
        temperatures = scaling.temperatures
        heads = {
            name: replace(own, temperature=temperatures.get(name, 1.0))
            for name, own in head.heads.items()
        }
        return LabelOfTasksHead(heads)

    def calibration(self, fitted: FittedTasks, held_out: Batches) -> CalibrationOfTasks:
        return calibrate_tasks(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self,
        fitted: FittedTasks,
        head: LabelOfTasksHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def check_exportable(self, settings: Settings) -> None:
        name = next(iter(known_tasks(settings)))
        raise UserError(f"export one task at a time: task.classifier({name!r})")

    def predict(
        self, predictor: TasksPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> dict[str, list[str]]:
        """The most probable label of each text.

        Args:
            predictor: Computes labels.
            data: Texts or pairs of texts, by name of the task.
            batch_size: Batch size. Texts of similar length are batched together.
            options: Nothing.

        Returns:
            A list of labels, by name of the task.
        """
        return {
            name: _labels(predictor, name, listed(texts), batch_size)
            for name, texts in data.items()
        }

    def preview(
        self, predictor: TasksPredictor, examples: LabeledTasks, count: int
    ) -> list[PreviewRow]:
        shown = examples.first_rows(count)
        rows = [row.data for row in shown]  # pairs of the name of a task and an input of it
        names = dict.fromkeys(name for name, _ in rows)
        texts = {name: [text for task, text in rows if task == name] for name in names}
        labels = {name: iter(_labels(predictor, name, texts[name])) for name in names}
        return [
            PreviewRow(row.name, next(labels[row.data[0]]), *row[2:], row.data) for row in shown
        ]

    def score(self, predictor: TasksPredictor, examples: LabeledTasks) -> dict[str, float]:
        """Accuracy and macro F1 of each task, and the mean of the accuracies."""
        metrics: dict[str, float] = {}
        for name, part in examples.parts.items():
            label_set_of(predictor.fitted.settings, name).numbers(part)  # raises for unknown labels
            results = [result[name] for result in predictor.results(part.inputs)]
            scores = predictor.head.heads[name].score(part.labels, results)
            metrics |= {f"{name}_{metric}": score for metric, score in scores.items()}
        accuracies = [metrics[f"{name}_accuracy"] for name in examples.parts]
        return {**metrics, MEAN: sum(accuracies) / len(accuracies)}


def _labels(
    predictor: TasksPredictor, name: str, texts: Sequence[Any], batch_size: int = 64
) -> list[str]:
    """The labels of inputs of one task."""
    label_set_of(predictor.fitted.settings, name)  # raises for an unknown name
    columns = predictor.raw([(name, text) for text in texts])
    return [result[name] for result in predictor.results(columns, batch_size)]
