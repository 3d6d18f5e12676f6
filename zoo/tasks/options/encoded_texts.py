"""Options of tasks that read texts, pairs of texts or documents as a whole."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    AUTO,
    MAX_VOCABULARY,
    TEXT,
    TOKENIZERS,
    WORDS,
)
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import OPTIMIZATION, at_least, epochs

STEPS = 300  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class EncodedTextSettings:
    """Settings of tasks that read texts, pairs of texts or documents."""

    model: str = "ngram_classifier"
    tokenizer: str = option(
        "wordpiece",
        f"Tokenizer to train: {', '.join(TOKENIZERS)}, {WORDS} or {AUTO}: characters if n-grams of "
        "them tell short held-out texts apart better than words do, otherwise words. Default: "
        f"{AUTO} with ngram_classifier, {WORDS} with han, otherwise wordpiece.",
        group=TEXT,
    )
    vocabulary_size: int = option(
        8000,
        "Maximum vocabulary size of the tokenizer. Default: 30000 with ngram_classifier and "
        "han, otherwise 8000.",
        minimum=5,
        below=MAX_VOCABULARY,
        group=TEXT,
    )
    max_length: int = option(
        128,
        "Maximum number of tokens of a text; longer texts are truncated. Default: 1024 with "
        "ngram_classifier and han, otherwise 128.",
        minimum=2,
        group=TEXT,
    )
    max_sentence_length: int | None = option(
        None,
        "Maximum number of tokens of a sentence; longer sentences are split. Only for han. "
        "Default: 30.",
        minimum=1,
        group=TEXT,
    )
    pairs: bool | None = option(
        None, "Whether the inputs are pairs of texts. Default: as in the training data.", group=DATA
    )


@dataclass(kw_only=True)
class EncodedTextTraining:
    """Training options of tasks that read texts, pairs of texts or documents."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_tokens: int | None = option(
        2048,
        "Batch size in tokens, including padding. Default: that of about 50 texts with "
        "ngram_classifier, 32768 with han, otherwise 2048.",
        minimum=1,
        group=OPTIMIZATION,
    )
