"""Denoising autoencoders: trained on plain text, they restore corrupted text."""

from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.data.pretraining.corruption import Corruption
from zoo.data.pretraining.passages import make_passages
from zoo.data.readers.documents import Documents
from zoo.data_statistics import record
from zoo.preprocessing.base import LENGTH, Features, Preprocessor, TensorSpec
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.likelihood import (
    SCORE,
    Likelihood,
    score_inference,
    token_objective,
    token_scores,
)
from zoo.tasks.options import denoising as options
from zoo.tasks.plain_text import MaskedTextTask
from zoo.tasks.seq2seq import Seq2SeqTask
from zoo.training.objective import Objective


class Denoising(MaskedTextTask, Seq2SeqTask):
    """Trains a model on plain text to restore masked, deleted and reordered parts.

    In `predict`, each `[MASK]` of a text may become any number of words. A trained model can
    initialize another task: `zoo.from_pretrained(folder, task="text-to-text")`.

    Source: Lewis et al. 2020, section 2.

    Example:
        >>> import zoo
        >>> task = zoo.Denoising(num_layers=1, hidden_dim=8, intermediate_dim=8, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> history.epoch
        [1]
    """

    name = "denoising"
    Settings = options.Settings
    Training = options.Training
    purposes: ClassVar = {
        **Seq2SeqTask.purposes,
        SCORE: "Scores each token of a target text, given its source and the tokens before it.",
    }

    def check_settings(self) -> None:
        super().check_settings()
        self.corrupt = Corruption(tuple(self.settings.corruptions))

    @property
    def max_source_length(self) -> int:
        return self.settings.max_length

    @property
    def max_new_tokens(self) -> int:
        return self.settings.max_length

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    def batches(
        self, examples: Documents, training: Any, held_out: bool = False
    ) -> CorruptedPassages:
        length = self.settings.max_length
        passages, statistics = make_passages(examples.texts, self.tokenizer, length - 1)
        return CorruptedPassages(
            passages,
            self.tokenizer,
            self.corrupt,
            length,
            training.batch_size,
            lambda columns: (self.teacher_forced(columns), columns["target_ids"]),
            training.seed,
            statistics,
        )

    def objective(self, training: Any) -> Objective:
        return token_objective(self.special_tokens.pad)

    def further_inferences(self, generate: Any) -> dict[str, Inference]:
        def prepare(features: Features) -> tuple[Tensors, Any]:
            # Columns beyond the limit can only be padding.
            target = features["target_ids"][:, : self.model.max_sequence_length]
            return self.teacher_forced({**features, "target_ids": target}), target

        def compute(inputs: Tensors, labels: Any) -> Tensors:
            return token_scores(self.model(inputs)["logits"], labels, inputs["target_mask"])

        pad = self.special_tokens.pad
        features = {
            "source_ids": TensorSpec(
                ("batch", "source_length"), "int32", pad, self.preprocessor.meaning
            ),
            "target_ids": TensorSpec(
                ("batch", LENGTH), "int32", pad, self.target_preprocessor().meaning
            ),
        }
        outputs = dict.fromkeys(("log_probabilities", "predicted_ids"), ("batch", LENGTH))
        scoring = score_inference(features, prepare, compute, outputs)
        return {**super().further_inferences(generate), SCORE: scoring}

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        """How well the model restores texts, given the correct previous tokens.

        Returns:
            `loss` in nats per token, `perplexity`, and the fractions of correctly predicted tokens:
            `accuracy` among all tokens, `restored` among those that the corruption removed.
        """
        batches = self.batches(examples, self.Training(batch_size=16))
        record(batches.statistics + batches.left_out(shuffle=False))
        everything, restored = Likelihood(), Likelihood()
        for columns in batches.columns(shuffle=False):
            found, labels = run(SCORE, columns), columns["target_ids"]
            each = found["log_probabilities"], found["predicted_ids"], labels
            here = labels != self.special_tokens.pad
            everything.add(*each, here)
            restored.add(*each, here & (columns["restored"] == 1))
        return {
            "loss": everything.loss,
            "perplexity": everything.perplexity,
            "accuracy": everything.accuracy,
            "restored": restored.accuracy,
        }

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().calls(preprocessor, raw)
        ids = [batch["token_ids"] for batch in found["tokens"]]
        return {**found, SCORE: [{"source_ids": each, "target_ids": each} for each in ids]}
