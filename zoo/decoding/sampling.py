"""Greedy decoding and sampling."""

from dataclasses import dataclass
from typing import Any

import keras
from keras import ops

from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import Decoder, Generated, prompt_of
from zoo.decoding.rng import row_seeds, uniform
from zoo.decoding.token_by_token import Choose, TokenByToken
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens


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
    decoding = TokenByToken(model, max_new_tokens, most_probable, special_tokens, logits_processors)
    return decoding.generate(inputs)


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
    choose = Sampler(temperature, top_k, top_p)
    decoding = TokenByToken(model, max_new_tokens, choose, special_tokens, logits_processors)
    return decoding.generate(inputs, seed)


def most_probable(log_p: Any, index: Any, seeds: Any) -> tuple[Any, Any]:
    """Chooses the most probable token of each row; see `zoo.decoding.token_by_token.Choose`."""
    del index, seeds
    # Not argmax, which needs an operator that LiteRT lacks.
    gain, tokens = ops.top_k(log_p, 1)
    return ops.squeeze(tokens, -1), ops.squeeze(gain, -1)


@dataclass(frozen=True)
class Sampler:
    """Chooses a random token of each row; see `zoo.decoding.token_by_token.Choose`.

    Args:
        temperature: Sampling temperature.
        top_k: Sample from this many most probable tokens; 0 samples from all.
        top_p: Nucleus sampling: the smallest set of tokens with this total probability.
    """

    temperature: float
    top_k: int = 0
    top_p: float = 1.0

    def __call__(self, log_p: Any, index: Any, seeds: Any) -> tuple[Any, Any]:
        u = uniform(seeds, index)
        tokens = draw(log_p / self.temperature, u, self.top_k, self.top_p)
        gain = ops.take_along_axis(log_p, ops.expand_dims(tokens, -1), axis=-1)
        return tokens, ops.squeeze(gain, -1)


def choice(temperature: float = 0.0, top_k: int = 0, top_p: float = 1.0) -> Choose:
    """How to choose tokens: at random, or the most probable ones if the temperature is 0."""
    return Sampler(temperature, top_k, top_p) if temperature else most_probable


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
