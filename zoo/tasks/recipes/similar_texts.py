"""The training of embedders on pairs of similar texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch
from zoo.data.batching.buckets import max_buckets
from zoo.data.readers.scored_pairs import ScoredPairs
from zoo.heads.vector import VectorHead
from zoo.preprocessing.base import Features
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.answers.vectors import FittedVectors
from zoo.tasks.formats.pairs import SimilarTextFormat, SimilarTexts
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.measuring import Judged
from zoo.tasks.options.text_embedder import STEPS, Settings, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.similarity import judged_by_tfidf
from zoo.training.multiple_negatives import MultipleNegatives
from zoo.training.objective import Objective

SimilarTextInput = EncoderInput[Settings, TextPreprocessor, SimilarTexts]


class SimilarTextBaselines(Baselines[Any, SimilarTexts, Any]):
    """TF-IDF weights that are counted in the very texts to evaluate."""

    def judged_without_training(self, examples: SimilarTexts) -> Mapping[str, Judged]:
        texts = examples.readable
        judged = None if texts is None else judged_by_tfidf(ScoredPairs.of(texts))
        return {"tfidf": judged} if judged else {}


@dataclass(frozen=True)
class SimilarTextRecipe(Recipe[FittedVectors, Training, SimilarTexts, VectorHead]):
    """Batches of pairs, in which the second texts of other pairs are the negatives.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: SimilarTextFormat
    input: SimilarTextInput
    min_steps: int = STEPS
    stops_early: bool = True
    baselines = SimilarTextBaselines()

    def batches(
        self,
        examples: SimilarTexts,
        fitted: FittedVectors,
        head: VectorHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        pad = fitted.preprocessor.tokenizer.special_tokens.pad
        prepare = self.input.reader(fitted).prepare

        def stacked(columns: Features) -> tuple[Tensors, Tensors]:
            inputs = prepare({"token_ids": _stacked(columns["firsts"], columns["seconds"], pad)})
            return inputs, {"embeddings": inputs["padding_mask"]}

        tokens = examples.tokenized(self.format.tokenization(fitted.settings, fitted.preprocessor))
        # At least two pairs in every batch, since a single pair would have no negatives.
        return tokens.bucketed(
            stacked,
            tokens_per_batch(training.batch_tokens, sequences=2, min_rows=2),
            max_buckets(held_out),
            training.seed,
            min_rows=2,
            what="pairs",
        )

    def objective(self, head: VectorHead, training: Training) -> Objective:
        return Objective(loss={"embeddings": MultipleNegatives()})

    def default_learning_rate(self, fitted: FittedVectors, pretrained: bool) -> float:
        return 2e-5 if pretrained else 1e-3


def _stacked(firsts: tf.Tensor, seconds: tf.Tensor, pad: int) -> tf.Tensor:
    """Ids (B, S) and (B, T) concatenated along the batch axis, padded to one length."""
    length = tf.maximum(tf.shape(firsts)[1], tf.shape(seconds)[1])
    wide = [
        tf.pad(ids, [[0, 0], [0, length - tf.shape(ids)[1]]], constant_values=pad)
        for ids in (firsts, seconds)
    ]
    return tf.concat(wide, axis=0)
