"""What a task that tags words shows to export: signatures, as plain data."""

from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.errors import UserError
from zoo.tasks.serving import IDS, TEXTS, Signatures
from zoo.text.tokenizer import Tokenizer
from zoo.text.whitespace import WordSplitter


def tag_signatures(task: Any, strings: bool, litert: bool = False) -> Signatures:
    """The signatures of a `TokenTagger`.

    `tokens`: token_ids (B, T) -> `scores` (B, T, C), 0 at padding, and `class_id` (B, T), of which
    those at the first piece of each word are its tag. `serving_default`: `text` (B,) -> `text`
    (B,), the tags of its words with a space between, as many as fit into the model; or without
    strings the same as `tokens`.

    Args:
        task: The task.
        strings: Whether text goes in and comes out.
        litert: Whether LiteRT is to run it.

    Outputs: By name: `function` and `inputs`.

    Raises:
        UserError: If LiteRT is to find the words, which it cannot.
    """
    if strings and litert:
        raise UserError("LiteRT cannot tell where words begin: export a tagger without strings")
    names = np.array([tag.encode() for tag in task.labels], object)

    def tokens(token_ids: Any) -> dict[str, Any]:
        scores = task.probabilities(token_ids)
        # top_k, as LiteRT lacks an operator that argmax is made of.
        _, best = ops.top_k(scores, 1)
        return {"scores": scores, "class_id": ops.cast(ops.squeeze(best, -1), "int32")}

    def texts(text: Any) -> dict[str, Any]:
        ids, firsts = words_as_ids(text, task.tokenizer, task.max_length)
        tags = tf.gather(tf.constant(names), tokens(ids)["class_id"])
        of_words = tf.gather(tags, firsts, batch_dims=1)
        return {"text": tf.strings.reduce_join(of_words, axis=1, separator=" ")}

    ids_only = {"function": tokens, "inputs": IDS}
    if not strings:
        return {"serving_default": ids_only}
    return {"serving_default": {"function": texts, "inputs": TEXTS}, "tokens": ids_only}


def words_as_ids(text: Any, tokenizer: Tokenizer, limit: int) -> tuple[tf.Tensor, tf.RaggedTensor]:
    """Texts (B,) as ids (B, T) between start and end token, and where their words begin.

    It is `zoo.data.chunks.chunks_of` in TensorFlow's operators, but for what does not fit, which is
    cut here.

    Args:
        text: The texts.
        tokenizer: What makes pieces of words.
        limit: The most ids of a text, start and end token included.

    Outputs: ids int32 (B, T), and the place of each word's first piece, ragged (B, W).
    """
    marks = tokenizer.special_tokens
    # Tokenizers count rows in integers of either width.
    words = WordSplitter().tokenize(text).with_row_splits_dtype(tf.int64)
    pieces = tokenizer.tokenize(words.flat_values).with_row_splits_dtype(tf.int64)
    silent = tf.cast(tf.equal(pieces.row_lengths(), 0), tf.int64)
    unknown = tf.fill([tf.reduce_sum(silent)], tf.constant(marks.unknown, pieces.dtype))
    pieces = tf.concat([pieces, tf.RaggedTensor.from_row_lengths(unknown, silent)], axis=1)
    pieces = pieces[:, : limit - 2]
    ids = tf.RaggedTensor.from_row_splits(pieces, words.row_splits).merge_dims(1, 2)
    # Where a word begins among all pieces, less where its text does.
    begins = pieces.row_starts() - tf.repeat(ids.row_starts(), words.row_lengths())
    firsts = words.with_values(begins + 1)
    firsts = tf.ragged.boolean_mask(firsts, firsts < limit - 1)
    ids = ids[:, : limit - 2]
    marked = [
        tf.fill([ids.nrows(), 1], tf.constant(mark, ids.dtype)) for mark in (marks.start, marks.end)
    ]
    return tf.concat([marked[0], ids, marked[1]], axis=1).to_tensor(marks.pad), firsts
