"""From a text to a vector, near those of texts that mean the like."""

from typing import Any, Unpack

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data.buckets import MAX_BUCKETS
from zoo.data.given import Data, as_pairs
from zoo.data.labelled import Labelled, read_labelled
from zoo.data.pairs import Pairs
from zoo.data.twin_batches import BucketedTwins
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.models.pooling import POOLINGS, TINY
from zoo.notes import note, noting
from zoo.tasks.embedding_serving import embedding_signatures
from zoo.tasks.scores import score_likeness
from zoo.tasks.serving import text_probes
from zoo.tasks.task import Task
from zoo.text import train_tokenizer
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer
from zoo.training.history import History
from zoo.training.multiple_negatives import MultipleNegatives
from zoo.training.options import FitOptions

PROBE_TEXTS = 8  # texts of the training data that verification uses


class TextEmbedder(Task):
    """Makes vectors of texts; learns from pairs of texts that mean the like.

    `zoo.from_pretrained` gives one that has learned already.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t`, `cls: v = x_1`; then `v / |v|` if normalized

    Args:
        model: A model for text-embedder that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: wordpiece, sentencepiece, characters or bytes.
        vocabulary_size: Number of pieces that the tokenizer may learn.
        pooling: What stands for a text: "mean" of its tokens, or "cls", the start token alone.
        normalize: Whether vectors have the length 1.
        max_length: Greatest number of tokens of a text, start and end token included; what is
            longer is cut.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> pairs = [("a red hut", "a hut, red"), ("two dogs", "dogs, two of them")]
        >>> task = zoo.TextEmbedder(hidden_dim=8, intermediate_dim=16, max_length=16)
        >>> task.adapt(pairs)
        >>> history = task.fit(pairs, epochs=1, xla=False, verbose=False)
        >>> task.embed(["a hut", "red"]).shape
        (2, 8)
    """

    name = "text-embedder"

    def __init__(
        self,
        model: str = "bert",
        preset: str = "mini_lm",
        *,
        tokenizer: str = "wordpiece",
        vocabulary_size: int = 8000,
        pooling: str = "mean",
        normalize: bool = True,
        max_length: int = 128,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if pooling not in POOLINGS:
            raise UserError(f"pooling must be one of {', '.join(POOLINGS)}, got {pooling!r}")
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "tokenizer": tokenizer,
                "vocabulary_size": vocabulary_size,
                "pooling": pooling,
                "normalize": normalize,
                "max_length": max_length,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, "max_sequence_length": max_length, **config}
        check_options(model, preset, self._config, self.name)
        self._embed: Any = None

    # --- What it is made of ---

    @property
    def codec(self) -> TextCodec:
        """Texts to padded ids."""
        return TextCodec(self.tokenizer, self.max_length, starts=True)

    def adapt(self, data: Data) -> None:
        """Learns the tokenizer, and creates the model, unless both came with a checkpoint.

        Args:
            data: A file of pairs (.tsv, .csv, .jsonl), or a list of pairs.
        """
        pairs = as_pairs(data)
        self.examples = pairs.sources[:PROBE_TEXTS]
        if self.start is not None:
            return
        kind, size = self.settings["tokenizer"], self.settings["vocabulary_size"]
        self._use(train_tokenizer(kind, pairs.sources + pairs.targets, size))

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            self.name,
            vocabulary_size=tokenizer.vocabulary_size,
            pooling=self.settings["pooling"],
            normalize=self.settings["normalize"],
            **self._config,
        )
        self._embed = self.embeddings
        if keras.backend.backend() == "tensorflow":
            ids = tf.TensorSpec([None, None], tf.int32)
            self._embed = tf.function(self.embeddings, input_signature=[ids], autograph=False)

    # --- Training ---

    def fit(
        self,
        data: Data,
        validation_data: Data | None = None,
        *,
        batch_tokens: int = 4096,
        **options: Unpack[FitOptions],
    ) -> History:
        """Learns to find each text's partner among those of the batch; see `MultipleNegatives`.

        Args:
            data: A file of pairs of texts that mean the like (.tsv, .csv, .jsonl), or a list. In a
                batch, no text should have two partners.
            validation_data: The same, to choose the best epoch by.
            batch_tokens: Tokens in a batch, padding included. In larger ones there is more to be
                told apart.
            **options: `zoo.training.options.FitOptions`. The default of `learning_rate` is 2e-5 for
                what came with a checkpoint, else 5e-4.

        Outputs: The `History` of the run.
        """
        chosen = self._options(options)
        batches, pairs = self._batches(data, batch_tokens, chosen["seed"], MAX_BUCKETS)
        notes: list[Any] = [pairs, batches]
        held_out = None
        if validation_data is not None:
            held_out, pairs = self._batches(
                validation_data, batch_tokens, chosen["seed"], max_buckets=2
            )
            notes += [pairs, held_out]
        return self._train(
            data,
            batches,
            held_out,
            chosen,
            {"batch_tokens": batch_tokens},
            loss={"embeddings": MultipleNegatives()},
            notes=notes,
        )

    def _learning_rate(self) -> float:
        return 5e-4 if self.start is None else 2e-5

    def _batches(
        self, data: Data, tokens: int, seed: int, max_buckets: int
    ) -> tuple[BucketedTwins, Pairs]:
        """The batches of some pairs, and the pairs."""
        pairs = as_pairs(data)
        batches = BucketedTwins(
            pairs.sources, pairs.targets, self.tokenizer, self.max_length, tokens, max_buckets, seed
        )
        return batches, pairs

    # --- Use ---

    def embeddings(self, token_ids: Any) -> Any:
        """Ids (B, T) to vectors (B, D), in float32."""
        inputs = self.model.inputs_for(token_ids, self.tokenizer.special_tokens)
        return self.model(inputs)["embeddings"]

    def embed(self, texts: list[str], batch_size: int = 64) -> np.ndarray:
        """The vectors of texts, float32 (B, D).

        Args:
            texts: The texts.
            batch_size: How many are worked on at once, those of like length together.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        found = np.zeros((len(texts), self.model.hidden_dim), "float32")
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        with noting("embed"):
            for start in range(0, len(texts), batch_size):
                rows = order[start : start + batch_size]
                ids = self.codec.read([texts[i] for i in rows])
                found[rows] = ops.convert_to_numpy(self._embed(ops.convert_to_tensor(ids)))
        return found

    predict = embed

    def similarity(self, firsts: list[str], seconds: list[str]) -> np.ndarray:
        """The cosine of each first text with each second, (A, B), from -1 to 1.

        Args:
            firsts: Texts.
            seconds: Texts.
        """
        with noting("similarity"):
            a, b = (_unit(self.embed(texts)) for texts in (firsts, seconds))
        return a @ b.T

    def evaluate(self, data: Labelled) -> dict[str, float]:
        """How well the cosine of two texts agrees with how like they are said to be.

        Args:
            data: A file of (text, second text, number), the greater the more alike, or a list.

        Outputs: `spearman` and `pearson`, the correlations of ranks and of values, from -1 to 1.

        Raises:
            UserError: If a row has one text only, or a label that is no number.
        """
        rows = read_labelled(data)
        if rows.seconds is None:
            raise UserError(f"{rows.path} has single texts; vectors are compared in pairs")
        try:
            numbers = np.array([float(label) for label in rows.labels])
        except ValueError as error:
            raise UserError(f"{rows.path}: {error}: expected how like the texts are") from None
        with noting(rows.path):
            note(rows.lost)
            a, b = (_unit(self.embed(texts)) for texts in (rows.texts, rows.seconds))
        self.metrics = score_likeness(numbers, (a * b).sum(axis=-1))
        return self.metrics

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.embedding_serving`."""
        return embedding_signatures(self, strings)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return text_probes(self, self.examples)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), TINY)
