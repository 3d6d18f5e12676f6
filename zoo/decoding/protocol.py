"""The interface between models and decoding methods."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from keras import ops

from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens

IMPOSSIBLE = -1e9


class Decoder(Protocol):
    """Protocol of models that generate text step by step.

    A state is a dictionary of `memory`, which steps only read, `cache`, which steps update, and the
    scalar `index`, the position of the current token. `memory` and `cache` are pytrees: nested
    structures of tensors whose first axis is the batch.
    """

    def encode(self, inputs: dict[str, Any]) -> Any:
        """Encodes a dictionary of inputs, such as a source or a prompt, as the memory."""

    def initial_state(self, memory: Any, max_length: Any) -> dict[str, Any]:
        """The state before the first of up to `max_length` steps."""

    def step(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Reads the next tokens (B,). Returns the logits (B, V) and the new state."""

    def read(self, tokens: Any, count: Any, state: dict[str, Any]) -> dict[str, Any]:
        """Reads the first `count` of the prompt's tokens (B, P) at once. Returns the new state.

        A model with a source has no prompt, and returns the state.
        """


class Generated(NamedTuple):
    """The N outputs generated for each row, best first.

    `token_ids` (B, N, L), padded. Each output ends with the end token, unless it reached the
    maximum length.
    `lengths` (B, N), the number of tokens, including the end token; 0 for a source without tokens.
    `scores` (B, N), the sum of the log-probabilities of the tokens. Beam search divides it by the
    length penalty.
    """

    token_ids: Any
    lengths: Any
    scores: Any


def log_probabilities(logits: Any, special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS) -> Any:
    """Log-probabilities of the next token, float32 (B, V). Excludes `special_tokens.suppressed`."""
    suppressed = np.zeros(logits.shape[-1], "float32")
    suppressed[list(special_tokens.suppressed)] = IMPOSSIBLE
    return ops.log_softmax(ops.cast(logits, "float32") + suppressed, axis=-1)


class Prompt(NamedTuple):
    """The prompt of each row: `token_ids` (B, P), padded, and `lengths` (B,)."""

    token_ids: Any
    lengths: Any


def prompt_of(
    inputs: dict[str, Any], special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS
) -> Prompt:
    """The tokens to continue: the given prompt or, for a source, the first decoder input.

    Args:
        inputs: Dictionary of either `token_ids` (B, P), with at least one token in each row, or a
            source of B rows.
        special_tokens: Ids of the special tokens.
    """
    if "token_ids" in inputs:
        token_ids = inputs["token_ids"]
        return Prompt(token_ids, count_tokens(token_ids, special_tokens))
    rows = ops.shape(next(iter(inputs.values())))[0]
    return Prompt(
        ops.full((rows, 1), special_tokens.first_read, "int32"), ops.ones((rows,), "int32")
    )


def without_source(
    inputs: dict[str, Any], rows: Any, special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS
) -> Any:
    """Whether each row has a source without tokens, of which nothing follows: bool (B,).

    Args:
        inputs: Dictionary of the model's inputs, with `source_ids` (B, S) if the source is text,
            padded, and perhaps with a start and an end token.
        rows: Number of rows B.
        special_tokens: Ids of the special tokens.
    """
    if (ids := inputs.get("source_ids")) is None:
        return ops.zeros((rows,), "bool")
    around = (special_tokens.pad, special_tokens.start, special_tokens.end)
    is_around = [ops.equal(ids, token) for token in around]
    return ops.all(ops.any(ops.stack(is_around), axis=0), axis=-1)


def begin(
    model: Decoder,
    memory: Any,
    prompt: Prompt,
    max_new_tokens: int,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
) -> tuple[dict[str, Any], Any]:
    """Reads the prompts up to the length of the shortest, except for the last token.

    The rest of longer prompts is read step by step while decoding. So all rows are always at the
    same position, prompts need no padding on the left, and the outputs of a row do not depend on
    the lengths of others.

    Returns:
        The state, whose next step reads the last token that all prompts have; and the prompts, with
        padding for the new tokens, (B, P + max_new_tokens).
    """
    steps = ops.shape(prompt.token_ids)[1] - 1 + max_new_tokens
    state = model.initial_state(memory, steps)
    state = model.read(prompt.token_ids, ops.min(prompt.lengths) - 1, state)
    room = ((0, 0), (0, max_new_tokens))
    return state, ops.pad(prompt.token_ids, room, constant_values=special_tokens.pad)


def has_prompt(ids: Any, max_new_tokens: int) -> bool:
    """Whether ids (..., P + L) may begin with prompts of more than one token."""
    return bool(ids.shape[-1] != 1 + max_new_tokens)


def new_tokens(ids: Any, prompt_lengths: Any, max_new_tokens: int) -> Any:
    """Removes the prompts, whose lengths are (B,): (B, N, P + L) -> (B, N, L)."""
    if not has_prompt(ids, max_new_tokens):
        return ids[:, :, 1:]
    first = ops.expand_dims(ops.expand_dims(prompt_lengths, 1), 1)
    positions = first + ops.arange(max_new_tokens, dtype="int32")
    positions = positions + ops.zeros_like(ids[:, :, :1])
    return ops.take_along_axis(ids, positions, axis=-1)


def column(ids: Any, index: Any) -> Any:
    """The tokens (...) at one position of ids (..., L)."""
    return ops.take(ids, index, axis=-1)


def write_column(ids: Any, tokens: Any, index: Any) -> Any:
    """Writes tokens (...) at one position of ids (..., L). Returns the new ids."""
    first = (0,) * (len(ids.shape) - 1)
    return ops.slice_update(ids, (*first, index), ops.expand_dims(tokens, -1))


def count_tokens(ids: Any, special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS) -> Any:
    """Number of tokens that are not padding: (..., L) -> (...)."""
    return ops.sum(ops.cast(ops.not_equal(ids, special_tokens.pad), "int32"), axis=-1)
