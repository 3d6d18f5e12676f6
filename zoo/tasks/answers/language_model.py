"""The further inferences of a language model: attention, and scores of given tokens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from zoo.data.readers.preferences import Preferences
from zoo.data_statistics import record
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.metrics.tokens import TokenRows
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import encoder_inputs
from zoo.registry.metrics import PREFERENCES, WINDOWS
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.attending import self_attention
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.inputs.prompts import FittedPrompts
from zoo.tasks.likelihood import SCORE
from zoo.tasks.measuring import Judged
from zoo.tasks.next_token import StatefulScorer, next_token_inference, score_windows
from zoo.tasks.parts import Predictor
from zoo.tasks.preferences import preference_rows
from zoo.tasks.token_streams import StreamFormat, windows_of

BATCH_SIZE = 16  # of windows that are scored
PromptPredictor = Predictor[FittedPrompts, GeneratedTextHead]


class LanguageModelInferences:
    """The attention of a model to the tokens of a text, and the score of each token."""

    purposes = MappingProxyType({SCORE: "Scores each token of a text, given those before it."})

    def inferences(
        self, fitted: FittedPrompts, generate: Callable[..., Tensors]
    ) -> dict[str, Inference]:
        model, preprocessor = fitted.model, fitted.preprocessor
        tokenizer = preprocessor.tokenizer

        def prepare(features: Features) -> Tensors:
            limit, special = model.max_sequence_length, tokenizer.special_tokens
            return encoder_inputs(features["token_ids"], special, limit, segments=False)

        values = (0, tokenizer.vocabulary_size - 1)
        score = next_token_inference(model, tokenizer.special_tokens, values)
        return {**self_attention(model, preprocessor.features, prepare), SCORE: score}

    def meanings(self, fitted: FittedPrompts) -> dict[str, str]:
        return {}

    def attention_options(
        self, fitted: FittedPrompts, features: Features, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        for option in options:
            raise UserError(f"attention has no option {option!r} here")
        return {}


@dataclass(frozen=True)
class WindowScores:
    """Next-token loss, perplexity and bits per byte of windows of text, and which answer is better.

    Args:
        format: The format of the data, which tokenizes.
    """

    format: StreamFormat

    def judged(self, predictor: PromptPredictor, examples: DocumentExamples) -> Judged:
        windows: Judged = {WINDOWS: lambda: self._windows(predictor, examples)}
        if not isinstance(examples, Preferences) or predictor.fitted.model.stateful_batch_size:
            return windows
        pairs = partial(preference_rows, examples, predictor.fitted, predictor.run)
        return {PREFERENCES: pairs, **windows}

    def _windows(self, predictor: PromptPredictor, examples: DocumentExamples) -> TokenRows:
        """The tokens of each window, with as many bytes for each as the mean of all texts."""
        fitted = predictor.fitted
        size = 1 if fitted.model.stateful_batch_size else BATCH_SIZE
        windows = windows_of(examples, self.format, fitted, size)
        record(windows.statistics)
        rows = score_windows(windows, predictor.run).rows
        count = examples.scored_bytes
        return replace(rows, bytes=rows.tokens * count / max(rows.tokens.sum(), 1))


def statefully(fitted: FittedPrompts, run: Run) -> Run:
    """What scores windows, with states from window to window if the model has such; else `run`."""
    if not fitted.model.stateful_batch_size:
        return run
    return StatefulScorer(fitted.model, fitted.preprocessor.tokenizer.special_tokens)
