"""The batches of the recipes that train models which read texts as a whole."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from zoo.data.batching.bucketed import (
    BucketedBatches,
    default_batch_tokens,
    tokens_per_batch,
    words_per_batch,
)
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.batching.tokenized import Tokenized
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.tasks.parts import Baselines, Fitted
from zoo.training.objective import Objective

TARGETS = "labels"  # the column of what is learned
WEIGHTS = "weights"  # the column of the weights of rows in the loss, if there is one
COUNTED = 1 << 15  # tokens at a time when terms are counted


class TokenRecipe(Protocol):
    """The recipe of a single task whose batches are texts, as several tasks take it."""

    @property
    def baselines(self) -> Baselines[Any, Any, Any]:
        """The baselines of the task."""

    def tokens(self, examples: Any, fitted: Fitted[Any, Any], head: Any) -> Tokenized:
        """The columns `token_ids` and `labels` of examples."""

    def objective(self, head: Any, training: Any) -> Objective:
        """The loss and the metrics of the output `logits`."""


class BatchOptions(Protocol):
    """The training options that batches of texts depend on."""

    @property
    def batch_tokens(self) -> int | None:
        """Batch size in tokens; None decides by the number of texts."""

    @property
    def seed(self) -> int:
        """Seed of shuffling."""


def text_batches(
    tokens: Tokenized,
    rows: int,
    model_inputs: Callable[[Features], Tensors],
    training: BatchOptions,
    buckets: int,
    what: str = "texts",
    documents: bool = False,
) -> BucketedBatches:
    """Batches of texts of similar length, with what is learned of each.

    Args:
        tokens: The columns `token_ids` and `labels`, and `weights` of rows if there are any.
        rows: The number of texts.
        model_inputs: Converts features to the inputs of the model.
        training: The training options.
        buckets: Maximum number of lengths.
        what: What the rows are, for the log.
        documents: Whether texts are documents of sentences.
    """

    def learned(columns: Features) -> tuple[Any, ...]:
        weights = (columns[WEIGHTS],) if WEIGHTS in columns else ()
        return model_inputs(columns), columns[TARGETS], *weights

    size = training.batch_tokens or default_batch_tokens(tokens.columns["token_ids"], rows)
    batch_size = words_per_batch(size) if documents else tokens_per_batch(size)
    return tokens.bucketed(learned, batch_size, buckets, training.seed, what=what)


def count_terms(
    model: NgramClassifier, model_inputs: Callable[[Features], Tensors], batches: BucketedBatches
) -> None:
    """Counts the terms of all texts.

    Args:
        model: The model, which weighs them.
        model_inputs: Converts features to the inputs of the model.
        batches: Batches of the texts.
    """
    every = batches.columns(shuffle=False)
    rows = (batch["token_ids"][~_is_padding(batch[TARGETS])] for batch in every)
    model.adapt(model_inputs({"token_ids": each}) for each in rows)


def _is_padding(targets: np.ndarray) -> np.ndarray:
    """Which rows of labels or values (B, ...) are no examples."""
    is_float = targets.dtype.kind == "f"
    missing = np.isnan(targets) if is_float else targets == NO_LABEL
    padding: np.ndarray = missing.reshape(len(targets), -1).any(axis=1)
    return padding
