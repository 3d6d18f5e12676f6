"""Model inputs from padded token ids: masks, segments and shifted targets.

The functions use TensorFlow operators, so that `tf.data`, prediction and artifacts share them.
"""

from typing import Any

import tensorflow as tf

from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens

Tensors = dict[str, Any]


def encoder_inputs(
    token_ids: Any,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    max_sequence_length: int | None = None,
    segments: bool = True,
) -> Tensors:
    """Inputs of an encoder: `token_ids`, `padding_mask` and optionally `segment_ids`.

    Source: Devlin et al. 2019, section 3, "Input/Output Representations".

    Args:
        token_ids: int32 tensor (B, T), padded; each segment ends with the end token.
        special_tokens: The special tokens of the vocabulary.
        max_sequence_length: Columns beyond this are dropped; they can only be padding.
        segments: Whether to number the segments: 0 up to the first end token, and the start token
            of a second text if there is one, then 1.

    Example:
        >>> x = encoder_inputs(tf.constant([[2, 7, 3, 8, 9, 3, 0]]))
        >>> x["segment_ids"].numpy().tolist()
        [[0, 0, 0, 1, 1, 1, 0]]
        >>> special = SpecialTokens(pad=1, start=0, end=2, second_start=2)
        >>> x = encoder_inputs(tf.constant([[0, 7, 2, 2, 8, 9, 2, 1]]), special)
        >>> x["segment_ids"].numpy().tolist()
        [[0, 0, 0, 0, 1, 1, 1, 0]]
    """
    token_ids = token_ids[:, :max_sequence_length]
    padding_mask = tf.not_equal(token_ids, special_tokens.pad)
    inputs = {"token_ids": token_ids, "padding_mask": padding_mask}
    if segments:
        ends = tf.cast(tf.equal(token_ids, special_tokens.end), tf.int32)
        # A product, since LiteRT cannot convert `where` on a boolean computed just before.
        before = tf.cumsum(ends, axis=1) - ends
        if special_tokens.second_start >= 0:
            starts = tf.cast(tf.equal(token_ids, special_tokens.second_start), tf.int32)
            both = tf.maximum(ends, starts)
            before = tf.maximum(tf.cumsum(both, axis=1) - both - 1, 0)
        after_end = tf.minimum(before, 1)
        inputs["segment_ids"] = after_end * tf.cast(padding_mask, tf.int32)
    return inputs


def source_inputs(
    token_ids: Any,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    max_sequence_length: int | None = None,
) -> Tensors:
    """Inputs of the encoder of an encoder-decoder: `source_ids` and `source_mask`.

    Args:
        token_ids: int32 tensor (B, S), padded.
        special_tokens: The special tokens of the vocabulary.
        max_sequence_length: Columns beyond this are dropped; they can only be padding.
    """
    token_ids = token_ids[:, :max_sequence_length]
    return {"source_ids": token_ids, "source_mask": tf.not_equal(token_ids, special_tokens.pad)}


def teacher_forcing(
    source_ids: Any,
    labels: Any,
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    max_sequence_length: int | None = None,
) -> Tensors:
    """Inputs of an encoder-decoder in training: the source, and the target shifted right by one.

    Source: Williams & Zipser 1989.

    Args:
        source_ids: int32 tensor (B, S), padded.
        labels: int32 tensor (B, T): the target, padded.
        special_tokens: The special tokens of the vocabulary.
        max_sequence_length: Source columns beyond this are dropped; they can only be padding.

    Example:
        >>> x = teacher_forcing(tf.constant([[7, 3]]), tf.constant([[8, 9, 3, 0]]))
        >>> x["target_ids"].numpy().tolist()
        [[2, 8, 9, 0]]
    """
    source = source_inputs(source_ids, special_tokens, max_sequence_length)
    return {**source, **target_inputs(labels, special_tokens)}


def target_inputs(labels: Any, special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS) -> Tensors:
    """Inputs of a decoder in training: `target_ids`, shifted right by one, and `target_mask`.

    Args:
        labels: int32 tensor (B, T): the target, padded.
        special_tokens: The special tokens of the vocabulary.
    """
    target_mask = tf.not_equal(labels, special_tokens.pad)
    first = [[0, 0], [1, 0]]
    shifted = tf.pad(labels[:, :-1], first, constant_values=special_tokens.first_read)
    return {
        "target_ids": tf.where(target_mask, shifted, special_tokens.pad),
        "target_mask": target_mask,
    }


def next_token_inputs(
    tokens: Any, special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS
) -> tuple[Tensors, Any]:
    """Inputs and labels of a language model: each token predicts the one after it.

    Args:
        tokens: int32 tensor (B, T + 1), padded.
        special_tokens: The special tokens of the vocabulary.

    Returns:
        `token_ids` and `padding_mask`, and the labels, all (B, T).

    Example:
        >>> x, labels = next_token_inputs(tf.constant([[5, 6, 7, 0]]))
        >>> x["token_ids"].numpy().tolist(), labels.numpy().tolist()
        ([[5, 6, 0]], [[6, 7, 0]])
    """
    labels = tokens[:, 1:]
    mask = tf.not_equal(labels, special_tokens.pad)
    token_ids = tf.where(mask, tokens[:, :-1], special_tokens.pad)
    return {"token_ids": token_ids, "padding_mask": mask}, labels
