"""Metrics of the probabilities of given tokens."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.metrics.measure import Measures, additive, divided, share


@dataclass(frozen=True)
class TokenRows:
    """Rows with the log-probability of the correct tokens, given those before.

    Args:
        nats: The negative log-probability of each row, in nats, (N,).
        tokens: The number of tokens of each row, (N,).
        correct: How many of them are the most probable tokens, (N,).
        bytes: The number of bytes of the text of each row, (N,), if it is known.
    """

    nats: np.ndarray
    tokens: np.ndarray
    correct: np.ndarray
    bytes: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.nats)

    @property
    def expected(self) -> list[Any]:
        """The number of tokens."""
        return self.tokens.tolist()


def loss(rows: TokenRows) -> Measures:
    """The cross-entropy in nats per token."""
    return {"loss": share(rows.nats, rows.tokens)}


def perplexity(rows: TokenRows) -> Measures:
    """The exponential of the loss."""
    sums = np.stack([rows.nats, rows.tokens], axis=1)
    return {"perplexity": additive(sums, lambda s: np.exp(np.minimum(divided(*s.T), 700)))}


def bits_per_byte(rows: TokenRows) -> Measures:
    """The cross-entropy in bits per byte of text, which can be compared across tokenizers."""
    return {} if rows.bytes is None else {"bits_per_byte": share(rows.nats / np.log(2), rows.bytes)}


def token_accuracy(rows: TokenRows) -> Measures:
    """The fraction of tokens predicted correctly, given those before them."""
    return {"token_accuracy": share(rows.correct, rows.tokens)}


def accuracy(rows: TokenRows) -> Measures:
    """The fraction of tokens predicted correctly, of a task whose answers are tokens."""
    return {"accuracy": share(rows.correct, rows.tokens)}


def restored(rows: TokenRows) -> Measures:
    """The fraction of removed tokens predicted correctly."""
    return {"restored": share(rows.correct, rows.tokens)}
