"""Text embeddings: from a text to a vector that is close to those of similar texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.pairs import Pairs, read_pairs, read_pairs_in_pieces
from zoo.data.readers.scored_pairs import ScoredPairs, read_scored_pairs
from zoo.data.shards.manifest import SEQUENCES
from zoo.data_statistics import collecting
from zoo.heads.vector import VectorHead
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.serving.inference import Inference, Run
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.options import text_embedder as options
from zoo.tasks.prepared import PreparedTask
from zoo.tasks.similarity import DenseCosines, score_pairs, tfidf_scores, unit
from zoo.tasks.views import PreviewRow
from zoo.training.multiple_negatives import MultipleNegatives
from zoo.training.objective import Objective

EMBED = "embed"  # signature of SavedModels that take texts: the same as the main one


class TextEmbedder(PreparedTask, EncoderTask):
    """Embeds texts; trained on pairs of texts with similar meaning.

    `zoo.from_pretrained` loads pretrained sentence encoders.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t`, `cls: v = x_1`; then `v / |v|` if normalized

    Example:
        >>> import zoo
        >>> pairs = [("a red hut", "a hut, red"), ("two dogs", "dogs, two of them")]
        >>> task = zoo.TextEmbedder(hidden_dim=8, intermediate_dim=16, max_length=16)
        >>> task.adapt(pairs)
        >>> history = task.fit(pairs, epochs=1, xla=False, verbose=False)
        >>> task.embed(["a hut"]).shape
        (1, 8)
    """

    name = "text-embedder"
    row_columns = ("sources", "targets")
    column_kinds: ClassVar = {"firsts": SEQUENCES, "seconds": SEQUENCES}
    sorted_by = ("firsts", "seconds")
    depends_on = ("max_length",)
    Settings = options.Settings
    Training = options.Training
    preview_explanation: ClassVar = (
        "First texts of pairs, with the most similar of the second texts below, and their own."
    )
    purposes: ClassVar = {"tokens": "Turns each text into a vector; similar texts have near ones."}

    def read(self, data: Any) -> Any:
        return self.stored(data) or read_pairs(data, self.settings)

    def pieces(self, data: Any) -> Iterator[Pairs]:
        return read_pairs_in_pieces(data, self.settings)

    def texts(self, examples: Pairs) -> Iterable[str]:
        return examples.sources + examples.targets

    def model_sizes(self) -> dict[str, Any]:
        return {
            **super().model_sizes(),
            "pooling": self.settings.pooling,
            "normalize": self.settings.normalize,
        }

    def batches(self, examples: Pairs, training: Any, held_out: bool = False) -> BucketedBatches:
        # At least two pairs in every batch, since a single pair would have no negatives.
        return self.bucketed(
            examples,
            self.tokens(examples),
            self._stacked,
            tokens_per_batch(training.batch_tokens, sequences=2, min_rows=2),
            max_buckets(held_out),
            training.seed,
            min_rows=2,
            what="pairs",
        )

    def tokenized(self, examples: Pairs, number: int = 0) -> Tokenized:
        firsts, statistics = token_column(self.preprocessor, {"text": examples.sources})
        seconds, more = token_column(self.preprocessor, {"text": examples.targets})
        return Tokenized({"firsts": firsts, "seconds": seconds}, statistics + more)

    def _stacked(self, columns: Features) -> tuple[Tensors, Tensors]:
        """Concatenates first and second texts along the batch axis, padded to one length."""
        sides, pad = (columns["firsts"], columns["seconds"]), self.special_tokens.pad
        length = tf.reduce_max([tf.shape(ids)[1] for ids in sides])
        wide = [
            tf.pad(ids, [[0, 0], [0, length - tf.shape(ids)[1]]], constant_values=pad)
            for ids in sides
        ]
        inputs = self.inputs({"token_ids": tf.concat(wide, axis=0)})
        return inputs, {"embeddings": inputs["padding_mask"]}

    def objective(self, training: Any) -> Objective:
        return Objective(loss={"embeddings": MultipleNegatives()})

    def default_learning_rate(self) -> float:
        return 5e-4 if self.pretrained is None else 2e-5

    @property
    def head(self) -> VectorHead:
        return VectorHead(self.model.hidden_dim, bool(self.settings.normalize))

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def compute(inputs: Tensors) -> Tensors:
            return {"embedding": self.model(inputs)["embeddings"]}

        return self.inference(compute, self.head.axes)

    def signatures(
        self, text: str | None, litert: bool = False, **options: Any
    ) -> dict[str, Signature]:
        found = super().signatures(text, litert, **options)
        # Of the other formats, each signature has a program, or a file, of its own.
        return found if litert or not text else {**found, EMBED: found[SERVING_DEFAULT]}

    def embed(self, texts: Sequence[str], batch_size: int = 64) -> np.ndarray:
        """The vectors of texts, float32 (B, D).

        Args:
            texts: The texts.
            batch_size: Batch size. Texts of similar length are batched together.
        """
        return self._embedded(self.raw_inputs(texts), self.runner(), batch_size)

    def predict(self, data: Any, batch_size: int = 64, **_: Any) -> Any:
        """The vectors of texts; see `embed`."""
        return self.embed(data, batch_size)

    def _embedded(self, columns: Mapping[str, Any], run: Run, batch_size: int = 64) -> np.ndarray:
        found = [row["embedding"] for row in self.predict_rows(columns, run, batch_size)]
        return np.array(found, "float32").reshape(-1, self.model.hidden_dim)

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        """For each first text, the most similar of the second texts, and the correct one."""
        pairs = self.read(data)
        sources, targets = pairs.sources[:count], pairs.targets[:count]
        best = self.similarity(sources, targets).argmax(axis=-1)
        return [
            PreviewRow(source, targets[place], target, source)
            for source, place, target in zip(sources, best, targets, strict=True)
        ]

    def similarity(self, firsts: Sequence[str], seconds: Sequence[str]) -> np.ndarray:
        """The cosine similarity of each first text with each second text, from -1 to 1.

        Args:
            firsts: N texts.
            seconds: M texts.

        Returns:
            float32 array (N, M).
        """
        with collecting("similarity"):
            a, b = (unit(self.embed(texts)) for texts in (firsts, seconds))
        return a @ b.T

    def evaluate(self, data: Any, **options: Any) -> dict[str, float]:
        """The metrics of the cosine similarities of pairs of texts, and the same of TF-IDF vectors.

        Args:
            data: A file or a list of (text, second text) or of (text, second text, score); higher
                scores mean more similar.

        Returns:
            With scores: `spearman` and `pearson`, the correlations of ranks and of values, from -1
            to 1. Without: `recall_at_1`, how often a second text of a first text is the most
            similar to it of all different second texts, and `mrr`, the mean reciprocal rank, from 0
            to 1. With scikit-learn also `tfidf_spearman` and so on, those of TF-IDF.

        Raises:
            UserError: If a row has only one text, or a score is not a number.
        """
        return super().evaluate(data, **options)

    def read_to_evaluate(self, data: Any) -> ScoredPairs:
        return read_scored_pairs(data, self.settings)

    def score(self, examples: ScoredPairs, run: Run) -> dict[str, float]:
        def compare(*sides: list[str]) -> DenseCosines:
            firsts, seconds = (unit(self._embedded({"text": texts}, run)) for texts in sides)
            return DenseCosines(firsts, seconds)

        return score_pairs(examples, compare)

    def baseline_scores(self, examples: Any) -> dict[str, float]:
        return tfidf_scores(examples) if isinstance(examples, ScoredPairs) else {}
