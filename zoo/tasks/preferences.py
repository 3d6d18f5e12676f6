"""Batches of preferences: pairs of answers, with what the reference thinks of each."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.padded_columns import Column, Numbers, Sequences
from zoo.data.readers.preferences import CHOSEN, REJECTED, Preferences
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.metrics.preferences import PreferenceRows
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.serving.inference import Program, Run, Tensors
from zoo.tasks.inputs.prompts import FittedPrompts
from zoo.tasks.likelihood import SCORE
from zoo.tasks.next_token import next_token_inference
from zoo.tasks.options.causal_lm import DPO, Training
from zoo.text.chats import Chat, chat_ids, chat_segments
from zoo.text.special_tokens import SpecialTokens
from zoo.text.statistics import count_unknown
from zoo.training.direct_preference import DirectPreference, RewardAccuracy, RewardMargin
from zoo.training.objective import Objective

PAIRS = 8  # of a batch, by default
SCORED = 8  # answers that the reference scores at a time
COUNTS, REFERENCE = "counts", "reference"  # of tokens of each answer, and its log-probability


def preference_batches(
    examples: Any, fitted: FittedPrompts, training: Training, held_out: bool
) -> BucketedBatches:
    """Batches of pairs of answers, of which the reference is the model as it is now.

    The model is the one before tuning, as a run that is resumed begins with it, too. So each answer
    is scored once, and no second model is kept.

    Args:
        examples: The preferences.
        fitted: The settings, the preprocessor and the model.
        training: The training options.
        held_out: Whether they are for validation.

    Raises:
        UserError: If the data are not preferences, a prompt is too long, or the model carries
            states from batch to batch.
    """
    if not isinstance(examples, Preferences):
        raise UserError(
            f"{option_name('loss')} {DPO} is for a .jsonl file with prompt, chosen and rejected"
        )
    if fitted.model.stateful_batch_size:
        raise UserError(
            f"{option_name('loss')} {DPO} is for models without a stateful_batch_size: answers do "
            "not continue one another"
        )
    special = fitted.preprocessor.tokenizer.special_tokens
    sides = [_answers(chats, fitted) for chats in (examples.chats, examples.rejected)]
    values = (0, fitted.preprocessor.tokenizer.vocabulary_size - 1)
    program = Program(next_token_inference(fitted.model, special, values))
    totals = _log_probabilities(sides, special.pad, lambda _, features: program(features))
    counts = np.stack([side.counts for side in sides], axis=1)
    columns: dict[str, Column] = {
        CHOSEN: Sequences.of(sides[0].rows, special.pad),
        REJECTED: Sequences.of(sides[1].rows, special.pad),
        COUNTS: Numbers(counts.astype(np.int32), 0),
        REFERENCE: Numbers(totals.astype(np.float32), 0),
    }
    size = training.batch_size or PAIRS
    return BucketedBatches(
        columns,
        lambda given: paired(given, special),
        lambda first, second: size,
        max_buckets(held_out),
        training.seed,
        what="pairs",
        statistics=sides[0].statistics + sides[1].statistics,
    )


def preference_rows(examples: Preferences, fitted: FittedPrompts, run: Run) -> PreferenceRows:
    """The log-probabilities of the answers of preferences, to be measured.

    Args:
        examples: The preferences.
        fitted: The settings, the preprocessor and the model.
        run: Function that runs an inference by name, of the model or of an artifact.
    """
    sides = [_answers(chats, fitted) for chats in (examples.chats, examples.rejected)]
    pad = fitted.preprocessor.tokenizer.special_tokens.pad
    return PreferenceRows(*_log_probabilities(sides, pad, run).T)


def preference_objective(beta: float, pad: int) -> Objective:
    """The loss of pairs, with the accuracy and the margin of their rewards.

    Args:
        beta: Strength of the reference.
        pad: Id of padding.
    """
    measures = [RewardAccuracy(beta, pad), RewardMargin(beta, pad)]
    return Objective(loss={"logits": DirectPreference(beta, pad)}, metrics={"logits": measures})


def paired(columns: Features, special: SpecialTokens) -> tuple[Tensors, tf.Tensor]:
    """Inputs of the model and labels, in which the answers of a pair are neighbors.

    Args:
        columns: The ids of the chosen (B, S) and of the rejected answers (B, T) with what is before
            them, how many tokens of each belong to the answer (B, 2), and their log-probabilities
            by the reference (B, 2).
        special: The special tokens.

    Returns:
        `token_ids` and `padding_mask`, and the labels; see `zoo.training.direct_preference`.
    """
    ids = [columns[name] for name in (CHOSEN, REJECTED)]
    length = tf.maximum(tf.shape(ids[0])[1], tf.shape(ids[1])[1])
    wide = [
        tf.pad(x, [[0, 0], [0, length - tf.shape(x)[1]]], constant_values=special.pad) for x in ids
    ]
    tokens = tf.reshape(tf.stack(wide, axis=1), [-1, length])
    inputs, labels = next_token_inputs(tokens, special)
    ends = tf.reduce_sum(tf.cast(inputs["padding_mask"], tf.int32), axis=1, keepdims=True)
    begins = ends - tf.reshape(columns[COUNTS], [-1, 1])
    labels = tf.where(tf.range(length - 1) >= begins, labels, special.pad)
    reference = tf.reshape(columns[REFERENCE], [-1, 1])
    return inputs, tf.concat([reference, tf.cast(labels, tf.float32)], axis=1)


class _Answers(NamedTuple):
    """Chats up to the end of their last answers.

    Args:
        rows: The ids of each chat.
        counts: How many of them belong to its last answer.
        statistics: Counts of unknown tokens and of truncated answers.
    """

    rows: list[np.ndarray]
    counts: np.ndarray
    statistics: Statistics


def _answers(chats: list[Chat], fitted: FittedPrompts) -> _Answers:
    """The tokens of chats, at most one more than the model reads, as the last is not read."""
    settings, tokenizer = fitted.settings, fitted.preprocessor.tokenizer
    limit = settings.max_length
    rows, counts, cut = [], [], 0
    for number, segments in enumerate(
        chat_segments(settings.chat_template, chats, tokenizer), start=1
    ):
        ids, is_answer = chat_ids(segments, tokenizer)
        end = len(ids) - int(np.argmax(is_answer[::-1]))
        begin = end - int(np.argmin(np.append(is_answer[:end][::-1], False)))
        if begin == end or not is_answer.any():
            raise UserError(f"the chat template writes no answer of pair {number}")
        if begin > limit:
            raise UserError(
                f"pair {number} has a prompt of {begin} tokens, and the model reads {limit}: "
                f"shorten it, or choose a greater {option_name('max_length')}"
            )
        cut += end > limit + 1
        rows.append(ids[: min(end, limit + 1)])
        counts.append(len(rows[-1]) - begin)
    unknown = count_unknown(np.concatenate(rows), tokenizer.special_tokens)
    facts = {"unknown tokens": unknown, "answers truncated": cut}
    return _Answers(rows, np.array(counts), Statistics(facts))


def _log_probabilities(sides: list[_Answers], pad: int, run: Run) -> np.ndarray:
    """The log-probability of each answer, summed over its tokens, (B, 2).

    Args:
        sides: The chosen and the rejected answers.
        pad: Id of padding.
        run: Function that runs an inference by name.
    """
    rows = [row for side in sides for row in side.rows]
    counts = np.concatenate([side.counts for side in sides])
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    totals = np.zeros(len(rows))
    for first in range(0, len(order), SCORED):
        some = order[first : first + SCORED]
        length = len(rows[some[-1]])
        ids = np.stack(
            [np.pad(rows[x], (0, length - len(rows[x])), constant_values=pad) for x in some]
        )
        found = run(SCORE, {"token_ids": ids.astype(np.int32)})["log_probabilities"]
        for row, log_p in zip(some, found, strict=True):
            end = len(rows[row])
            totals[row] = log_p[end - counts[row] : end].sum(dtype=np.float64)
    return totals.reshape(2, -1).T
