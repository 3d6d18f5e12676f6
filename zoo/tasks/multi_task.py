"""Several classifiers that share one encoder, and learn together."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import keras

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.labelled import Labelled, LabelledTexts, read_labelled
from zoo.data.labelled_batches import NO_LABEL, BucketedTexts
from zoo.data.sampled_tasks import SampledTasks
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.tasks.labelling import Labelling
from zoo.tasks.task import Task, adapted
from zoo.tasks.text_classifier import PROBE_TEXTS, TextClassifier, Texts
from zoo.text import train_tokenizer
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

MEAN = "val_mean_accuracy"
SHAPES = 8  # of batches, of all tasks together; each costs a compilation


class MultiTask(Task):
    """Learns several classifications of texts or pairs with one encoder and a head for each.

    Source: Caruana 1997; Liu et al. 2019, algorithm 1.
    Formula: `L = sum_t lambda_t L_t`, a batch being of one task t

    `classifier(name)` gives each as a `TextClassifier`, which predicts, is saved and exported like
    any other.

    Args:
        model: A model for multi-task that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: wordpiece, sentencepiece, characters or bytes; one for all tasks.
        vocabulary_size: Number of pieces that the tokenizer may learn.
        max_length: Greatest number of tokens of a text or a pair, start and end tokens included;
            what is longer is cut, and training logs how many texts were.
        labels: By name of the task its labels, in the order of the classes; default what the data
            have, sorted.
        pairs: By name of the task whether each row has two texts; default what the data have.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> films = [("a fine film", "good"), ("a dull one", "bad")] * 2
        >>> same = [("a film", "a movie", "yes"), ("a film", "a tree", "no")] * 2
        >>> task = zoo.MultiTask(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> task.adapt({"films": films, "same": same})
        >>> history = task.fit(
        ...     {"films": films, "same": same}, epochs=1, weights={"same": 0.5}, xla=False,
        ...     verbose=False)
        >>> task.predict("same", [("a film", "a tree")])[0] in ("yes", "no")
        True
    """

    name = "multi-task"

    def __init__(
        self,
        model: str = "bert",
        preset: str = "tiny",
        *,
        tokenizer: str = "wordpiece",
        vocabulary_size: int = 8000,
        max_length: int = 128,
        labels: Mapping[str, Sequence[str]] | None = None,
        pairs: Mapping[str, bool] | None = None,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "tokenizer": tokenizer,
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "labels": {name: list(map(str, each)) for name, each in (labels or {}).items()},
                "pairs": dict(pairs or {}),
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, "max_sequence_length": max_length, **config}
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)
        self._classifiers: dict[str, TextClassifier] = {}

    # --- What it is made of ---

    @property
    def names(self) -> list[str]:
        """The names of the tasks."""
        return list(adapted(self.settings["labels"] or None))

    @property
    def codec(self) -> TextCodec:
        """Texts to padded ids."""
        return TextCodec(self.tokenizer, self.max_length, starts=True)

    def labelling(self, name: str) -> Labelling:
        """The labels of one task.

        Raises:
            UserError: If there is none of that name.
        """
        if name not in self.names:
            raise UserError(f"there is no task {name!r}; choose from {', '.join(self.names)}")
        return Labelling(self.settings["labels"][name], self.settings["pairs"][name])

    def adapt(self, data: Mapping[str, Labelled]) -> None:
        """Learns the tokenizer and the labels, and creates the model.

        What came with a checkpoint, the tokenizer and the encoder's weights, is taken instead.

        Args:
            data: By name of the task a file of labelled texts (.tsv, .csv, .jsonl), or a list of
                (text, label) or (text, second text, label).

        Raises:
            UserError: If there is no task, or all rows of one have one label.
        """
        _check_some("data", data)
        settings, texts = self.settings, []
        for name, given in data.items():
            rows = read_labelled(given)
            texts += rows.texts + (rows.seconds or [])
            found = Labelling.of(rows, settings["labels"].get(name), settings["pairs"].get(name))
            settings["labels"][name], settings["pairs"][name] = found.labels, found.pairs
            self.examples = self.examples or rows.texts[:PROBE_TEXTS]
        if self.start is not None:
            self._use(self.start.tokenizer)
            self.start.load(self.model)
            return
        self._use(train_tokenizer(settings["tokenizer"], texts, settings["vocabulary_size"]))

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._classifiers.clear()
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            self.name,
            vocabulary_size=tokenizer.vocabulary_size,
            num_classes={name: len(labels) for name, labels in self.settings["labels"].items()},
            **self._config,
        )

    # --- Training ---

    def fit(
        self,
        data: Mapping[str, Labelled],
        validation_data: Mapping[str, Labelled] | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        sampling: float = 1.0,
        batch_tokens: int = 2048,
        label_smoothing: float = 0.0,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: By name of the task what `adapt` takes.
            validation_data: The same, to choose the epoch of highest mean accuracy by.
            weights: By name of the task the factor of its loss; 1 where there is none.
            sampling: How often each task has its turn: 1, as often as it has batches; 0, all
                equally often.
            batch_tokens: Tokens in a batch, padding included.
            label_smoothing: Share of the probability that goes to all labels alike.
            **options: `zoo.training.options.FitOptions`.

        Outputs: The `History` of the run. In it `NAME_loss` is the part that the task NAME has in
        the mean loss of all batches, those of other tasks included.
        """
        _check_some("data", data)
        if validation_data is not None:
            _check_some("validation_data", validation_data)
        self._classifiers.clear()
        weights = dict(weights or {})
        for name in [*data, *(validation_data or {}), *weights]:
            self.labelling(name)
        chosen = self._options(options)
        parts, notes = self._parts(data, batch_tokens, chosen["seed"])
        batches = SampledTasks(parts, sampling, chosen["seed"])
        evaluate = None
        if validation_data is not None:
            held_out, more_notes = self._parts(validation_data, batch_tokens, chosen["seed"])
            notes = notes + more_notes

            def evaluate(_: keras.Model) -> dict[str, float]:
                return self._accuracies(held_out)

        return self._train(
            data,
            batches,
            None,
            chosen,
            {
                "weights": weights,
                "sampling": sampling,
                "batch_tokens": batch_tokens,
                "label_smoothing": label_smoothing,
            },
            loss={name: MaskedCrossentropy(label_smoothing, ignore_id=NO_LABEL) for name in parts},
            loss_weights={name: weights.get(name, 1.0) for name in parts},
            metrics={name: [MaskedAccuracy(ignore_id=NO_LABEL, name="accuracy")] for name in parts},
            evaluate=evaluate,
            monitor=None if evaluate is None else MEAN,
            mode="min" if evaluate is None else "max",
            notes=[*notes, str(batches)],
        )

    def _parts(
        self, data: Mapping[str, Labelled], tokens: int, seed: int
    ) -> tuple[dict[str, BucketedTexts], list[str]]:
        """The batches of each task, and what to log of them."""
        parts, notes = {}, []
        for name, given in data.items():
            rows = read_labelled(given)
            parts[name] = self._batches(name, rows, tokens, max(1, SHAPES // len(data)), seed)
            notes += [f"{name}: {rows}", f"{name}: {parts[name]}"]
        return parts, notes

    def _batches(
        self, name: str, rows: LabelledTexts, tokens: int, max_buckets: int, seed: int
    ) -> BucketedTexts:
        numbers = self.labelling(name).numbers(rows)
        texts = TokenizedTexts(
            rows.texts, self.tokenizer, self.max_length, rows.seconds, starts=True
        )
        return BucketedTexts(texts, numbers, tokens, max_buckets, seed, segments=True)

    def _accuracies(self, parts: dict[str, BucketedTexts]) -> dict[str, float]:
        """The accuracy on each task, and their mean."""
        found = {}
        for name, part in parts.items():
            metric = MaskedAccuracy(ignore_id=NO_LABEL)
            for x, labels in part.dataset(shuffle=False):
                metric.update_state(labels, self._run(x)[name])
            found[f"val_{name}_accuracy"] = float(metric.result())
        return {**found, MEAN: sum(found.values()) / len(found)}

    # --- Use ---

    def classifier(self, name: str) -> TextClassifier:
        """One of the tasks as a task of its own, with a copy of the weights as they are now.

        Args:
            name: Its name.

        Raises:
            UserError: If there is none of that name.
        """
        labelling, settings = self.labelling(name), self.settings
        shared = {key: settings[key] for key in settings if key not in ("labels", "pairs")}
        task = TextClassifier(**shared, **vars(labelling))
        task.examples, task.data = self.examples, self.data
        task._use(self.tokenizer)
        layers = {layer.name: layer for layer in self.model.layers}
        layers[task.model.head.name] = self.model.heads[name]
        for layer in task.model.layers:
            if layer.weights:
                layer.set_weights(layers[layer.name].get_weights())
        return task

    def _classifier(self, name: str) -> TextClassifier:
        """The same, made once until the next training."""
        if name not in self._classifiers:
            self._classifiers[name] = self.classifier(name)
        return self._classifiers[name]

    def predict(self, name: str, texts: Texts, batch_size: int = 64) -> list[str]:
        """The most probable label of each text.

        Args:
            name: The name of the task.
            texts: Texts, or pairs of texts.
            batch_size: How many are worked on at once, those of like length together.
        """
        return self._classifier(name).predict(texts, batch_size)

    def evaluate(self, data: Mapping[str, Labelled]) -> dict[str, float]:
        """Scores the labels that the model gives: of each task its accuracy and its F1 averaged
        over the labels, and the mean of the accuracies.

        Args:
            data: By name of the task a file of labelled texts, or a list of rows.
        """
        _check_some("data", data)
        scores = {name: self._classifier(name).evaluate(rows) for name, rows in data.items()}
        self.metrics = {
            f"{name}_{metric}": value
            for name, each in scores.items()
            for metric, value in each.items()
        }
        accuracies = [each["accuracy"] for each in scores.values()]
        self.metrics[MEAN.removeprefix("val_")] = sum(accuracies) / len(accuracies)
        return self.metrics

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """Raises a UserError: what is exported is one of the classifiers."""
        name = self.names[0]
        raise UserError(
            f"of several tasks each is exported alone: export task.classifier({name!r})"
        )


def _check_some(name: str, data: Mapping[str, Labelled]) -> None:
    """Raises a UserError where there is no task, or one whose name no layer can have."""
    if not data:
        raise UserError(f"{name} must have a task at least, as {{name: rows}}")
    for task in data:
        if "/" in task:
            raise UserError(f"the name of a task must have no slash, got {task!r}")
