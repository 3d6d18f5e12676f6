"""The training of masked language models."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import keras
import numpy as np

from keras_attn.losses import MaskedLMLoss, NextSentenceLoss
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.masked import MaskedPairs
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.heads.filled_masks import FilledMasksHead
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.masked_texts import FittedMasks, MaskedTextBaselines
from zoo.tasks.formats.documents import DocumentExamples, MaskedTextFormat
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.options.common import PASSAGE_STEPS
from zoo.tasks.options.masked_lm import Settings, Training
from zoo.tasks.parts import Recipe
from zoo.training.objective import Objective

MaskedTextInput = EncoderInput[Settings, TextPreprocessor, DocumentExamples]


@dataclass(frozen=True)
class MaskedTextRecipe(Recipe[FittedMasks, Training, DocumentExamples, FilledMasksHead]):
    """Batches of pairs of texts, whose masks are different ones in every epoch.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: MaskedTextFormat
    input: MaskedTextInput
    min_steps: int = PASSAGE_STEPS
    stops_early: bool = True

    def batches(
        self,
        examples: DocumentExamples,
        fitted: FittedMasks,
        head: FilledMasksHead,
        training: Training,
        held_out: bool,
    ) -> MaskedPairs:
        return self._pairs(examples, fitted, training.batch_size, training.seed)

    @property
    def baselines(self) -> MaskedTextBaselines:  # type: ignore[override]
        """How frequent each token is."""
        return MaskedTextBaselines(self._pairs)

    def _pairs(
        self,
        examples: DocumentExamples,
        fitted: FittedMasks,
        batch_size: int | None = 16,
        seed: int = 0,
    ) -> MaskedPairs:
        settings = replace(fitted.settings, seed=seed)
        tokens = examples.tokenized(self.format.tokenization(settings, fitted.preprocessor))
        prepare = self.input.reader(fitted).prepare
        return masked_pairs(tokens, fitted, prepare, batch_size, seed)

    def objective(self, head: FilledMasksHead, training: Training) -> Objective:
        return Objective(
            loss={"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()},
            metrics={
                "mlm_logits": [MaskedAccuracy(NOT_CHOSEN, name="accuracy")],
                "nsp_logits": [keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
            },
        )

    def default_learning_rate(self, fitted: FittedMasks, pretrained: bool) -> float:
        return 5e-4


def masked_pairs(
    tokens: Tokenized,
    fitted: FittedMasks,
    prepare: Callable[[Features], Tensors],
    batch_size: int | None,
    seed: int = 0,
) -> MaskedPairs:
    """Batches of pairs with masks, as the settings say.

    Args:
        tokens: The pairs; see `sentence_pairs`.
        fitted: The settings, the preprocessor and the model.
        prepare: Function from features to the inputs of the model.
        batch_size: Batch size; None decides by the number of pairs.
        seed: Seed of shuffling and masks.
    """
    tokenizer = fitted.preprocessor.tokenizer
    continues = None
    if fitted.settings.whole_words:
        continues = np.array([piece.startswith("##") for piece in tokenizer.vocabulary])
    masking = Masking(tokenizer.special_tokens, tokenizer.vocabulary_size, continues)

    def labeled(columns: Features) -> tuple[Tensors, Tensors]:
        labels = {"mlm_logits": columns["labels"], "nsp_logits": columns["is_random"]}
        return prepare(columns), labels

    length = fitted.preprocessor.max_length
    return MaskedPairs(tokens, length, masking, batch_size, labeled, seed)
