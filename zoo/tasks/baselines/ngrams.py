"""An n-gram model of tokens, with which models that generate tokens are compared."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.tasks.baselines.saved_arrays import SavedArrays
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import F

FEW = 1024  # tokens of a vocabulary, such as bytes, that has longer n-grams
LONG, SHORT = 6, 3  # tokens of an n-gram
PRIME = np.uint64(0x9E3779B97F4A7C15)  # odd, so that a product loses no bits


@dataclass(frozen=True)
class NgramModel(SavedArrays):
    """Interpolated probabilities of the next token after 0 to n - 1 tokens.

    Source: Witten & Bell 1991, as in Chen & Goodman 1999, section 2.5.
    Formula: `p(w | h) = (c(h w) + t(h) p(w | h')) / (c(h) + t(h))`, where c counts, t(h) is the
        number of different tokens after h, h' is h without its first token, and `p(w) = 1 / V`
        below the empty h

    Args:
        vocabulary_size: Number of tokens V.
        grams: For each length from 1 to n, sorted hashes of the n-grams and how often each occurs.
        contexts: For each length from 0 to n - 1, sorted hashes of what comes before a token, how
            often each occurs, and how many different tokens follow it.

    Example:
        >>> model = NgramModel.fit(np.array([0, 1, 0, 1, 0]), vocabulary_size=2)
        >>> probabilities = np.exp(model.log_probabilities(np.array([0, 1])))
        >>> round(float(probabilities[0]), 3)  # 1 after 0: (2 + 3 / 7) / 3
        0.81
    """

    vocabulary_size: int
    grams: list[tuple[np.ndarray, np.ndarray]]
    contexts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]

    @classmethod
    def fit(cls, ids: np.ndarray, vocabulary_size: int) -> Self:
        """Counts the n-grams of a stream of tokens.

        Args:
            ids: The tokens (N,).
            vocabulary_size: Number of tokens V.
        """
        order = LONG if vocabulary_size <= FEW else SHORT
        grams, contexts = [], []
        for before, after in _hashes(ids, order):
            keys, first, counts = np.unique(after, return_index=True, return_counts=True)
            grams.append((keys, counts.astype("uint32")))
            seen, inverse, distinct = np.unique(
                before[first], return_inverse=True, return_counts=True
            )
            totals = np.bincount(inverse, counts)
            contexts.append((seen, totals.astype("uint32"), distinct.astype("uint32")))
        return cls(vocabulary_size, grams, contexts)

    def log_probabilities(self, ids: np.ndarray) -> np.ndarray:
        """The log-probability of each token of a stream after the first, (N - 1,) in nats."""
        probabilities = np.full(len(ids) - 1, 1.0 / self.vocabulary_size)
        for length, (before, after) in enumerate(_hashes(ids, len(self.grams))):
            skipped = max(0, 1 - length)  # a gram of one token also starts at the first
            before, after = before[skipped:], after[skipped:]
            (keys, counts), (seen, totals, distinct) = self.grams[length], self.contexts[length]
            count, total = _values_of(after, keys, counts), _values_of(before, seen, totals)
            kinds = _values_of(before, seen, distinct)
            part = probabilities[len(probabilities) - len(after) :]
            known = total > 0
            mixed = (count + kinds * part) / np.maximum(total + kinds, 1)
            part[known] = mixed[known]
        log_p: np.ndarray = np.log(probabilities)
        return log_p

    @property
    def arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {
            f"{name}_{length}_{position}": array
            for name, lists in (("grams", self.grams), ("contexts", self.contexts))
            for length, parts in enumerate(lists)
            for position, array in enumerate(parts)
        }
        sizes = {"vocabulary_size": self.vocabulary_size, "order": len(self.grams)}
        return {**sizes, **arrays}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        order = range(int(arrays["order"]))
        parts = {
            name: [tuple(arrays[f"{name}_{n}_{i}"] for i in range(size)) for n in order]
            for name, size in (("grams", 2), ("contexts", 3))
        }
        for each in (*parts["grams"], *parts["contexts"]):
            if len({array.shape for array in each}) > 1 or each[0].ndim != 1:
                raise ValueError("the numbers of n-grams and counts differ")
        return cls(int(arrays["vocabulary_size"]), parts["grams"], parts["contexts"])


@dataclass(frozen=True)
class NgramBaselines(Baselines[F, DocumentExamples, NgramModel]):
    """The loss and the perplexity per token of an n-gram model.

    Args:
        tokens: Function from examples and the fitted task to the tokens to count, in one array.
        scored: Function to whether each of these tokens is scored; None if all are.
    """

    loader = NgramModel.load
    tokens: Callable[[DocumentExamples, F], np.ndarray]
    scored: Callable[[DocumentExamples, F], np.ndarray | None] = lambda examples, fitted: None

    def fit(self, examples: DocumentExamples, fitted: F) -> NgramModel:
        size = fitted.preprocessor.tokenizer.vocabulary_size
        return NgramModel.fit(self.tokens(examples, fitted), size)

    def scores(
        self, learned: NgramModel, examples: DocumentExamples, fitted: F
    ) -> dict[str, float]:
        log_p = learned.log_probabilities(self.tokens(examples, fitted))
        scored = self.scored(examples, fitted)
        loss = -float((log_p if scored is None else log_p[scored[1:]]).mean())
        return {"ngram_loss": loss, "ngram_perplexity": float(np.exp(loss))}


def _hashes(ids: np.ndarray, order: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each length k below `order`, hashes of the k tokens before each token, and with it.

    The first k tokens have no such hashes.
    """
    tokens = ids.astype("uint64") + np.uint64(1)
    for length in range(min(order, len(ids))):
        before = _hash(tokens, length)
        yield before, _mixed(before, tokens[length:])


def _hash(tokens: np.ndarray, length: int) -> np.ndarray:
    """Hashes of the `length` tokens before each token that has so many, in their order."""
    hashes = np.zeros(len(tokens) - length, "uint64")
    for position in range(length):
        hashes = _mixed(hashes, tokens[position : position + len(hashes)])
    return hashes


def _mixed(hashes: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    mixed = (hashes ^ tokens) * PRIME
    return mixed ^ (mixed >> np.uint64(29))


def _values_of(keys: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value of each key, or 0."""
    positions = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[positions] == keys, values[positions], 0).astype("float64")
