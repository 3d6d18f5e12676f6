"""What decoding needs of a model, and what it gives back."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from keras import ops

from zoo.text.specials import PAD, START

IMPOSSIBLE = -1e9


class Decoder(Protocol):
    """A model that generates: attentive, recurrent or convolutional, decoding is the same.

    `encode(inputs) -> memory`; `initial_state(memory, max_length) -> state`;
    `step(tokens, state) -> (logits, state)`. A state has `memory`, what steps only read, `cache`,
    what they write, both nests of tensors with the batch first, and the scalar `index`.
    """

    def encode(self, inputs: dict[str, Any]) -> dict[str, Any]: ...

    def initial_state(self, memory: dict[str, Any], max_length: int) -> dict[str, Any]: ...

    def step(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]: ...


class Generated(NamedTuple):
    """The N best outputs of each row, best first.

    `token_ids` (B, N, L) ends with the end token where there was room for it and is padded with 0;
    `lengths` (B, N) counts the tokens, the end token included; `scores` (B, N) is the sum of their
    log-probabilities, for beam search divided by the length penalty.
    """

    token_ids: Any
    lengths: Any
    scores: Any


def log_probabilities(logits: Any) -> Any:
    """Of the next token, (B, V) in float32; padding and the start are never next."""
    never = np.zeros(logits.shape[-1], "float32")
    never[[PAD, START]] = IMPOSSIBLE
    return ops.log_softmax(ops.cast(logits, "float32") + never, axis=-1)


def write_column(ids: Any, column: Any, index: Any) -> Any:
    """ids (B, L) with the tokens (B,) of one step written at `index`."""
    return ops.slice_update(ids, (0, index), ops.expand_dims(column, 1))


def count_tokens(ids: Any) -> Any:
    """Number of tokens that are not padding, (..., L) -> (...)."""
    return ops.sum(ops.cast(ops.not_equal(ids, PAD), "int32"), axis=-1)
