"""Rows of several texts or chats, for the training of language models."""

from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batch_size import batch_size_of_tokens
from zoo.data.batching.packed import PackedBatches
from zoo.data.readers.chats import Chats
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.models.packed import TEXTS, ReadsPackedTexts
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.tasks.inputs.prompts import FittedPrompts
from zoo.tasks.options.causal_lm import Training
from zoo.text.chats import chat_ids, chat_segments
from zoo.text.statistics import count_unknown


def packed_batches(examples: Any, fitted: FittedPrompts, training: Training) -> PackedBatches:
    """Batches of rows in which several texts or chats lie one behind the other.

    Each begins with the end token, as after another text, or with the start token, and ends with
    the end token. One that is longer than a row is cut into several.

    Args:
        examples: Documents or chats.
        fitted: The settings, the preprocessor and the model.
        training: The training options.

    Raises:
        UserError: If the data are prepared, or texts in one row would see each other.
    """
    if examples.is_prepared:
        raise UserError(f"{option_name('packing')} takes texts or chats, not prepared data")
    if not isinstance(fitted.model, ReadsPackedTexts):
        raise UserError(
            f"{option_name('packing')} is for gpt and llama; {fitted.model.name} reads texts as "
            "one stream"
        )
    fitted.model.check_packed()
    tokenizer, length = fitted.preprocessor.tokenizer, fitted.settings.max_length
    special = tokenizer.special_tokens
    every = _chats(examples, fitted) if isinstance(examples, Chats) else _texts(examples, fitted)
    pieces = [
        (ids[first : first + length + 1], learned[first : first + length + 1])
        for ids, learned in every
        for first in range(0, len(ids) - 1, length)
    ]
    texts, learned = ([piece[side] for piece in pieces] for side in (0, 1))
    tokens = sum(len(ids) - 1 for ids in texts)
    usual = batch_size_of_tokens(tokens // length, length, len(tokenizer.vocabulary))
    unknown = count_unknown(np.concatenate([ids for ids, _ in every]), special)

    def prepare(columns: Features) -> tuple[Tensors, tf.Tensor]:
        numbers = columns[TEXTS]
        inputs = {"token_ids": columns["token_ids"], "padding_mask": numbers > 0, TEXTS: numbers}
        return inputs, columns["labels"]

    return PackedBatches(
        texts,
        length,
        training.batch_size or usual,
        prepare,
        training.seed,
        special.pad,
        Statistics({"unknown tokens": unknown, "texts cut": len(texts) - len(every)}),
        learned,
    )


def _texts(examples: Any, fitted: FittedPrompts) -> list[tuple[np.ndarray, np.ndarray]]:
    tokenizer = fitted.preprocessor.tokenizer
    end = tokenizer.special_tokens.end
    first = [*tokenizer.before_document, end][:1]
    rows = [[*first, *ids, end] for ids in tokenizer.tokenize(examples.texts).to_list()]
    return [(np.array(ids, np.int32), np.ones(len(ids), bool)) for ids in rows]


def _chats(examples: Chats, fitted: FittedPrompts) -> list[tuple[np.ndarray, np.ndarray]]:
    tokenizer, template = fitted.preprocessor.tokenizer, fitted.settings.chat_template
    end = np.array([tokenizer.special_tokens.end], np.int32)
    before = end[:0] if tokenizer.before_document else end
    rows = []
    for segments in chat_segments(template, examples.chats, tokenizer):
        ids, answers = chat_ids(segments, tokenizer)
        parts = [before, ids, end]
        learned = [np.zeros(len(before), bool), answers, np.array([False])]
        rows.append((np.concatenate(parts), np.concatenate(learned)))
    return rows
