"""From a text, or a pair of texts, to its label."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.buckets import MAX_BUCKETS
from zoo.data.labelled import Labelled, LabelledTexts, read_labelled
from zoo.data.labelled_batches import NO_LABEL, BucketedTexts
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.options import check_options, has_option
from zoo.notes import note, noting
from zoo.tasks.label_serving import label_probes, label_signatures
from zoo.tasks.labelling import Labelling
from zoo.tasks.scores import score_labels
from zoo.tasks.task import Task, adapted
from zoo.text import train_tokenizer
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

Texts = Sequence[str] | Sequence[tuple[str, str]]
PROBE_TEXTS = 8  # texts of the training data that verification uses


class TextClassifier(Task):
    """Learns which label a text has from a file of labelled texts.

    Args:
        model: A model for text-classifier that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: wordpiece, sentencepiece, characters or bytes.
        vocabulary_size: Number of pieces that the tokenizer may learn.
        max_length: Greatest number of tokens of a text, the end token included; what is longer is
            cut, and training logs how many texts were.
        labels: The labels in the order of the classes; default those of the data, sorted.
        pairs: Whether each row has two texts; default what the data has.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> rows = [("a fine film", "good"), ("a dull one", "bad")] * 4
        >>> task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> set(task.predict(["fine", "dull"])) <= {"good", "bad"}
        True
    """

    name = "text-classifier"

    def __init__(
        self,
        model: str = "rnn_classifier",
        preset: str = "tiny",
        *,
        tokenizer: str = "wordpiece",
        vocabulary_size: int = 8000,
        max_length: int = 128,
        labels: Sequence[str] | None = None,
        pairs: bool | None = None,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if max_length < 2:
            raise UserError(f"max_length must be at least 2, got {max_length}")
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "tokenizer": tokenizer,
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "labels": None if labels is None else list(map(str, labels)),
                "pairs": pairs,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, **config}
        if has_option(model, "max_sequence_length"):
            self._config["max_sequence_length"] = max_length
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)
        self._classify: Any = None

    # --- What it is made of ---

    @property
    def codec(self) -> TextCodec:
        """Texts to padded ids."""
        return TextCodec(self.tokenizer, self.max_length, self._segments)

    @property
    def _segments(self) -> bool:
        """Whether the model reads a start token, and which text of a pair each token is of."""
        return "segment_ids" in self.model.input

    @property
    def labels(self) -> list[str]:
        """The labels, by the number of the class."""
        return adapted(self.settings["labels"])

    @property
    def _labelling(self) -> Labelling:
        return Labelling(self.labels, self.settings["pairs"])

    def adapt(self, data: Labelled) -> None:
        """Learns the tokenizer and the labels, and creates the model.

        What came with a checkpoint, the tokenizer and the encoder's weights, is taken instead.

        Args:
            data: A file of labelled texts (.tsv, .csv, .jsonl), or a list of (text, label) or
                (text, second text, label).

        Raises:
            UserError: If all rows have one label.
        """
        rows = read_labelled(data)
        settings = self.settings
        settings |= vars(Labelling.of(rows, settings["labels"], settings["pairs"]))
        self.examples = rows.texts[:PROBE_TEXTS]
        if self.start is not None:
            self._use(self.start.tokenizer)
            self.start.load(self.model)
            return
        texts = rows.texts + (rows.seconds or [])
        self._use(train_tokenizer(settings["tokenizer"], texts, settings["vocabulary_size"]))

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            self.name,
            vocabulary_size=tokenizer.vocabulary_size,
            num_classes=len(self.labels),
            **self._config,
        )
        self._classify = self.probabilities
        if keras.backend.backend() == "tensorflow":
            ids = tf.TensorSpec([None, None], tf.int32)
            self._classify = tf.function(self.probabilities, input_signature=[ids], autograph=False)

    # --- Training ---

    def fit(
        self,
        data: Labelled,
        validation_data: Labelled | None = None,
        *,
        batch_tokens: int = 2048,
        label_smoothing: float = 0.0,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A file of labelled texts (.tsv, .csv, .jsonl), or a list of rows.
            validation_data: The same, to choose the epoch of highest accuracy by.
            batch_tokens: Tokens in a batch, padding included.
            label_smoothing: Share of the probability that goes to all labels alike.
            **options: `zoo.training.options.FitOptions`.

        Outputs: The `History` of the run.
        """
        chosen = self._options(options)
        batches, rows = self._batches(data, batch_tokens, chosen["seed"], MAX_BUCKETS)
        notes: list[Any] = [rows, batches]
        held_out = None
        if validation_data is not None:
            held_out, rows = self._batches(
                validation_data, batch_tokens, chosen["seed"], max_buckets=2
            )
            notes += [rows, held_out]
        return self._train(
            data,
            batches,
            held_out,
            chosen,
            {"batch_tokens": batch_tokens, "label_smoothing": label_smoothing},
            loss={"logits": MaskedCrossentropy(label_smoothing, ignore_id=NO_LABEL)},
            metrics={"logits": [MaskedAccuracy(ignore_id=NO_LABEL, name="accuracy")]},
            monitor=None if held_out is None else "val_accuracy",
            mode="min" if held_out is None else "max",
            notes=notes,
        )

    def _batches(
        self, data: Labelled, tokens: int, seed: int, max_buckets: int
    ) -> tuple[BucketedTexts, LabelledTexts]:
        """The batches of some rows, and the rows."""
        rows = read_labelled(data)
        segments, limit = self._segments, self.max_length
        texts = TokenizedTexts(rows.texts, self.tokenizer, limit, rows.seconds, segments)
        numbers = self._labelling.numbers(rows)
        return BucketedTexts(texts, numbers, tokens, max_buckets, seed, segments), rows

    # --- Use ---

    def probabilities(self, token_ids: Any) -> Any:
        """Ids (B, T) to the probability of each label, (B, C)."""
        inputs = self.model.inputs_for(token_ids, self.tokenizer.special_tokens)
        return ops.softmax(self.model(inputs)["logits"], axis=-1)

    def predict_proba(self, texts: Texts, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`.

        Args:
            texts: Texts, or pairs of texts.
            batch_size: How many are worked on at once, those of like length together.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        for text in texts:
            self._labelling.check_pairs("texts", not isinstance(text, str))
        found = np.zeros((len(texts), len(self.labels)), "float32")
        order = sorted(range(len(texts)), key=lambda i: len("".join(texts[i])))
        with noting("predict"):
            for start in range(0, len(texts), batch_size):
                rows = order[start : start + batch_size]
                given = [[texts[i]] if isinstance(texts[i], str) else texts[i] for i in rows]
                ids = ops.convert_to_tensor(self.codec.read(*zip(*given, strict=True)))
                found[rows] = ops.convert_to_numpy(self._classify(ids))
        return found

    def predict(self, texts: Texts, batch_size: int = 64) -> list[str]:
        """The most probable label of each text.

        Args:
            texts: Texts, or pairs of texts.
            batch_size: As for `predict_proba`.
        """
        return [self.labels[i] for i in self.predict_proba(texts, batch_size).argmax(axis=-1)]

    def evaluate(self, data: Labelled) -> dict[str, float]:
        """Scores the labels that the model gives: accuracy, and F1 averaged over the labels.

        Args:
            data: A file of labelled texts, or a list of rows.
        """
        rows = read_labelled(data)
        self._labelling.numbers(rows)  # raises for a label that it does not know
        texts: Any = rows.texts
        if rows.seconds is not None:
            texts = list(zip(rows.texts, rows.seconds, strict=True))
        with noting(rows.path):
            note(rows.lost)
            self.metrics = score_labels(rows.labels, self.predict(texts))
        return self.metrics

    def score_predictions(
        self, predict: Callable[..., list[str]], data: Labelled
    ) -> dict[str, float]:
        """The scores of anything that gives labels for texts, such as an exported file.

        Args:
            predict: Gives labels for texts; of pairs for the first texts and the second.
            data: A file of labelled texts, or a list of rows.
        """
        rows = read_labelled(data)
        self._labelling.check_pairs(rows.path, rows.seconds is not None)
        columns = [rows.texts] if rows.seconds is None else [rows.texts, rows.seconds]
        with noting(rows.path):
            note(rows.lost)
            self.codec.read(*columns)  # notes of it what `evaluate` would
        return score_labels(rows.labels, list(predict(*columns)))

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.label_serving`."""
        return label_signatures(self, strings, litert)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return label_probes(self, self.examples)
