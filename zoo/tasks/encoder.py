"""Base class of the tasks with an encoder of texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch, words_per_batch
from zoo.data.batching.columns import BatchSize, Column, Scalars, token_column
from zoo.data_statistics import Statistics, discarding
from zoo.models.attending import ENCODER
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.model_inputs import Tensors, encoder_inputs
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Inference, OutputAxes
from zoo.tasks.attending import Tokens, self_attention
from zoo.tasks.documents import document_attention, document_maps
from zoo.tasks.options.common import TOKENIZERS, WORDS
from zoo.tasks.text import TextTask
from zoo.text.tokenizer import Tokenizer

BATCH_SIZE = 256  # number of texts at a time in `model_inputs`
TEXTS = 50  # mean number of texts in a batch if batch_tokens is None


class EncoderTask(TextTask):
    """A task whose model reads texts of at most `max_length` tokens."""

    tokenizers = (*TOKENIZERS, WORDS)

    def preprocessor_for(self, tokenizer: Tokenizer) -> Preprocessor:
        return TextPreprocessor(tokenizer, self.settings.max_length, start=self.reads_segments)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    def inputs(self, features: Features) -> Tensors:
        """Converts features to the inputs of the model, in TensorFlow operators."""
        limit = getattr(self.model, "max_sequence_length", None)
        ids, special = features["token_ids"], self.special_tokens
        return encoder_inputs(ids, special, limit, segments=self.reads_segments)

    def model_inputs(self, columns: Mapping[str, Sequence[Any]]) -> Iterator[Tensors]:
        """Converts raw inputs to batches of model inputs, without recording data statistics."""
        for start in range(0, len(next(iter(columns.values()))), BATCH_SIZE):
            rows = {name: column[start : start + BATCH_SIZE] for name, column in columns.items()}
            with discarding():
                yield self.inputs(self.preprocessor.read(rows))

    def inference(self, compute: Any, outputs: OutputAxes) -> dict[str, Inference]:
        """An inference from token ids, given a function of the model's inputs.

        If the model shows its attention, there is one of its maps as well.
        """
        features = self.preprocessor.features
        main = {"tokens": Inference(features, self.inputs, compute, outputs)}
        attention = document_attention if self.reads_sentences else self_attention
        return main | attention(self.model, features, self.inputs)

    def label_attention(
        self, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        if self.reads_sentences:
            return document_maps(features["token_ids"][0], outputs, self.preprocessor.pieces)
        return super().label_attention(features, outputs)

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        pieces = self.preprocessor.pieces(features["token_ids"][0])
        return {ENCODER: (pieces, pieces)}

    def labeled(self, columns: Features) -> tuple[Tensors, Any]:
        """Converts the columns `token_ids` and `labels` to inputs of the model and labels."""
        return self.inputs(columns), columns["labels"]

    def batch_size(self, training: Any) -> BatchSize:
        """Function from the lengths of a batch to its number of rows."""
        per_batch = words_per_batch if self.reads_sentences else tokens_per_batch
        return per_batch(training.batch_tokens)

    def labeled_batches(
        self,
        columns: dict[str, Column],
        training: Any,
        max_buckets: int,
        what: str,
        statistics: Statistics,
    ) -> BucketedBatches:
        """Creates batches of the columns `token_ids` and `labels`."""
        return BucketedBatches(
            columns,
            self.labeled,
            self.batch_size(training),
            max_buckets,
            training.seed,
            what=what,
            statistics=statistics,
        )

    def text_batches(
        self, rows: Any, numbers: list[int], training: Any, max_buckets: int
    ) -> BucketedBatches:
        """Creates batches of texts with the class numbers of their labels."""
        tokens, statistics = token_column(self.preprocessor, rows.inputs)
        if training.batch_tokens is None:
            training.batch_tokens = max(1, round(TEXTS * tokens.used / len(numbers)))
        columns: dict[str, Column] = {
            "token_ids": tokens,
            "labels": Scalars(np.array(numbers, np.int32)),
        }
        return self.labeled_batches(columns, training, max_buckets, "texts", statistics)
