"""The baseline of denoising autoencoders: an n-gram model of the texts, which sees no source."""

import itertools
from dataclasses import dataclass

import numpy as np

from zoo.tasks.baselines.ngrams import NgramModel
from zoo.tasks.corruption import CorruptionBatches, FittedPassages
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.options.denoising import Training
from zoo.tasks.parts.baselines import Baselines

BATCHES = 2000  # maximum number that are counted
BATCH_SIZE = 16


@dataclass(frozen=True)
class RestoredTextBaselines(Baselines[FittedPassages, DocumentExamples, NgramModel]):
    """The loss and the perplexity per token of an n-gram model of the targets.

    Args:
        corrupted: Makes batches, whose targets are counted.
    """

    loader = NgramModel.load
    corrupted: CorruptionBatches

    def fit(self, examples: DocumentExamples, fitted: FittedPassages) -> NgramModel:
        size = fitted.preprocessor.tokenizer.vocabulary_size
        return NgramModel.fit(self.targets(examples, fitted), size)

    def scores(
        self, learned: NgramModel, examples: DocumentExamples, fitted: FittedPassages
    ) -> dict[str, float]:
        loss = -float(learned.log_probabilities(self.targets(examples, fitted)).mean())
        return {"ngram_loss": loss, "ngram_perplexity": float(np.exp(loss))}

    def targets(self, examples: DocumentExamples, fitted: FittedPassages) -> np.ndarray:
        """The tokens of the targets, one after another."""
        batches = self.corrupted(examples, fitted, Training(batch_size=BATCH_SIZE))
        pad = batches.special_tokens.pad
        some = itertools.islice(batches.columns(shuffle=False), BATCHES)
        return np.concatenate([ids[ids != pad] for ids in (x["target_ids"] for x in some)])
