"""The baseline of masked language models: the most frequent tokens."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from zoo.data.batching.batches import Columns
from zoo.data.batching.masked import MaskedPairs
from zoo.data.pretraining.masking import NOT_CHOSEN
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.frequent_answers import named
from zoo.tasks.baselines.token_frequencies import TokenFrequencies
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.likelihood import Likelihood
from zoo.tasks.options.masked_lm import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

BATCHES = 2000  # maximum number that are counted

FittedMasks = Fitted[Settings, TextPreprocessor]


@dataclass(frozen=True)
class MaskedTextBaselines(Baselines[FittedMasks, DocumentExamples, TokenFrequencies]):
    """How well masked tokens are predicted by their frequency alone.

    Args:
        pairs: Function from examples and what is fitted to batches of pairs with masks.
    """

    loader = TokenFrequencies.load
    pairs: Callable[[DocumentExamples, FittedMasks], MaskedPairs]

    def fit(self, examples: DocumentExamples, fitted: FittedMasks) -> TokenFrequencies:
        labels = (columns["labels"] for columns in self._columns(examples, fitted))
        chosen = (ids[ids != NOT_CHOSEN] for ids in labels)
        return TokenFrequencies.of(chosen, fitted.preprocessor.tokenizer.vocabulary_size)

    def scores(
        self, learned: TokenFrequencies, examples: DocumentExamples, fitted: FittedMasks
    ) -> dict[str, float]:
        log_p, best, likelihood = learned.log_probabilities, learned.most_frequent, Likelihood()
        answers: list[np.ndarray] = []
        for columns in self._columns(examples, fitted):
            labels = columns["labels"]
            likelihood.add(log_p[np.maximum(labels, 0)], best, labels, labels != NOT_CHOSEN)
            answers.append(columns["is_random"])
        share = float(np.concatenate(answers).mean())
        scores = {
            "loss": likelihood.loss,
            "perplexity": likelihood.perplexity,
            "accuracy": likelihood.accuracy,
            "nsp_accuracy": max(share, 1 - share),
        }
        return named(scores, "unigram")

    def _columns(self, examples: DocumentExamples, fitted: FittedMasks) -> Iterator[Columns]:
        batches = self.pairs(examples, fitted)
        return itertools.islice(batches.columns(shuffle=False), BATCHES)
