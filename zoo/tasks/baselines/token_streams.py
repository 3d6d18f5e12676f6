"""The baseline of language models: an n-gram model of their tokens."""

from dataclasses import dataclass

import numpy as np

from zoo.tasks.baselines.ngrams import NgramModel
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.inputs.prompts import FittedPrompts
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.token_streams import StreamFormat, windows_of

TOKENS = 1_000_000  # maximum number of tokens to count in, and to evaluate on
PARTS = 100  # number of parts of a longer stream that are read


@dataclass(frozen=True)
class TokenStreamBaselines(Baselines[FittedPrompts, DocumentExamples, NgramModel]):
    """The loss and the perplexity per token of an n-gram model.

    Args:
        format: The format of the data, which tokenizes.
    """

    loader = NgramModel.load
    format: StreamFormat

    def fit(self, examples: DocumentExamples, fitted: FittedPrompts) -> NgramModel:
        size = fitted.preprocessor.tokenizer.vocabulary_size
        return NgramModel.fit(self._stream(examples, fitted), size)

    def scores(
        self, learned: NgramModel, examples: DocumentExamples, fitted: FittedPrompts
    ) -> dict[str, float]:
        loss = -float(learned.log_probabilities(self._stream(examples, fitted)).mean())
        return {"ngram_loss": loss, "ngram_perplexity": float(np.exp(loss))}

    def _stream(self, examples: DocumentExamples, fitted: FittedPrompts) -> np.ndarray:
        """The tokens, or parts of them that are spread over the stream."""
        ids = windows_of(examples, self.format, fitted, batch_size=1).ids
        if len(ids) <= TOKENS:
            return np.asarray(ids[np.arange(len(ids))])
        starts = np.linspace(0, len(ids) - TOKENS // PARTS, PARTS).astype("int64")
        return np.concatenate([ids[start + np.arange(TOKENS // PARTS)] for start in starts])
