"""The training of language models."""

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.packed import PackedBatches
from zoo.data.batching.windows import TokenWindows
from zoo.data.readers.preferences import Preferences
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.option_names import option_name
from zoo.tasks.baselines.ngrams import NgramBaselines
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.inputs.prompts import FittedPrompts
from zoo.tasks.likelihood import token_objective
from zoo.tasks.next_token import StatefulScorer, score_windows
from zoo.tasks.options.causal_lm import DPO, STEPS, Training
from zoo.tasks.packing import packed_batches
from zoo.tasks.parts import Recipe
from zoo.tasks.preferences import preference_batches, preference_objective
from zoo.tasks.token_streams import StreamFormat, windows_of
from zoo.training.data import BeforeBatch, Evaluate
from zoo.training.objective import Objective

HIGHEST, RATE = 3e-3, 0.4  # of the learning rate: 0.003 for a width of 128, 0.00052 for 768
DPO_RATE, DPO_LORA_RATE = 1e-6, 1e-5
TOKENS, PARTS = 1_000_000, 100  # maximum number that the baseline counts, in so many parts


@dataclass(frozen=True)
class CausalLMRecipe(Recipe[FittedPrompts, Training, DocumentExamples, GeneratedTextHead]):
    """Windows of running text; a model may carry its states from batch to batch.

    Source: Brown et al. 2020, table 2.1 (rates that fall with the width, here `0.4 / width`);
        Rafailov et al. 2023, appendix B (the rate of preferences).

    Args:
        format: The format of the data, which tokenizes.
    """

    format: StreamFormat
    min_steps: int = STEPS
    stops_early: bool = True

    @property
    def baselines(self) -> NgramBaselines[FittedPrompts]:  # type: ignore[override]
        """An n-gram model of the tokens."""
        return NgramBaselines(self._stream, self._answers)

    def _stream(self, examples: DocumentExamples, fitted: FittedPrompts) -> np.ndarray:
        """The tokens, or parts of them that are spread over the stream."""
        return _spread(windows_of(examples, self.format, fitted, batch_size=1).ids)

    def _answers(self, examples: DocumentExamples, fitted: FittedPrompts) -> np.ndarray | None:
        """Of chats, whether each of these tokens is an answer."""
        answers = windows_of(examples, self.format, fitted, batch_size=1).answers
        return None if answers is None else _spread(answers)

    def batches(
        self,
        examples: DocumentExamples,
        fitted: FittedPrompts,
        head: GeneratedTextHead,
        training: Training,
        held_out: bool,
    ) -> TokenWindows | BucketedBatches | PackedBatches:
        if training.loss == DPO:
            if training.packing:
                raise UserError(f"{option_name('packing')} is not for {option_name('loss')} {DPO}")
            return preference_batches(examples, fitted, training, held_out)
        if isinstance(examples, Preferences):
            raise UserError(f"the data are preferences: train with {option_name('loss')} {DPO}")
        if training.packing and not held_out:
            return packed_batches(examples, fitted, training)
        stateful = fitted.model.stateful_batch_size
        size = training.batch_size or stateful or None
        if stateful and size != stateful:
            name, other = option_name("batch_size"), "stateful_batch_size"
            raise UserError(f"{name} must be {other}, {stateful}; got {size}")
        if held_out:
            return windows_of(examples, self.format, fitted, 1 if stateful else size)
        return windows_of(examples, self.format, fitted, size, bool(stateful), training.seed)

    def objective(self, head: GeneratedTextHead, training: Training) -> Objective:
        pad = head.writer.tokenizer.special_tokens.pad
        if training.loss == DPO:
            return preference_objective(training.beta, pad)
        return token_objective(pad)

    def validation(self, batches: Any, fitted: FittedPrompts) -> Evaluate | None:
        if not fitted.model.stateful_batch_size:
            return None
        special = fitted.preprocessor.tokenizer.special_tokens

        def evaluate(_: keras.Model, before_batch: BeforeBatch) -> dict[str, float]:
            likelihood = score_windows(batches, StatefulScorer(fitted.model, special), before_batch)
            return {"val_loss": likelihood.loss, "val_perplexity": likelihood.perplexity}

        return evaluate

    def default_learning_rate(self, fitted: FittedPrompts, pretrained: bool) -> float:
        if pretrained:
            return super().default_learning_rate(fitted, pretrained)
        return min(HIGHEST, RATE / fitted.model.hidden_dim)

    def keeps_start(self, training: Training) -> bool:
        return training.loss == DPO  # it compares answers with those of the model before

    def learning_rate(self, fitted: FittedPrompts, pretrained: bool, training: Training) -> float:
        if training.loss == DPO:
            return DPO_RATE if training.lora_rank is None else DPO_LORA_RATE
        return super().learning_rate(fitted, pretrained, training)

    def default_warmup(self, steps: int) -> int:
        return max(1, min(200, steps // 10))


def _spread(stream: Any) -> np.ndarray:
    """A stream, or parts of it that are spread over it."""
    if len(stream) <= TOKENS:
        return np.asarray(stream[np.arange(len(stream))])
    starts = np.linspace(0, len(stream) - TOKENS // PARTS, PARTS).astype("int64")
    return np.concatenate([stream[start + np.arange(TOKENS // PARTS)] for start in starts])
