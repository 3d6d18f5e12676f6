"""Streams of tokens, which language models are trained on and scored with in windows."""

from zoo.data.batching.batch_size import default_batch_size
from zoo.data.batching.padded_columns import Numbers
from zoo.data.batching.tokenized import Tokenized
from zoo.data.batching.windows import TokenWindows, token_stream
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
from zoo.text.statistics import count_unknown

StreamFormat = PreparableFormat[Settings, PromptPreprocessor, Documents]


def stream_of(
    examples: Documents, number: int, settings: Settings, preprocessor: PromptPreprocessor
) -> Tokenized:
    """The ids of all documents in one stream, in the column `token_ids`."""
    tokenizer = preprocessor.tokenizer
    ids = token_stream(examples.texts, tokenizer, number == 0, examples.goes_on)
    unknown = count_unknown(ids, tokenizer.special_tokens)
    column = Numbers(ids, tokenizer.special_tokens.pad)
    return Tokenized({"token_ids": column}, Statistics({"unknown tokens": unknown}))


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
        return next_token_inputs(columns["token_ids"], special)

    tokens = examples.tokenized(format.tokenization(fitted.settings, fitted.preprocessor))
    length = fitted.settings.max_length
    size = batch_size or default_batch_size(len(tokens.stream) // length, most=32, least=8)
    return tokens.windows(length, size, prepare, stateful, seed, special.pad)
