"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    AUTO,
    MAX_VOCABULARY,
    TEXT,
    TOKENIZERS,
    WORDS,
    ClassifierTraining,
    EncoderSettings,
    LabelSettings,
    WordVectorSettings,
)
from zoo.tasks.options.table_columns import DATA, LabeledColumns
from zoo.training.options import OPTIMIZATION, OPTIMIZERS, at_least, epochs, learning_rate

STEPS = 300  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class Settings(LabelSettings, EncoderSettings, WordVectorSettings, LabeledColumns):
    """Settings of a text classifier."""

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
class Training(ClassifierTraining):
    """Training options of a text classifier."""

    epochs: int | None = epochs(at_least(STEPS))
    learning_rate: float | None = learning_rate("10 with ngram_classifier, otherwise 0.001")
    optimizer: str = option(
        "adam",
        "Optimizer; sgd is stochastic gradient descent with Nesterov momentum. Default: sgd with "
        "ngram_classifier, otherwise adam.",
        choices=OPTIMIZERS,
        group=OPTIMIZATION,
    )
    batch_tokens: int | None = option(
        2048,
        "Batch size in tokens, including padding. Default: that of about 50 texts with "
        "ngram_classifier, 32768 with han, otherwise 2048.",
        minimum=1,
        group=OPTIMIZATION,
    )
