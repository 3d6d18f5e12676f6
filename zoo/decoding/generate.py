"""Text generation with any decoding method."""

from typing import Any

from zoo.decoding.beam import EarlyStopping, beam_search
from zoo.decoding.logits_processors import LogitsProcessors, Words
from zoo.decoding.protocol import Decoder, Generated
from zoo.decoding.sampling import greedy, sample
from zoo.option_names import option_name
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens


def generate(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    beams: int = 1,
    length_penalty: float = 1.0,
    temperature: float = 0.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: Any = None,
    early_stopping: EarlyStopping = False,
    no_repeat_ngram: int = 0,
    min_new_tokens: int = 0,
    bad_words: Words = (),
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
) -> Generated:
    """Generates an output from a source, or the continuation of a prompt.

    Args:
        model: A `Decoder`.
        inputs: Dictionary of the model's inputs, with B rows: either `token_ids` (B, P), padded
            prompts of at least one token each, or a source, such as `source_ids` and `source_mask`.
        max_new_tokens: Maximum number of tokens, including the end token.
        beams: Number of beams; 1 is greedy decoding.
        length_penalty: Exponent of the length that beam search divides scores by; above 0 favors
            longer outputs.
        temperature: Sampling temperature; 0 is greedy decoding.
        top_k: Sample from this many most probable tokens; 0 samples from all.
        top_p: Nucleus sampling: the smallest set of tokens with this total probability.
        seed: Random seed of sampling: an integer, or one seed for each row from `row_seeds`. If
            None, it is taken from Keras's global random generator.
        early_stopping: When beam search stops: if true, with the first complete outputs; if
            "never", when no better output can follow; if false, by a heuristic between the two.
        no_repeat_ngram: Size of n-grams that may occur only once; 0 disables the rule.
        min_new_tokens: Minimum number of tokens before the end token.
        bad_words: Words that are never generated, each as a sequence of token ids.
        special_tokens: Ids of the tokenizer's special tokens.

    Returns:
        A `Generated` with N = beams.

    Raises:
        ValueError: If an argument is out of range, or sampling is combined with beam search.
    """
    check_options(max_new_tokens, temperature, top_k, top_p, min_new_tokens)
    _at_least("beams", beams, 1)
    if early_stopping not in (True, False, "never"):
        name = option_name("early_stopping")
        raise ValueError(f'{name} must be True, False or "never"; received {early_stopping!r}.')
    if temperature and beams > 1:
        raise ValueError(
            f"sampling ({option_name('temperature')} > 0) needs beams=1; received {beams}."
        )
    logits_processors = LogitsProcessors.of(
        special_tokens, max_new_tokens, no_repeat_ngram, min_new_tokens, bad_words
    )
    if temperature:
        sampling = (temperature, top_k, top_p, seed)
        return sample(model, inputs, max_new_tokens, *sampling, special_tokens, logits_processors)
    if beams > 1:
        options = (length_penalty, early_stopping, special_tokens, logits_processors)
        return beam_search(model, inputs, max_new_tokens, beams, *options)
    return greedy(model, inputs, max_new_tokens, special_tokens, logits_processors)


def check_options(
    max_new_tokens: int, temperature: float, top_k: int, top_p: float, min_new_tokens: int
) -> None:
    """Raises a `ValueError` if an option of greedy decoding or sampling is out of range.

    Example:
        >>> check_options(9, temperature=1.0, top_k=0, top_p=0.0, min_new_tokens=0)
        Traceback (most recent call last):
        ValueError: top_p must be above 0 and at most 1; received 0.0.
    """
    _at_least("max_new_tokens", max_new_tokens, 1)
    _at_least("temperature", temperature, 0)
    _at_least("top_k", top_k, 0)
    if not 0 < top_p <= 1:
        raise ValueError(
            f"{option_name('top_p')} must be above 0 and at most 1; received {top_p!r}."
        )
    if min_new_tokens >= max_new_tokens:
        raise ValueError(
            f"{option_name('min_new_tokens')} must be below "
            f"{option_name('max_new_tokens')}, {max_new_tokens}; received "
            f"{min_new_tokens}."
        )


def _at_least(name: str, value: float, minimum: float) -> None:
    if value < minimum:
        raise ValueError(f"{option_name(name)} must be at least {minimum}; received {value!r}.")
