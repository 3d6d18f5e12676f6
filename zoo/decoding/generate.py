"""One entry to every way of generating."""

from typing import Any

from zoo.decoding.beam import EarlyStopping, beam_search
from zoo.decoding.logits_processors import LogitsProcessors, Words
from zoo.decoding.protocol import Decoder, Generated
from zoo.decoding.sampling import greedy, sample
from zoo.text.special_tokens import OURS, SpecialTokens


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
    special_tokens: SpecialTokens = OURS,
) -> Generated:
    """Generates from a source, or continues a prompt.

    Args:
        model: A `Decoder`.
        inputs: What the model encodes, B rows, by name: `token_ids` (B, P), padded prompts of at
            least one token each, or any source, such as `source_ids` and `source_mask`.
        max_new_tokens: Greatest number of tokens, the end token included.
        beams: Width of the beam search; 1 is greedy.
        length_penalty: Exponent of the length that beam search divides scores by.
        temperature: 0 takes the most probable tokens; above, tokens are drawn.
        top_k: Draw from so many most probable tokens; 0 from all.
        top_p: Draw from the fewest tokens that hold this share of the probability.
        seed: Fixes what is drawn: an integer; or for each row its own, as `row_seeds` gives. None:
            as Keras's global generator goes on.
        early_stopping: Beam search takes the first outputs that end; "never": it goes on until no
            better output can follow.
        no_repeat_ngram: No run of so many tokens comes twice; 0 lets them.
        min_new_tokens: So many new tokens come before the end token.
        bad_words: Ids of what never stands in an output, a token or several in a row each.
        special_tokens: Which ids are padding, start and end; those of the tokenizer.

    Outputs: A `Generated` with N = beams.

    Raises:
        ValueError: If an argument is out of its range, or beams are to be drawn.
    """
    check_options(max_new_tokens, temperature, top_k, top_p, min_new_tokens)
    _at_least("beams", beams, 1)
    if early_stopping not in (True, False, "never"):
        raise ValueError(
            f'early_stopping must be True, False or "never"; received {early_stopping!r}.'
        )
    if temperature and beams > 1:
        raise ValueError(f"temperature draws one output: it needs beams=1; received {beams}.")
    logits_processors = LogitsProcessors(
        no_repeat_ngram,
        min_new_tokens,
        tuple(map(tuple, bad_words)),
        special_tokens.forced_first,
        special_tokens.forced_last,
        max_new_tokens,
    )
    if temperature:
        drawn = (temperature, top_k, top_p, seed)
        return sample(model, inputs, max_new_tokens, *drawn, special_tokens, logits_processors)
    if beams > 1:
        how = (length_penalty, early_stopping, special_tokens, logits_processors)
        return beam_search(model, inputs, max_new_tokens, beams, *how)
    return greedy(model, inputs, max_new_tokens, special_tokens, logits_processors)


def check_options(
    max_new_tokens: int, temperature: float, top_k: int, top_p: float, min_new_tokens: int
) -> None:
    """Raises a ValueError where an option of drawing tokens one by one is out of its range.

    Example:
        >>> check_options(9, temperature=1.0, top_k=0, top_p=0.0, min_new_tokens=0)
        Traceback (most recent call last):
        ValueError: top_p must be above 0 and at most 1; received 0.0.
    """
    _at_least("max_new_tokens", max_new_tokens, 1)
    _at_least("temperature", temperature, 0)
    _at_least("top_k", top_k, 0)
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1; received {top_p!r}.")
    if min_new_tokens >= max_new_tokens:
        raise ValueError(
            f"min_new_tokens must be below max_new_tokens, {max_new_tokens}; received "
            f"{min_new_tokens}."
        )


def _at_least(name: str, value: float, least: float) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}; received {value!r}.")
