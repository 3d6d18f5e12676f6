"""Several classifiers that share one encoder, and are trained together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import keras

from keras_attn.metrics.token import MaskedAccuracy
from zoo.attention_map import AttentionMap
from zoo.data.batching.columns import NO_LABEL
from zoo.data.batching.interleaved import InterleavedTasks
from zoo.data.readers.labeled_tasks import LabeledTasks, read_labeled_tasks
from zoo.errors import UserError
from zoo.heads.label import LabelHead, label_objective
from zoo.preprocessing.base import Preprocessor
from zoo.tasks.definition import adapted
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.labels import LabelSet, label_set
from zoo.tasks.options import multi_task as options
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.views import PreviewRow
from zoo.training.objective import Objective

MEAN = "mean_accuracy"
SHAPES = 8  # maximum number of batch shapes of all tasks, since each requires a compilation


class MultiTask(EncoderTask):
    """Trains several classifiers of texts or pairs of texts that share one encoder.

    Source: Caruana 1997; Liu et al. 2019, algorithm 1.
    Formula: `L = sum_t lambda_t L_t`, where each batch has examples of a single task t

    Data is a dictionary from the name of each task to the data of a `TextClassifier`.
    `classifier(name)` returns one of them as a `TextClassifier`, to predict with, save and export.
    In the training history, `NAME_loss` is the contribution of the task NAME to the loss, averaged
    over the batches of all tasks.

    Example:
        >>> import zoo
        >>> films = [("a fine film", "good"), ("a dull one", "bad")] * 2
        >>> same = [("a film", "a movie", "yes"), ("a film", "a tree", "no")] * 2
        >>> task = zoo.MultiTask(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> task.adapt({"films": films, "same": same})
        >>> history = task.fit(
        ...     {"films": films, "same": same}, epochs=1, weights={"same": 0.5}, xla=False,
        ...     verbose=False)
        >>> task.classifier("same").predict([("a film", "a tree")])[0] in ("yes", "no")
        True
    """

    name = "multi-task"
    Settings = options.Settings
    Training = options.Training

    @property
    def names(self) -> list[str]:
        """The names of the tasks."""
        return list(adapted(self.settings.labels or None))

    def label_set(self, name: str) -> LabelSet:
        """The labels of one task.

        Raises:
            UserError: If there is no task with that name.
        """
        if name not in self.names:
            raise UserError(f"there is no task {name!r}; choose from {', '.join(self.names)}")
        return LabelSet(self.settings.labels[name], self.settings.pairs[name])

    def read(self, data: Mapping[str, Any]) -> LabeledTasks:
        return read_labeled_tasks(data, self.settings)

    def texts(self, examples: LabeledTasks) -> Iterable[str]:
        for part in examples.parts.values():
            yield from part.texts + (part.seconds or [])

    def learn(self, examples: LabeledTasks) -> Preprocessor:
        labels, pairs = self.settings.labels, self.settings.pairs
        for name, part in examples.parts.items():
            found = label_set(part, labels.get(name), pairs.get(name))
            labels[name], pairs[name] = found.labels, found.pairs
        return super().learn(examples)

    def model_sizes(self) -> dict[str, Any]:
        return {
            **super().model_sizes(),
            "num_classes": {name: len(each) for name, each in self.settings.labels.items()},
        }

    # --- Training ---

    def batches(
        self, examples: LabeledTasks, training: Any, held_out: bool = False
    ) -> InterleavedTasks:
        for name in training.weights:
            self.label_set(name)
        many = max(1, SHAPES // len(examples.parts))
        parts = {
            name: self.text_batches(rows, self.label_set(name).numbers(rows), training, many)
            for name, rows in examples.parts.items()
        }
        return InterleavedTasks(parts, training.sampling, training.seed)

    def objective(self, training: Any) -> Objective:
        weights = {name: training.weights.get(name, 1.0) for name in self.names}
        heads = {name: LabelHead(self.settings.labels[name]) for name in self.names}
        return label_objective(heads, training.label_smoothing, f"val_{MEAN}", weights)

    def validation(self, batches: Any) -> Callable[[keras.Model], dict[str, float]]:
        def evaluate(model: keras.Model) -> dict[str, float]:
            found = {}
            for name, part in batches.parts.items():
                metric = MaskedAccuracy(ignore_id=NO_LABEL)
                for x, labels in part.dataset(shuffle=False):
                    metric.update_state(labels, model(x)[name])
                found[f"val_{name}_accuracy"] = float(metric.result())
            return {**found, f"val_{MEAN}": sum(found.values()) / len(found)}

        return evaluate

    # --- Use ---

    def classifier(self, name: str) -> TextClassifier:
        """One of the tasks as a separate `TextClassifier`, with a copy of the current weights.

        Args:
            name: Name of the task.

        Raises:
            UserError: If there is no task with that name.
        """
        found, settings = self.label_set(name), self.settings.values()
        own = {"labels": found.labels, "pairs": found.pairs}
        task = TextClassifier(**{**settings, **own}, **self.model_options)
        task.examples, task.data = self.examples, self.data
        if found.pairs:
            task.examples = {**self.examples, "second": self.examples.get("text", [])}
        task.use_tokenizer(self.tokenizer)
        layers = {layer.name: layer for layer in self.model.layers}
        layers[task.model.head.name] = self.model.heads[name]
        for layer in task.model.layers:
            if layer.weights:
                layer.set_weights(layers[layer.name].get_weights())
        return task

    def predict(self, data: Mapping[str, Sequence[Any]], batch_size: int = 64, **_: Any) -> Any:
        """The most probable label of each text.

        Args:
            data: Texts or pairs of texts, by name of the task.
            batch_size: Batch size. Texts of similar length are batched together.

        Returns:
            A list of labels, by name of the task.
        """
        return {
            name: self.classifier(name).predict(texts, batch_size) for name, texts in data.items()
        }

    def evaluate(self, data: Mapping[str, Any], **_: Any) -> dict[str, float]:
        """Accuracy and macro F1 of each task, and the mean of the accuracies.

        Args:
            data: Files of labeled texts, or lists of rows, by name of the task.
        """
        self.read(data)
        scores = {name: self.classifier(name).evaluate(rows) for name, rows in data.items()}
        metrics = {
            f"{name}_{metric}": value
            for name, each in scores.items()
            for metric, value in each.items()
        }
        accuracies = [each["accuracy"] for each in scores.values()]
        metrics[MEAN] = sum(accuracies) / len(accuracies)
        return self.keep_metrics(data, metrics)

    def preview(self, data: Mapping[str, Any], count: int) -> list[PreviewRow]:
        self.read(data)
        return [
            row._replace(source=f"{name}: {row.source}", input=(name, row.input))
            for name, rows in data.items()
            for row in self.classifier(name).preview(rows, max(1, count // len(data)))
        ]

    def attention_parts(
        self, data: tuple[str, Any], **options: Any
    ) -> dict[str, list[AttentionMap]]:
        """The attention maps of one input, which is the name of a task and an input of it."""
        name, text = data
        return self.classifier(name).attention_parts(text, **options)

    def signatures(self, text: str | None, litert: bool = False, **options: Any) -> Any:
        """Raises a `UserError`, since each classifier is exported separately."""
        name = self.names[0]
        raise UserError(f"export one task at a time: task.classifier({name!r})")
