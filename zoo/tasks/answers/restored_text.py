"""Scores of restored texts, given the correct tokens before each."""

from dataclasses import dataclass
from functools import cache

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.data_statistics import record
from zoo.heads.generated_text import GeneratedTextHead
from zoo.registry.metrics import PASSAGES, RESTORED
from zoo.tasks.corruption import CorruptionBatches, FittedPassages
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.likelihood import SCORE, Likelihood
from zoo.tasks.measuring import Judged
from zoo.tasks.options.denoising import Training
from zoo.tasks.parts import Predictor

BATCH_SIZE = 16  # of passages that are scored
RestoringPredictor = Predictor[FittedPassages, GeneratedTextHead]


@dataclass(frozen=True)
class RestorationScores:
    """How well a model restores texts, given the correct previous tokens.

    Args:
        batches: Makes the batches of corrupted passages.
    """

    batches: CorruptionBatches

    def judged(self, predictor: RestoringPredictor, examples: DocumentExamples) -> Judged:
        """All tokens of the passages, and those that the corruption removed."""

        @cache
        def likelihoods() -> tuple[Likelihood, Likelihood]:
            return self._likelihoods(predictor, examples)

        return {PASSAGES: lambda: likelihoods()[0].rows, RESTORED: lambda: likelihoods()[1].rows}

    def _likelihoods(
        self, predictor: RestoringPredictor, examples: DocumentExamples
    ) -> tuple[Likelihood, Likelihood]:
        """Of all tokens, and of those that the corruption removed."""
        training = Training(batch_size=BATCH_SIZE)
        batches: CorruptedPassages = self.batches(examples, predictor.fitted, training)
        record(batches.statistics + batches.left_out(shuffle=False))
        pad = predictor.head.writer.tokenizer.special_tokens.pad
        everything, restored = Likelihood(), Likelihood()
        for columns in batches.columns(shuffle=False):
            outputs, labels = predictor.run(SCORE, columns), columns["target_ids"]
            each = outputs["log_probabilities"], outputs["predicted_ids"], labels
            here = labels != pad
            everything.add(*each, here)
            restored.add(*each, here & (columns["restored"] == 1))
        return everything, restored
