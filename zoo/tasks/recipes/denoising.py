"""The training of denoising autoencoders."""

import itertools
from dataclasses import dataclass

import numpy as np

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.heads.generated_text import GeneratedTextHead
from zoo.tasks.baselines.ngrams import NgramBaselines
from zoo.tasks.corruption import CorruptionBatches, FittedPassages
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.likelihood import token_objective
from zoo.tasks.options.common import PASSAGE_STEPS
from zoo.tasks.options.denoising import Training
from zoo.tasks.parts import Recipe
from zoo.training.objective import Objective

BATCHES, BATCH_SIZE = 2000, 16  # maximum number that the baseline counts


@dataclass(frozen=True)
class DenoisingRecipe(Recipe[FittedPassages, Training, DocumentExamples, GeneratedTextHead]):
    """Passages with other corruptions in every epoch.

    Args:
        corrupted: Makes the batches.
    """

    corrupted: CorruptionBatches
    min_steps: int = PASSAGE_STEPS
    stops_early: bool = True

    @property
    def baselines(self) -> NgramBaselines[FittedPassages]:  # type: ignore[override]
        """An n-gram model of the targets, which sees no source."""
        return NgramBaselines(self._targets)

    def _targets(self, examples: DocumentExamples, fitted: FittedPassages) -> np.ndarray:
        """The tokens of the targets, one after another."""
        batches = self.corrupted(examples, fitted, Training(batch_size=BATCH_SIZE))
        pad = batches.special_tokens.pad
        some = itertools.islice(batches.columns(shuffle=False), BATCHES)
        return np.concatenate([ids[ids != pad] for ids in (x["target_ids"] for x in some)])

    def batches(
        self,
        examples: DocumentExamples,
        fitted: FittedPassages,
        head: GeneratedTextHead,
        training: Training,
        held_out: bool,
    ) -> CorruptedPassages:
        return self.corrupted(examples, fitted, training)

    def objective(self, head: GeneratedTextHead, training: Training) -> Objective:
        return token_objective(head.writer.tokenizer.special_tokens.pad)
