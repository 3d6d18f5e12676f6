"""Masked language models: learn from plain text to predict masked tokens."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn.losses import MaskedLMLoss, NextSentenceLoss
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.masked import MaskedPairs
from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.data.pretraining.sentence_pairs import make_pairs
from zoo.data.readers.documents import Documents
from zoo.data_statistics import collecting, record
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.likelihood import SCORE, Likelihood, token_scores
from zoo.tasks.options import masked_lm as options
from zoo.tasks.plain_text import MaskedTextTask
from zoo.text.special_tokens import MASK
from zoo.training.objective import Objective

TOP = 5  # tokens that artifacts return for a mask
IMPOSSIBLE = -1e9


class Filling(NamedTuple):
    """A token for a mask: its piece, its probability, and the text with it."""

    token: str
    score: float
    text: str


class MaskedLM(MaskedTextTask, EncoderTask):
    """Learns to predict masked tokens, and whether one text follows another.

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
    Settings = options.Settings
    Training = options.Training

    def batches(self, examples: Documents, training: Any, held_out: bool = False) -> MaskedPairs:
        length, seed = self.settings.max_length, training.seed
        pairs = make_pairs(examples.texts, self.tokenizer, length, seed)
        continues = None
        if self.settings.whole_words:
            vocabulary = self.tokenizer.vocabulary
            continues = np.array([piece.startswith("##") for piece in vocabulary])
        masking = Masking(self.special_tokens, self.tokenizer.vocabulary_size, continues)
        return MaskedPairs(pairs, masking, training.batch_size, self._labelled, seed)

    def _labelled(self, columns: Features) -> tuple[Tensors, Tensors]:
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

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def fill(inputs: Tensors, top: int = TOP) -> Tensors:
            return self._fill(inputs, top)

        def scoring(features: Features) -> Tensors:
            inputs = self.inputs(features)
            return {**inputs, "labels": features["labels"][:, : tf.shape(inputs["token_ids"])[1]]}

        def score(inputs: Tensors) -> Tensors:
            inputs = dict(inputs)
            labels = inputs.pop("labels")
            found = self.model(inputs)
            next_sentence = ops.softmax(found["nsp_logits"], axis=-1)
            counted = ops.greater_equal(labels, 0)
            scores = token_scores(found["mlm_logits"], labels, counted)
            return {**scores, "next_sentence": next_sentence}

        features = self.preprocessor.features
        shape = (BATCH, LENGTH)
        filled = dict.fromkeys(("token_ids", "scores"), (*shape, TOP))
        scored = dict.fromkeys(("log_probabilities", "predicted_ids"), shape)
        labels = TensorSpec(shape, "int32", NOT_CHOSEN)
        return {
            "tokens": Inference(features, self.inputs, fill, filled),
            SCORE: Inference(
                {**features, "labels": labels},
                scoring,
                score,
                {**scored, "next_sentence": (BATCH, 2)},
            ),
        }

    def _fill(self, inputs: Tensors, top: int) -> Tensors:
        """The most probable tokens at each mask, best first, in float32; zeros elsewhere."""
        logits = self.model(inputs)["mlm_logits"]
        never = np.zeros(logits.shape[-1], "float32")
        never[list(self.special_tokens.ids)] = IMPOSSIBLE
        scores, best = ops.top_k(ops.softmax(logits + never, axis=-1), min(top, logits.shape[-1]))
        masks = ops.expand_dims(ops.equal(inputs["token_ids"], self.special_tokens.mask), -1)
        return {
            "token_ids": ops.where(masks, ops.cast(best, "int32"), 0),
            "scores": ops.where(masks, scores, 0.0),
        }

    def postprocess(self, outputs: Tensors, features: Features, litert: bool = False) -> Tensors:
        best, scores = outputs["token_ids"][:, :, 0], outputs["scores"][:, :, 0]
        limit = self.preprocessor.max_length
        token_ids = features["token_ids"][:, :limit]
        is_mask = tf.equal(token_ids, self.special_tokens.mask)
        ids = tf.where(is_mask, best, token_ids)
        room = limit - tf.shape(ids)[1]
        pad = self.special_tokens.pad
        # Of known length, as LiteRT must know how many pieces are joined.
        ids = tf.reshape(tf.pad(ids, [[0, 0], [0, room]], constant_values=pad), [-1, limit])
        ones = tf.ones_like(scores)
        return {
            "text": self.preprocessor.detokenize(ids, litert),
            "score": tf.exp(tf.reduce_sum(tf.math.log(tf.where(is_mask, scores, ones)), axis=1)),
        }

    def result(self, row: Mapping[str, Any]) -> str:
        return row["text"].decode(errors="replace")

    def fill_mask(self, text: str, top: int = TOP) -> list[list[Filling]]:
        """For each `[MASK]` of a text its most probable tokens, best first.

        With several masks, each is filled alone; the others stay.

        Args:
            text: A text with masks.
            top: Number of tokens.

        Raises:
            UserError: If there is no mask, or none that the model can read.
        """
        with collecting("fill_mask"):
            ids = self.preprocessor.read(self.raw_inputs([text]))["token_ids"]
        places = np.flatnonzero(ids[0] == self.special_tokens.mask)
        if not len(places):
            raise UserError(
                f"no {MASK} in the first {self.settings.max_length} tokens of the text: nothing "
                "to fill"
            )
        found = self.program(self.preprocessor.feature_signature)({"token_ids": ids}, top=top)
        tokens, scores = found["token_ids"][0], found["scores"][0]
        answer = []
        for place in places:
            filled = np.repeat(ids, len(tokens[place]), axis=0)
            filled[:, place] = tokens[place]
            texts = [each.decode() for each in self.preprocessor.detokenize(filled).numpy()]
            pieces = [self.tokenizer.vocabulary[i] for i in tokens[place]]
            rows = zip(pieces, scores[place].tolist(), texts, strict=True)
            answer.append([Filling(*row) for row in rows])
        return answer

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        """How well the model predicts masked tokens.

        Returns:
            `loss` in nats a masked token, its `perplexity`, the share of masked tokens predicted
            correctly, `accuracy`, and of pairs, `nsp_accuracy`.
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

    def probes(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().probes(**options)
        ids = [batch["token_ids"] for batch in found["tokens"]]
        return {**found, SCORE: [{"token_ids": each, "labels": each} for each in ids]}
