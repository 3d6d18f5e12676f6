"""The N best outputs at once."""

from typing import Any, Literal

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
    write_column,
)
from zoo.decoding.tree import repeat_rows, take_rows
from zoo.text.special_tokens import OURS, SpecialTokens

EarlyStopping = bool | Literal["never"]


def beam_search(
    model: Decoder,
    inputs: dict[str, Any],
    max_new_tokens: int,
    beams: int,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
    special_tokens: SpecialTokens = OURS,
    logits_processors: LogitsProcessors = NONE,
) -> Generated:
    """The outputs of highest score that a search of bounded width finds.

    Source: Graves 2012, algorithm 1; length penalty: Wu et al. 2016, section 7, in the simple form.
    Formula: `score(y) = log p(y | x) / |y| ** length_penalty`, |y| with the end token

    At each step the 2N best continuations of the N running beams are looked at: those that end
    enter the list of finished outputs, the best N others run on. A row stops when its list is full
    and no running beam, scored as it stands, is better than the last in the list. With
    `early_stopping` it stops as soon as the list is full; where that is "never", only when no
    running beam could become better, were its other tokens certain and, for a positive penalty, as
    many as there is room for.

    Args:
        model: A `Decoder`.
        inputs: What its `encode` takes, B rows.
        max_new_tokens: Greatest number of tokens L, the end token included.
        beams: Width N.
        length_penalty: 0 prefers short outputs, 1 compares means.
        early_stopping: Take the first N outputs that end; "never" stops only when no better output
            can follow.
        special_tokens: Which ids are padding, start and end.
        logits_processors: What outputs may not hold.

    Outputs: A `Generated`, best first. An output that found no end has max_new_tokens tokens; where
        there are fewer than N outputs in all, the rest are empty.
    """
    prompt = prompt_of(inputs, special_tokens)
    each = Prompt(*repeat_rows(tuple(prompt), beams))
    memory = repeat_rows(model.encode(inputs), beams)
    state, ids = begin(model, memory, each, max_new_tokens, special_tokens)
    fixed, lengths = state["memory"], ops.expand_dims(prompt.lengths, -1)
    rows, length = ops.shape(prompt.token_ids)
    shape, room = (rows, beams), (rows, beams, length + max_new_tokens)
    several = prompt.token_ids.shape[1] != 1
    # All beams of a row begin alike: only the first may be continued in the first step.
    only_first = ops.where(ops.equal(ops.arange(beams), 0), 0.0, IMPOSSIBLE)
    ids = ops.reshape(ids, room)
    first = (
        state["index"],
        column(ids, state["index"]),
        ids,
        ops.zeros(shape, "float32") + only_first,
        ops.full(room, special_tokens.pad, "int32"),
        ops.full(shape, IMPOSSIBLE, "float32"),
        ops.zeros((rows,), "bool"),
        state["cache"],
    )

    def continues(index: Any, *carried: Any) -> Any:
        closed = carried[-2]
        return ops.logical_not(ops.all(closed))

    def body(
        index: Any,
        tokens: Any,
        ids: Any,
        log_p: Any,
        done_ids: Any,
        done_scores: Any,
        closed: Any,
        cache: Any,
    ) -> tuple:
        state = {"memory": fixed, "cache": cache, "index": index}
        logits, state = model.step(ops.reshape(tokens, (-1,)), state)
        size = logits.shape[-1]
        log_p_next = log_probabilities(logits, special_tokens)
        rows_of_ids = ops.reshape(ids, (-1, ops.shape(ids)[2]))
        log_p_next = logits_processors(
            log_p_next, rows_of_ids, index, each.lengths, special_tokens.end
        )
        gains = ops.reshape(log_p_next, (-1, beams, size))
        if several:
            # A token that is given is certain, and all others are impossible.
            given = ops.less(index + 1, lengths)
            certain = ops.one_hot(column(ids, index + 1), size, dtype="float32")
            gains = ops.where(ops.expand_dims(given, -1), (1.0 - certain) * IMPOSSIBLE, gains)
        totals = ops.expand_dims(log_p, -1) + gains
        best, which = ops.top_k(ops.reshape(totals, (-1, beams * size)), 2 * beams)
        which = ops.cast(which, "int32")
        parents, tokens = which // size, which % size
        found = write_column(_take(ids, parents), tokens, index + 1)

        # Finished: continuations among the best N that end here, or have no room to go on.
        ends = ops.equal(tokens, special_tokens.end)
        if several:
            ends = ops.logical_and(ends, ops.logical_not(given))
        in_time = ops.less(ops.arange(2 * beams), beams)
        written = index + 2 - lengths
        last = ops.equal(written, max_new_tokens)
        penalty = ops.cast(ops.maximum(written, 1), "float32") ** length_penalty
        finishes = ops.logical_and(ops.logical_or(ends, last), in_time)
        # More beams than outputs there are: what is left over stays empty.
        finishes = ops.logical_and(finishes, ops.greater(best, IMPOSSIBLE / 2))
        finishes = ops.logical_and(finishes, ops.logical_not(ops.expand_dims(closed, -1)))
        scores = ops.where(finishes, best / penalty, IMPOSSIBLE)
        done_scores, kept = ops.top_k(ops.concatenate([done_scores, scores], axis=1), beams)
        done_ids = _take(ops.concatenate([done_ids, found], axis=1), kept)

        # Running on: the best N continuations that do not end.
        log_p, kept = ops.top_k(ops.where(ends, IMPOSSIBLE, best), beams)
        parents = ops.take_along_axis(parents, ops.cast(kept, "int32"), axis=1)
        tokens = ops.take_along_axis(tokens, ops.cast(kept, "int32"), axis=1)
        ids = _take(found, kept)
        first_row = ops.expand_dims(ops.arange(ops.shape(parents)[0], dtype="int32") * beams, -1)
        cache = take_rows(state["cache"], ops.reshape(parents + first_row, (-1,)))

        # There is no more room, or the list is full and no running beam is better than its worst.
        worst = ops.min(done_scores, axis=1, keepdims=True)
        patient = early_stopping == "never" and length_penalty > 0
        at_best = float(max_new_tokens) ** length_penalty if patient else penalty
        hope = ops.max(log_p, axis=1, keepdims=True) / at_best
        if early_stopping is True:
            hope = IMPOSSIBLE / 2  # which every output found is better than
        closes = ops.squeeze(ops.logical_or(worst >= hope, last), -1)
        closed = ops.logical_or(closed, closes)
        return index + 1, tokens, ids, log_p, done_ids, done_scores, closed, cache

    _, _, _, _, ids, scores, _, _ = ops.while_loop(continues, body, first)
    ids = new_tokens(ids, prompt, max_new_tokens)
    return Generated(ids, count_tokens(ids, special_tokens), scores)


def _take(rows: Any, which: Any) -> Any:
    """Rows (B, M, L) by number (B, N) -> (B, N, L)."""
    return ops.take_along_axis(rows, ops.expand_dims(ops.cast(which, "int32"), -1), axis=1)
