"""From the words of a text to a tag for each: names, parts of speech."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.buckets import MAX_BUCKETS
from zoo.data.chunk_batches import BucketedChunks
from zoo.data.chunks import chunks_of, lost_in
from zoo.data.labelled_batches import NO_LABEL
from zoo.data.tagged import Tagged, TaggedTexts, read_tagged
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.notes import Lost, note, noting
from zoo.tasks.labelling import check_labels
from zoo.tasks.serving import text_probes
from zoo.tasks.tag_scores import score_tags
from zoo.tasks.tag_serving import tag_signatures
from zoo.tasks.task import Task, adapted
from zoo.text import train_tokenizer
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer
from zoo.text.whitespace import split_words
from zoo.training.history import History
from zoo.training.options import FitOptions

PROBE_TEXTS = 8  # texts of the training data that verification uses


class TokenTagger(Task):
    """Learns which tag each word of a text has from a file of tagged words.

    Source: Devlin et al. 2019, section 5.3: a word's first piece stands for it.

    Args:
        model: A model for token-tagger that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: wordpiece, sentencepiece, characters or bytes.
        vocabulary_size: Number of pieces that the tokenizer may learn.
        max_length: Greatest number of tokens that the model reads at once, start and end token
            included; longer sentences are read in several parts.
        labels: The tags in the order of the classes; default those of the data, sorted.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> rows = [(["Ann", "sings"], ["B-PER", "O"]), (["rain", "falls"], ["O", "O"])]
        >>> task = zoo.TokenTagger(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> [word for word, tag in task.predict(["Ann sings"])[0]]
        ['Ann', 'sings']
    """

    name = "token-tagger"

    def __init__(
        self,
        model: str = "bert",
        preset: str = "tiny",
        *,
        tokenizer: str = "wordpiece",
        vocabulary_size: int = 8000,
        max_length: int = 128,
        labels: Sequence[str] | None = None,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if max_length < 3:
            raise UserError(f"max_length must be at least 3, got {max_length}")
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "tokenizer": tokenizer,
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "labels": None if labels is None else list(map(str, labels)),
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, "max_sequence_length": max_length, **config}
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)
        self._classify: Any = None

    # --- What it is made of ---

    @property
    def labels(self) -> list[str]:
        """The tags, by the number of the class."""
        return adapted(self.settings["labels"])

    @property
    def codec(self) -> TextCodec:
        """Texts to padded ids."""
        return TextCodec(self.tokenizer, self.max_length, starts=True)

    def adapt(self, data: Tagged) -> None:
        """Learns the tokenizer and the tags, and creates the model.

        What came with a checkpoint, the tokenizer and the encoder's weights, is taken instead.

        Args:
            data: A file of tagged words in CoNLL's form, or a list of (words, tags).

        Raises:
            UserError: If all words have one tag.
        """
        rows, settings = read_tagged(data), self.settings
        texts = [" ".join(words) for words in rows.words]
        check_labels(settings["labels"])
        if settings["labels"] is None:
            settings["labels"] = sorted({tag for tags in rows.tags for tag in tags})
        if len(self.labels) < 2:
            raise UserError(f"{rows.path} has one tag only, {self.labels[0]!r}: nothing to tell")
        self.examples = texts[:PROBE_TEXTS]
        if self.start is not None:
            self._use(self.start.tokenizer)
            self.start.load(self.model)
            return
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
        data: Tagged,
        validation_data: Tagged | None = None,
        *,
        batch_tokens: int = 2048,
        label_smoothing: float = 0.0,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A file of tagged words in CoNLL's form, or a list of (words, tags).
            validation_data: The same, to choose the epoch of highest accuracy by.
            batch_tokens: Tokens in a batch, padding included.
            label_smoothing: Share of the probability that goes to all tags alike.
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
        self, data: Tagged, tokens: int, seed: int, max_buckets: int
    ) -> tuple[BucketedChunks, TaggedTexts]:
        """The batches of some sentences, and the sentences."""
        rows = read_tagged(data)
        numbers = self._numbers(rows)
        chunks = chunks_of(rows.words, self.tokenizer, self.max_length)
        labels = [
            numbers[chunk.sentence][chunk.begin : chunk.begin + len(chunk.firsts)]
            for chunk in chunks
        ]
        marks = self.tokenizer.special_tokens
        return BucketedChunks(chunks, labels, tokens, max_buckets, seed, marks), rows

    def _numbers(self, rows: TaggedTexts) -> list[list[int]]:
        number = {tag: i for i, tag in enumerate(self.labels)}
        unknown = sorted({tag for tags in rows.tags for tag in tags} - set(number))
        if unknown:
            known = ", ".join(self.labels)
            raise UserError(f"{rows.path} has the tag {unknown[0]!r}; this task knows {known}")
        return [[number[tag] for tag in tags] for tags in rows.tags]

    # --- Use ---

    def probabilities(self, token_ids: Any) -> Any:
        """Ids (B, T) to the probability of each tag at each token, (B, T, C); 0 at padding."""
        inputs = self.model.inputs_for(token_ids, self.tokenizer.special_tokens)
        found = ops.softmax(self.model(inputs)["logits"], axis=-1)
        return ops.where(ops.expand_dims(inputs["padding_mask"], -1), found, 0.0)

    def predict(
        self, texts: Sequence[str] | Sequence[Sequence[str]], batch_size: int = 64
    ) -> list[list[tuple[str, str]]]:
        """The words of each text, with their tags.

        Args:
            texts: Texts, split at white space, or lists of words.
            batch_size: How many are worked on at once, those of like length together.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        sentences = [split_words(text) if isinstance(text, str) else list(text) for text in texts]
        chunks = chunks_of(sentences, self.tokenizer, self.max_length)
        with noting("predict"):
            note(lost_in(chunks, self.tokenizer.special_tokens))
        tags: list[list[str]] = [[""] * len(words) for words in sentences]
        order = sorted(range(len(chunks)), key=lambda i: len(chunks[i].ids))
        for start in range(0, len(order), batch_size):
            rows = [chunks[i] for i in order[start : start + batch_size]]
            width = max(len(chunk.ids) for chunk in rows)
            ids = np.full((len(rows), width), self.tokenizer.special_tokens.pad, np.int32)
            for row, chunk in zip(ids, rows, strict=True):
                row[: len(chunk.ids)] = chunk.ids
            found = ops.convert_to_numpy(self._classify(ops.convert_to_tensor(ids))).argmax(axis=-1)
            for classes, chunk in zip(found, rows, strict=True):
                for word, place in enumerate(chunk.firsts, chunk.begin):
                    tags[chunk.sentence][word] = self.labels[classes[place]]
        return [list(zip(*pair, strict=True)) for pair in zip(sentences, tags, strict=True)]

    def evaluate(self, data: Tagged) -> dict[str, float]:
        """Scores the tags that the model gives; see `zoo.tasks.tag_scores.score_tags`.

        Args:
            data: A file of tagged words in CoNLL's form, or a list of (words, tags).
        """
        rows = read_tagged(data)
        self._numbers(rows)  # raises for a tag that it does not know
        with noting(rows.path):
            note(rows.lost)
            given = [[tag for _, tag in sentence] for sentence in self.predict(rows.words)]
        self.metrics = score_tags(rows.tags, given)
        return self.metrics

    def score_predictions(
        self, predict: Callable[[list[str]], list[str]], data: Tagged
    ) -> dict[str, float]:
        """The scores of anything that gives tags, with a space between, for texts, such as an
        exported file; a word that it gives no tag counts as wrong.
        """
        rows = read_tagged(data)
        given = [text.split() for text in predict([" ".join(words) for words in rows.words])]
        full = [
            tags + [""] * (len(right) - len(tags))
            for tags, right in zip(given, rows.tags, strict=True)
        ]
        chunks = chunks_of(rows.words, self.tokenizer, self.max_length)
        untagged = sum(tags.count("") for tags in full)
        with noting(rows.path):
            note(rows.lost + lost_in(chunks, self.tokenizer.special_tokens))
            note(Lost({"words without a tag, which count as wrong": untagged}))
        return score_tags(rows.tags, full)

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.tag_serving`."""
        return tag_signatures(self, strings, litert)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return text_probes(self, self.examples)
