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
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.tokenized import Tokenized
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.tasks.inputs.texts import reads_sentences
from zoo.tasks.options import text_classifier, text_pair_scorer, text_regressor
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


def text_batches(
    tokens: Tokenized,
    rows: int,
    prepare: Callable[[Features], Tensors],
    settings: text_classifier.Settings | text_regressor.Settings | text_pair_scorer.Settings,
    training: text_classifier.Training | text_regressor.Training | text_pair_scorer.Training,
    held_out: bool,
) -> BucketedBatches:
    """Batches of texts of similar length.

    Args:
        tokens: The columns `token_ids` and `labels`, and `weights` of rows if there are any.
        rows: The number of texts.
        prepare: Converts features to the inputs of the model.
        settings: The settings of the task.
        training: The options of training.
        held_out: Whether they are for validation.
    """
    usual = default_batch_tokens(tokens.columns["token_ids"], rows)
    size = training.batch_tokens or usual
    documents = reads_sentences(settings)

    def learned(columns: Features) -> tuple[Any, ...]:
        weights = (columns[WEIGHTS],) if WEIGHTS in columns else ()
        return prepare(columns), columns[TARGETS], *weights

    return tokens.bucketed(
        learned,
        words_per_batch(size) if documents else tokens_per_batch(size),
        max_buckets(held_out),
        training.seed,
        what="texts",
    )


def count_terms(
    model: NgramClassifier,
    prepare: Callable[[Features], Tensors],
    batches: BucketedBatches,
    is_padding: Callable[[np.ndarray], np.ndarray],
) -> None:
    """Counts the terms of all texts.

    Args:
        model: The model, which weighs them.
        prepare: Converts features to the inputs of the model.
        batches: Batches of the texts.
        is_padding: Which rows of the column `labels` of a batch are padding.
    """
    every = batches.columns(shuffle=False)
    rows = (batch["token_ids"][~is_padding(batch[TARGETS])] for batch in every)
    model.adapt(prepare({"token_ids": each}) for each in rows)
