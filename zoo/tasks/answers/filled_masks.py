"""Filled masks as the answer of a task."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data.pretraining.masking import NOT_CHOSEN
from zoo.data_statistics import record
from zoo.heads.filled_masks import FilledMasksHead
from zoo.heads.head import Reader
from zoo.metrics.labels import LabelPredictions
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.preprocessing.text import TextPreprocessor
from zoo.registry.metrics import MASKED, NEXT_TEXTS
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.tasks.calls import Calls
from zoo.tasks.fill_mask import TOP, best_tokens
from zoo.tasks.formats.documents import DocumentExamples, sentence_pairs
from zoo.tasks.likelihood import SCORE, TOKEN_SCORES, Likelihood, score_inference, token_scores
from zoo.tasks.measuring import Judged
from zoo.tasks.options.masked_lm import Settings
from zoo.tasks.parts import Answer, Predictor
from zoo.tasks.recipes.masked_texts import FittedMasks, masked_pairs

ROWS = 16  # batch size of evaluation
FOLLOWS = ["follows", "random"]  # what the second of two texts may do

MaskPredictor = Predictor[FittedMasks, FilledMasksHead]


class FilledMasks(Answer[Settings, TextPreprocessor, DocumentExamples, FilledMasksHead]):
    """The text with its masks filled; and scores of given tokens."""

    needs_tokenizer = True
    purposes = MappingProxyType(
        {SCORE: "Scores given tokens in the place of masks, and whether two texts belong together."}
    )

    def meanings(self, fitted: FittedMasks) -> dict[str, str]:
        follows = "the probabilities that the second text follows, and that it does not"
        return {**TOKEN_SCORES, "next_sentence": follows}

    def learn(self, examples: DocumentExamples, settings: Settings) -> Settings:
        return settings

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {}

    def head(self, settings: Settings, preprocessor: TextPreprocessor) -> FilledMasksHead:
        return FilledMasksHead(preprocessor)

    def inferences(
        self, fitted: FittedMasks, head: FilledMasksHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        special = fitted.preprocessor.tokenizer.special_tokens

        def compute(inputs: Tensors, top: int = TOP) -> Tensors:
            return best_tokens(fitted.model, special, inputs, top)

        outputs = dict.fromkeys(("token_ids", "scores"), (BATCH, LENGTH, TOP))
        main = Inference(reader.features, reader.prepare, compute, outputs)
        return {reader.name: main, SCORE: _score_inference(fitted, reader)}

    def calls(self, fitted: FittedMasks, calls: Calls, options: Mapping[str, Any]) -> Calls:
        ids = [batch["token_ids"] for batch in calls[TextPreprocessor.feature_signature]]
        return {**calls, SCORE: [{"token_ids": each, "labels": each} for each in ids]}

    def judged(self, predictor: MaskPredictor, examples: DocumentExamples) -> Judged:
        """The masked tokens of pairs of texts, and whether the second text follows the first."""

        @cache
        def answered() -> tuple[Likelihood, np.ndarray, np.ndarray]:
            return self._answered(predictor, examples)

        def next_texts() -> LabelPredictions:
            _, correct, scores = answered()
            names = np.array(FOLLOWS)
            results = names[scores.argmax(axis=-1)].tolist()
            return LabelPredictions(names[correct].tolist(), results, FOLLOWS, scores)

        return {MASKED: lambda: answered()[0].rows, NEXT_TEXTS: next_texts}

    def _answered(
        self, predictor: MaskPredictor, examples: DocumentExamples
    ) -> tuple[Likelihood, np.ndarray, np.ndarray]:
        """The tokens, the number of the correct one of `FOLLOWS` (N,), and their scores (N, 2)."""
        fitted = predictor.fitted
        tokens = sentence_pairs(list(examples.every_text()), fitted.preprocessor)
        batches = masked_pairs(tokens, fitted, predictor.input.reader(fitted).prepare, ROWS)
        record(batches.statistics)
        likelihood, correct, scores = Likelihood(), [], []
        for columns in batches.columns(shuffle=False):
            outputs, labels = predictor.run(SCORE, columns), columns["labels"]
            log_p, predicted = outputs["log_probabilities"], outputs["predicted_ids"]
            likelihood.add(log_p, predicted, labels, labels != NOT_CHOSEN)
            correct.append(columns["is_random"])
            scores.append(outputs["next_sentence"])
        return likelihood, np.concatenate(correct), np.concatenate(scores)


def _score_inference(fitted: FittedMasks, reader: Reader) -> Inference:
    """The inference that scores given tokens."""

    def labeled(features: Features) -> tuple[Tensors, Any]:
        inputs = reader.prepare(features)
        return inputs, features["labels"][:, : tf.shape(inputs["token_ids"])[1]]

    def compute(inputs: Tensors, labels: Any) -> Tensors:
        logits = fitted.model(inputs)
        scores = token_scores(logits["mlm_logits"], labels, ops.greater_equal(labels, 0))
        return {**scores, "next_sentence": ops.softmax(logits["nsp_logits"], axis=-1)}

    shape = (BATCH, LENGTH)
    labels = TensorSpec(
        shape,
        "int32",
        NOT_CHOSEN,
        f"the ids to score; {NOT_CHOSEN} where there is none",
        (NOT_CHOSEN, fitted.preprocessor.tokenizer.vocabulary_size - 1),
    )
    scores = dict.fromkeys(("log_probabilities", "predicted_ids"), shape)
    outputs: OutputAxes = {**scores, "next_sentence": (BATCH, 2)}
    return score_inference({**reader.features, "labels": labels}, labeled, compute, outputs)
