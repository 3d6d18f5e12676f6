"""Greedy decoding and sampling."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import (
    Decoder,
    Generated,
    begin,
    column,
    count_tokens,
    log_probabilities,
    new_tokens,
    prompt_of,
    write_column,
)
from zoo.decoding.rng import row_seeds, uniform
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens

# Chooses the next tokens (B,) from log-probabilities (B, V) and the number of the step. Returns the
# tokens and their log-probabilities (B,).
Choose = Callable[[Any, Any], tuple[Any, Any]]


def greedy(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    logits_processors: LogitsProcessors = NONE,
) -> Generated:
    """Greedy decoding: the most probable token at each step.

    Source: Sutskever et al. 2014, section 3.2, with a single beam.
    Formula: `y_t = argmax_v p(v | y_1 ... y_{t-1}, x)`

    Args:
        model: A `Decoder`.
        inputs: Inputs of its `encode`, with B rows.
        max_new_tokens: Maximum number of tokens L, including the end token.
        special_tokens: Ids of the special tokens.
        logits_processors: Rules that constrain the generated tokens.

    Returns:
        A `Generated` with N = 1.
    """

    def choose(log_p: Any, _: Any) -> tuple[Any, Any]:
        # Not argmax, which needs an operator that LiteRT lacks.
        gain, tokens = ops.top_k(log_p, 1)
        return ops.squeeze(tokens, -1), ops.squeeze(gain, -1)

    return _token_by_token(model, inputs, max_new_tokens, choose, special_tokens, logits_processors)


def sample(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: Any = None,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    logits_processors: LogitsProcessors = NONE,
) -> Generated:
    """Sampling, with temperature, top-k and top-p (nucleus) sampling.

    Source: top-k: Fan et al. 2018, section 5.4; top-p (nucleus): Holtzman et al. 2020, eq. 2.
    Formula: `y_t ~ softmax(logits / temperature)` over the top_k most probable tokens, and of those
        over the smallest set whose total probability is at least top_p

    Args:
        model: A `Decoder`.
        inputs: Inputs of its `encode`, with B rows.
        max_new_tokens: Maximum number of tokens L, including the end token.
        temperature: Sampling temperature. Values above 1 flatten the distribution, values below 1
            sharpen it.
        top_k: Sample from this many most probable tokens; 0 samples from all.
        top_p: Nucleus sampling: the smallest set of tokens with this total probability.
        seed: Random seed: an integer, or one seed for each row from `row_seeds`. If None, it is
            taken from Keras's global random generator.
        special_tokens: Ids of the special tokens.
        logits_processors: Rules that constrain the generated tokens.

    Returns:
        A `Generated` with N = 1.
    """
    if seed is None:  # by Keras's generator, whose state a compiled function also updates
        seed = keras.random.randint((), -(2**31), 2**31 - 1)
    if len(getattr(seed, "shape", ())) == 0:
        seed = row_seeds(
            seed, ops.arange(ops.shape(prompt_of(inputs, special_tokens).token_ids)[0])
        )

    def choose(log_p: Any, index: Any) -> tuple[Any, Any]:
        u = uniform(seed, index)
        tokens = draw(log_p / temperature, u, top_k, top_p)
        gain = ops.take_along_axis(log_p, ops.expand_dims(tokens, -1), axis=-1)
        return tokens, ops.squeeze(gain, -1)

    return _token_by_token(model, inputs, max_new_tokens, choose, special_tokens, logits_processors)


def draw(logits: Any, u: Any, top_k: int = 0, top_p: float = 1.0) -> Any:
    """Samples one token for each row, by inverse transform sampling.

    Args:
        logits: Logits (B, V).
        u: Uniform random numbers in [0, 1), (B, 1).
        top_k: Sample from this many most probable tokens; 0 samples from all.
        top_p: Nucleus sampling: the smallest set of tokens with this total probability.

    Returns:
        int32 tensor (B,).
    """
    size = logits.shape[-1]
    count = min(top_k, size) if top_k else size
    values, tokens = ops.top_k(ops.cast(logits, "float32"), count)
    # Softmax; the values are in descending order.
    odds = ops.exp(values - values[:, :1])
    cumulative = ops.cumsum(odds / ops.sum(odds, axis=-1, keepdims=True), axis=-1)
    # Keep a token if those before it have less than top_p in total; always keep the first.
    before = ops.concatenate([ops.zeros_like(cumulative[:, :1]), cumulative[:, :-1]], axis=-1)
    kept = ops.logical_or(ops.less(before, top_p), ops.equal(ops.arange(count), 0))
    total = ops.max(ops.where(kept, cumulative, 0.0), axis=-1, keepdims=True)
    rank = ops.sum(ops.cast(ops.less_equal(cumulative, u * total), "int32"), axis=-1, keepdims=True)
    last = ops.sum(ops.cast(kept, "int32"), axis=-1, keepdims=True) - 1
    chosen = ops.take_along_axis(tokens, ops.minimum(rank, last), axis=-1)
    return ops.cast(ops.squeeze(chosen, -1), "int32")


def _token_by_token(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    choose: Choose,
    special_tokens: SpecialTokens,
    logits_processors: LogitsProcessors,
) -> Generated:
    """The loop of greedy decoding and sampling, which runs until every row has ended."""
    prompt = prompt_of(inputs, special_tokens)
    state, ids = begin(model, model.encode(inputs), prompt, max_new_tokens, special_tokens)
    memory, last = state["memory"], prompt.lengths + max_new_tokens - 1
    rows = ops.shape(ids)[0]
    ended = ops.zeros((rows,), "bool")
    scores = ops.zeros((rows,), "float32")
    # A prompt of a single token leaves none to be read in the loop.
    has_prompt = prompt.token_ids.shape[1] != 1

    def continues(index: Any, tokens: Any, ended: Any, *_: Any) -> Any:
        return ops.logical_not(ops.all(ended))

    def body(index: Any, tokens: Any, ended: Any, ids: Any, scores: Any, cache: Any) -> tuple:
        state = {"memory": memory, "cache": cache, "index": index}
        logits, state = model.step(tokens, state)
        log_p = log_probabilities(logits, special_tokens)
        log_p = logits_processors(log_p, ids, index, prompt.lengths, special_tokens.end)
        tokens, gain = choose(log_p, index)
        tokens = ops.where(ended, special_tokens.pad, ops.cast(tokens, "int32"))
        is_new = ops.logical_not(ended)
        if has_prompt:
            given = ops.less(index + 1, prompt.lengths)
            tokens = ops.where(given, column(ids, index + 1), tokens)
            is_new = ops.logical_and(is_new, ops.logical_not(given))
        scores = scores + ops.where(is_new, gain, 0.0)
        ids = write_column(ids, tokens, index + 1)
        stops = ops.logical_or(
            ops.equal(tokens, special_tokens.end), ops.greater_equal(index + 1, last)
        )
        ended = ops.logical_or(ended, ops.logical_and(is_new, stops))
        return index + 1, tokens, ended, ids, scores, state["cache"]

    first = (state["index"], column(ids, state["index"]), ended, ids, scores, state["cache"])
    _, _, _, ids, scores, _ = ops.while_loop(continues, body, first)
    ids = new_tokens(ops.expand_dims(ids, 1), prompt, max_new_tokens)
    return Generated(ids, count_tokens(ids, special_tokens), ops.expand_dims(scores, 1))
