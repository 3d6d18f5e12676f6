"""What decoding needs of a model, and what it gives back."""

from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from keras import ops

from zoo.text.special_tokens import OURS, SpecialTokens

IMPOSSIBLE = -1e9


class Decoder(Protocol):
    """A model that generates: attentive, recurrent or convolutional, decoding is the same.

    `encode(inputs) -> memory`, of a dictionary of inputs, such as a source or a prompt;
    `initial_state(memory, max_length) -> state`; `step(tokens, state) -> (logits, state)`. A
    state has `memory`, what steps only read, `cache`, what they write, both nests of tensors with
    the batch first, and the scalar `index`.
    """

    def encode(self, inputs: dict[str, Any]) -> Any: ...

    def initial_state(self, memory: Any, max_length: Any) -> dict[str, Any]: ...

    def step(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]: ...


class PromptedDecoder(Decoder, Protocol):
    """A `Decoder` that goes on from a prompt: it takes the first `count` of the tokens (B, P) at
    once.
    """

    def read(self, tokens: Any, count: Any, state: dict[str, Any]) -> dict[str, Any]: ...


class Generated(NamedTuple):
    """The N best outputs of each row, best first.

    `token_ids` (B, N, L) ends with the end token where there was room for it and is padded;
    `lengths` (B, N) counts the tokens, the end token included; `scores` (B, N) is the sum of their
    log-probabilities, for beam search divided by the length penalty.
    """

    token_ids: Any
    lengths: Any
    scores: Any


def log_probabilities(logits: Any, special_tokens: SpecialTokens = OURS) -> Any:
    """Of the next token, (B, V) in float32; padding and what is read first are never next."""
    never = np.zeros(logits.shape[-1], "float32")
    never[list(special_tokens.never)] = IMPOSSIBLE
    return ops.log_softmax(ops.cast(logits, "float32") + never, axis=-1)


class Prompt(NamedTuple):
    """What each output begins with: `token_ids` (B, P), padded, and `lengths` (B,)."""

    token_ids: Any
    lengths: Any


def prompt_of(inputs: dict[str, Any], special_tokens: SpecialTokens = OURS) -> Prompt:
    """The tokens to continue: those given, or for a source the token that decoders read first.

    Args:
        inputs: `token_ids` (B, P), each row with at least one token; or any source, B rows.
        special_tokens: Which ids are padding and the start.
    """
    if "token_ids" in inputs:
        token_ids = inputs["token_ids"]
        return Prompt(token_ids, count_tokens(token_ids, special_tokens))
    rows = ops.shape(next(iter(inputs.values())))[0]
    return Prompt(
        ops.full((rows, 1), special_tokens.first_read, "int32"), ops.ones((rows,), "int32")
    )


def begin(
    model: Decoder,
    memory: Any,
    prompt: Prompt,
    max_new_tokens: int,
    special_tokens: SpecialTokens = OURS,
) -> tuple[dict[str, Any], Any]:
    """The state in which the last token that all prompts have is the next to be read, and the
    prompts with room for what is to come, (B, P + max_new_tokens).

    Longer prompts go on being read token by token, in the loop, so that all rows are always at
    the same position: none is padded in front, and none sees another's length.
    """
    steps = ops.shape(prompt.token_ids)[1] - 1 + max_new_tokens
    state = model.initial_state(memory, steps)
    if prompt.token_ids.shape[1] != 1:
        known_to_all = ops.min(prompt.lengths) - 1
        state = cast(PromptedDecoder, model).read(prompt.token_ids, known_to_all, state)
    room = ((0, 0), (0, max_new_tokens))
    return state, ops.pad(prompt.token_ids, room, constant_values=special_tokens.pad)


def new_tokens(ids: Any, prompt: Prompt, max_new_tokens: int) -> Any:
    """What stands behind the prompts: (B, N, P + L) -> (B, N, L)."""
    if prompt.token_ids.shape[1] == 1:
        return ids[:, :, 1:]
    first = ops.expand_dims(ops.expand_dims(prompt.lengths, 1), 1)
    places = first + ops.arange(max_new_tokens, dtype="int32")
    places = places + ops.zeros_like(ids[:, :, :1])
    return ops.take_along_axis(ids, places, axis=-1)


def column(ids: Any, index: Any) -> Any:
    """The tokens (...,) of ids (..., L) at `index`."""
    return ops.take(ids, index, axis=-1)


def write_column(ids: Any, tokens: Any, index: Any) -> Any:
    """ids (..., L) with the tokens (...,) of one step written at `index`."""
    first = (0,) * (len(ids.shape) - 1)
    return ops.slice_update(ids, (*first, index), ops.expand_dims(tokens, -1))


def count_tokens(ids: Any, special_tokens: SpecialTokens = OURS) -> Any:
    """Number of tokens that are not padding, (..., L) -> (...)."""
    return ops.sum(ops.cast(ops.not_equal(ids, special_tokens.pad), "int32"), axis=-1)
