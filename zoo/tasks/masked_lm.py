"""Masked language models: trained on plain text, they predict masked tokens."""

from typing import Any, ClassVar

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.losses import MaskedLMLoss, NextSentenceLoss
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.masked import MaskedPairs, ShardPairs
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.data.pretraining.sentence_pairs import make_pairs
from zoo.data.readers.documents import Documents
from zoo.data.shards.manifest import SCALARS, SEQUENCES, Shards
from zoo.data_statistics import record
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.serving.inference import Inference, OutputAxes, Run, Tensors
from zoo.tasks.fill_mask import FillMaskTask
from zoo.tasks.likelihood import (
    SCORE,
    TOKEN_SCORES,
    Likelihood,
    score_inference,
    token_scores,
)
from zoo.tasks.options import masked_lm as options
from zoo.training.objective import Objective


class MaskedLM(FillMaskTask):
    """Trains a model on plain text to predict masked tokens and whether one text follows another.

    Source: Devlin et al. 2019, section 3.1.

    Example:
        >>> import zoo
        >>> task = zoo.MaskedLM(hidden_dim=16, intermediate_dim=16, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> [len(choices) for choices in task.fill_mask("to [MASK] or not to [MASK]", top=3)]
        [3, 3]
    """

    name = "masked-lm"
    column_kinds: ClassVar = {"token_ids": SEQUENCES, "is_random": SCALARS}
    sorted_by = ()
    depends_on = ("max_length",)
    Settings = options.Settings
    Training = options.Training
    purposes: ClassVar = {
        **FillMaskTask.purposes,
        SCORE: "Scores given tokens in the place of masks, and whether two texts belong together.",
    }

    def batches(self, examples: Documents, training: Any, held_out: bool = False) -> MaskedPairs:
        is_stored, seed = isinstance(examples, Shards), training.seed
        pairs = self.tokens(examples) if is_stored else self._pairs(examples, seed)
        continues = None
        if self.settings.whole_words:
            vocabulary = self.tokenizer.vocabulary
            continues = np.array([piece.startswith("##") for piece in vocabulary])
        masking = Masking(self.special_tokens, self.tokenizer.vocabulary_size, continues)
        kind = ShardPairs if is_stored else MaskedPairs
        length = self.settings.max_length
        return kind(pairs, length, masking, training.batch_size, self._labeled, seed)

    def tokenized(self, examples: Documents, number: int = 0) -> Tokenized:
        return self._pairs(examples, self.settings.seed, number)

    def _pairs(self, examples: Documents, *seed: int) -> Tokenized:
        return make_pairs(examples.texts, self.tokenizer, self.settings.max_length, seed)

    @property
    def limits(self) -> dict[str, int]:
        return {**super().limits, "is_random": 2}

    def _labeled(self, columns: Features) -> tuple[Tensors, Tensors]:
        labels = {"mlm_logits": columns["labels"], "nsp_logits": columns["is_random"]}
        return self.inputs(columns), labels

    def objective(self, training: Any) -> Objective:
        return Objective(
            loss={"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()},
            metrics={
                "mlm_logits": [MaskedAccuracy(NOT_CHOSEN, name="accuracy")],
                "nsp_logits": [keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
            },
        )

    def default_learning_rate(self) -> float:
        return 5e-4

    def inferences(self, **options: Any) -> dict[str, Inference]:
        def labeled(features: Features) -> tuple[Tensors, Any]:
            inputs = self.inputs(features)
            return inputs, features["labels"][:, : tf.shape(inputs["token_ids"])[1]]

        def compute(inputs: Tensors, labels: Any) -> Tensors:
            found = self.model(inputs)
            scores = token_scores(found["mlm_logits"], labels, ops.greater_equal(labels, 0))
            return {**scores, "next_sentence": ops.softmax(found["nsp_logits"], axis=-1)}

        shape = (BATCH, LENGTH)
        features = {
            **self.preprocessor.features,
            "labels": TensorSpec(
                shape,
                "int32",
                NOT_CHOSEN,
                f"the ids to score; {NOT_CHOSEN} where there is none",
                (NOT_CHOSEN, self.tokenizer.vocabulary_size - 1),
            ),
        }
        scores = dict.fromkeys(("log_probabilities", "predicted_ids"), shape)
        outputs: OutputAxes = {**scores, "next_sentence": (BATCH, 2)}
        return {
            **super().inferences(**options),
            SCORE: score_inference(features, labeled, compute, outputs),
        }

    @property
    def meanings(self) -> dict[str, str]:
        return {
            **super().meanings,
            **TOKEN_SCORES,
            "next_sentence": "the probabilities that the second text follows, and that it does not",
        }

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        """How well the model predicts masked tokens.

        Returns:
            `loss` in nats per masked token, `perplexity`, `accuracy`, the fraction of masked tokens
            predicted correctly, and `nsp_accuracy`, that of next-sentence prediction.
        """
        batches = self.batches(examples, self.Training(batch_size=16))
        record(batches.statistics)
        found, right, pairs = Likelihood(), 0, 0
        for columns in batches.columns(shuffle=False):
            outputs, labels = run(SCORE, columns), columns["labels"]
            log_p, predicted = outputs["log_probabilities"], outputs["predicted_ids"]
            found.add(log_p, predicted, labels, labels != NOT_CHOSEN)
            right += int((outputs["next_sentence"].argmax(axis=-1) == columns["is_random"]).sum())
            pairs += len(labels)
        return {
            "loss": found.loss,
            "perplexity": found.perplexity,
            "accuracy": found.accuracy,
            "nsp_accuracy": right / max(pairs, 1),
        }

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().calls(preprocessor, raw)
        ids = [batch["token_ids"] for batch in found["tokens"]]
        return {**found, SCORE: [{"token_ids": each, "labels": each} for each in ids]}
