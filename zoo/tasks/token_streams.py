"""Streams of tokens, which language models are trained on and scored with in windows."""

import numpy as np
import tensorflow as tf

from zoo.data.batching.batch_size import batch_size_of_tokens
from zoo.data.batching.padded_columns import Numbers
from zoo.data.batching.tokenized import Tokenized
from zoo.data.batching.windows import TokenWindows, token_stream
from zoo.data.readers.chats import Chats
from zoo.data.readers.documents import Documents
from zoo.data_statistics import Statistics
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.preprocessing.prompts import PromptPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.options.causal_lm import Settings
from zoo.tasks.parts import Fitted
from zoo.text.chats import chat_ids, chat_segments
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer

StreamFormat = PreparableFormat[Settings, PromptPreprocessor, Documents]


def stream_of(
    examples: Documents, number: int, settings: Settings, preprocessor: PromptPreprocessor
) -> Tokenized:
    """The ids of all documents in one stream, in the column `token_ids`."""
    tokenizer = preprocessor.tokenizer
    if isinstance(examples, Chats):
        return _stream_of_chats(examples, settings, tokenizer)
    how = {"goes_on": examples.goes_on, "continues": examples.continues}
    ids = token_stream(examples.texts, tokenizer, begins=number == 0, **how)
    unknown = count_unknown(ids, tokenizer.special_tokens)
    column = Numbers(ids, tokenizer.special_tokens.pad)
    return Tokenized({"token_ids": column}, Statistics({"unknown tokens": unknown}))


def _stream_of_chats(examples: Chats, settings: Settings, tokenizer: Tokenizer) -> Tokenized:
    """The ids of all chats in one stream, and in the column `is_answer` what is to be learned."""
    end = tokenizer.special_tokens.end
    between = (np.array([end], np.int32), np.array([False]))
    parts = [] if tokenizer.before_document else [between]
    for segments in chat_segments(settings.chat_template, examples.chats, tokenizer):
        parts += [chat_ids(segments, tokenizer), between]
    ids, answers = (np.concatenate(each) for each in zip(*parts, strict=True))
    unknown = count_unknown(ids, tokenizer.special_tokens)
    columns = {
        "token_ids": Numbers(ids, tokenizer.special_tokens.pad),
        "is_answer": Numbers(answers, False),
    }
    return Tokenized(columns, Statistics({"unknown tokens": unknown}))


def windows_of(
    examples: DocumentExamples,
    format: StreamFormat,
    fitted: Fitted[Settings, PromptPreprocessor],
    batch_size: int | None = None,
    stateful: bool = False,
    seed: int = 0,
) -> TokenWindows:
    """Batches of windows of `max_length` tokens, each of which predicts the next.

    Args:
        examples: The documents, or prepared data.
        format: How they are tokenized.
        fitted: The settings, the preprocessor and the model.
        batch_size: Batch size; None decides by the number of windows.
        stateful: Whether rows continue from batch to batch.
        seed: Seed of shuffling.
    """
    special = fitted.preprocessor.tokenizer.special_tokens

    def prepare(columns: Features) -> tuple[Tensors, Tensors]:
        inputs, labels = next_token_inputs(columns["token_ids"], special)
        if "is_answer" in columns:
            labels = tf.where(columns["is_answer"][:, 1:], labels, special.pad)
        return inputs, labels

    tokens = examples.tokenized(format.tokenization(fitted.settings, fitted.preprocessor))
    length = fitted.settings.max_length
    vocabulary_size = len(fitted.preprocessor.tokenizer.vocabulary)
    usual = batch_size_of_tokens(len(tokens.stream) // length, length, vocabulary_size)
    size = batch_size or usual
    only_read = fitted.preprocessor.tokenizer.before_document
    return tokens.windows(length, size, prepare, stateful, seed, special.pad, only_read)
