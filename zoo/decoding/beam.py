"""Beam search."""

from collections.abc import Callable
from typing import Any, Literal

import keras
from keras import ops

from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import (
    IMPOSSIBLE,
    Decoder,
    Generated,
    Prompt,
    begin,
    column,
    count_tokens,
    log_probabilities,
    new_tokens,
    prompt_of,
    without_source,
    write_column,
)
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens

EarlyStopping = bool | Literal["never"]


def beam_search(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    beams: int,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    logits_processors: LogitsProcessors = NONE,
) -> Generated:
    """Beam search.

    Source: Graves 2012, algorithm 1; length penalty: Wu et al. 2016, section 7, in the simplified
        form that Hugging Face uses.
    Formula: `score(y) = log p(y | x) / |y| ** length_penalty`, where |y| includes the end token

    Each step considers the 2N best continuations of the N active beams. Those that end and are
    among the best N are candidates for the N best finished outputs. The best N others remain
    active. A row is done when it has N finished outputs, and no active beam, scored at its current
    length, is better than the worst of them. `early_stopping` changes this criterion.

    Args:
        model: A `Decoder`.
        inputs: Inputs of its `encode`, with B rows.
        max_new_tokens: Maximum number of tokens L, including the end token.
        beams: Number of beams N.
        length_penalty: Exponent of the length. 0 prefers short outputs; 1 compares the mean
            log-probabilities of the tokens.
        early_stopping: If true, a row is done as soon as it has N finished outputs. If "never", it
            is done only when no active beam can still become better, even if all of its remaining
            tokens had probability 1 and, for a positive `length_penalty`, it had maximum length.
        special_tokens: Ids of the special tokens.
        logits_processors: Rules that constrain the generated tokens.

    Returns:
        A `Generated`, best output first. An output that did not end has max_new_tokens tokens. If
        there are fewer than N possible outputs, the rest are empty.
    """
    prompt = prompt_of(inputs, special_tokens)
    repeated = Prompt(*repeat_rows(tuple(prompt), beams))
    memory = repeat_rows(model.encode(inputs), beams)
    state, ids = begin(model, memory, repeated, max_new_tokens, special_tokens)
    fixed, lengths = state["memory"], ops.expand_dims(prompt.lengths, -1)
    rows, length = ops.shape(prompt.token_ids)
    shape, room = (rows, beams), (rows, beams, length + max_new_tokens)
    has_prompt = prompt.token_ids.shape[1] != 1
    # All beams of a row are equal at first: continue only one of them in the first step.
    only_first = ops.where(ops.equal(ops.arange(beams), 0), 0.0, IMPOSSIBLE)
    ids = ops.reshape(ids, room)
    # The only output of an empty source has no tokens, and probability 1.
    empty = without_source(inputs, rows, special_tokens)
    certain_first = ops.logical_and(ops.expand_dims(empty, -1), ops.equal(ops.arange(beams), 0))
    first = (
        state["index"],
        column(ids, state["index"]),
        ids,
        ops.zeros(shape, "float32") + only_first,
        ops.full(room, special_tokens.pad, "int32"),
        ops.where(certain_first, 0.0, ops.full(shape, IMPOSSIBLE, "float32")),
        empty,
        state["cache"],
    )

    def continues(index: Any, *carried: Any) -> Any:
        completed = carried[-2]
        return ops.logical_not(ops.all(completed))

    def body(
        index: Any,
        tokens: Any,
        ids: Any,
        log_p: Any,
        done_ids: Any,
        done_scores: Any,
        completed: Any,
        cache: Any,
    ) -> tuple:
        state = {"memory": fixed, "cache": cache, "index": index}
        logits, state = model.step(ops.reshape(tokens, (-1,)), state)
        size = logits.shape[-1]
        log_p_next = log_probabilities(logits, special_tokens)
        rows_of_ids = ops.reshape(ids, (-1, ops.shape(ids)[2]))
        log_p_next = logits_processors(
            log_p_next, rows_of_ids, index, repeated.lengths, special_tokens.end
        )
        gains = ops.reshape(log_p_next, (-1, beams, size))
        if has_prompt:
            # Tokens of the prompt have probability 1.
            given = ops.less(index + 1, lengths)
            certain = ops.one_hot(column(ids, index + 1), size, dtype="float32")
            gains = ops.where(ops.expand_dims(given, -1), (1.0 - certain) * IMPOSSIBLE, gains)
        totals = ops.expand_dims(log_p, -1) + gains
        best, which = ops.top_k(ops.reshape(totals, (-1, beams * size)), 2 * beams)
        which = ops.cast(which, "int32")
        parents, tokens = which // size, which % size
        extended = write_column(_take(ids, parents), tokens, index + 1)

        # Finished: those of the best N continuations that end, or have reached the maximum length.
        ends = ops.equal(tokens, special_tokens.end)
        if has_prompt:
            ends = ops.logical_and(ends, ops.logical_not(given))
        among_best = ops.less(ops.arange(2 * beams), beams)
        generated = index + 2 - lengths
        last = ops.equal(generated, max_new_tokens)
        penalty = ops.cast(ops.maximum(generated, 1), "float32") ** length_penalty
        finished = ops.logical_and(ops.logical_or(ends, last), among_best)
        # If there are more beams than possible outputs, the others remain empty.
        finished = ops.logical_and(finished, ops.greater(best, IMPOSSIBLE / 2))
        finished = ops.logical_and(finished, ops.logical_not(ops.expand_dims(completed, -1)))
        scores = ops.where(finished, best / penalty, IMPOSSIBLE)
        done_scores, kept = ops.top_k(ops.concatenate([done_scores, scores], axis=1), beams)
        done_ids = _take(ops.concatenate([done_ids, extended], axis=1), kept)

        # Active: the best N continuations that do not end.
        log_p, kept = ops.top_k(ops.where(ends, IMPOSSIBLE, best), beams)
        parents = ops.take_along_axis(parents, ops.cast(kept, "int32"), axis=1)
        tokens = ops.take_along_axis(tokens, ops.cast(kept, "int32"), axis=1)
        ids = _take(extended, kept)
        first_row = ops.expand_dims(ops.arange(ops.shape(parents)[0], dtype="int32") * beams, -1)
        cache = take_rows(state["cache"], ops.reshape(parents + first_row, (-1,)))

        # A row is done at the maximum length, or if there are N finished outputs and no active beam
        # is better than the worst of them.
        worst = ops.min(done_scores, axis=1, keepdims=True)
        at_maximum = early_stopping == "never" and length_penalty > 0
        divisor = float(max_new_tokens) ** length_penalty if at_maximum else penalty
        bound = ops.max(log_p, axis=1, keepdims=True) / divisor
        if early_stopping is True:
            bound = IMPOSSIBLE / 2  # below the score of any finished output
        newly_completed = ops.squeeze(ops.logical_or(worst >= bound, last), -1)
        completed = ops.logical_or(completed, newly_completed)
        return index + 1, tokens, ids, log_p, done_ids, done_scores, completed, cache

    _, _, _, _, ids, scores, _, _ = ops.while_loop(continues, body, first)
    ids = new_tokens(ids, prompt.lengths, max_new_tokens)
    return Generated(ids, count_tokens(ids, special_tokens), scores)


def _take(rows: Any, which: Any) -> Any:
    """Gathers rows (B, M, L) at indices (B, N), giving (B, N, L)."""
    return ops.take_along_axis(rows, ops.expand_dims(ops.cast(which, "int32"), -1), axis=1)


def map_rows(function: Callable[[Any], Any], tree: Any) -> Any:
    """Applies a function to every tensor of a pytree.

    Args:
        function: Function from a tensor to a tensor.
        tree: Nested dictionaries, lists and tuples of tensors.

    Returns:
        A pytree of the same structure.
    """
    return keras.tree.map_structure(function, tree)


def repeat_rows(tree: Any, times: int) -> Any:
    """Repeats each row of every tensor: (B, ...) -> (B times, ...)."""
    return map_rows(lambda x: ops.repeat(x, times, axis=0), tree)


def take_rows(tree: Any, rows: Any) -> Any:
    """Gathers the given rows of every tensor."""
    return map_rows(lambda x: ops.take(x, rows, axis=0), tree)
