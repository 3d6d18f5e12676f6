"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.columns import DATA, LabeledColumns
from zoo.tasks.options.common import TEXT, TOKENIZERS, WORDS, ClassifierTraining, EncoderSettings
from zoo.training.options import OPTIMIZATION, OPTIMIZERS, epochs, learning_rate


@dataclass(kw_only=True)
class Settings(EncoderSettings, LabeledColumns):
    """Settings of a text classifier."""

    model: str = "ngram_classifier"
    tokenizer: str = option(
        "wordpiece",
        f"Tokenizer to train: {', '.join(TOKENIZERS)} or {WORDS}. With ngram_classifier {WORDS}.",
        group=TEXT,
    )
    vocabulary_size: int = option(
        8000,
        "Maximum vocabulary size of the tokenizer. With ngram_classifier 30,000.",
        minimum=5,
        group=TEXT,
    )
    max_length: int = option(
        128,
        "Maximum number of tokens of a text; longer texts are truncated. With ngram_classifier "
        "1024.",
        minimum=2,
        group=TEXT,
    )
    labels: list[str] | None = option(
        None, "Labels in class order. Default: those of the training data, sorted.", group=DATA
    )
    pairs: bool | None = option(
        None, "Whether the inputs are pairs of texts. Default: as in the training data.", group=DATA
    )


@dataclass(kw_only=True)
class Training(ClassifierTraining):
    """Training options of a text classifier."""

    epochs: int | None = epochs("10, and more for few examples, to take at least 300 steps")
    learning_rate: float | None = learning_rate("0.001; 10 with ngram_classifier")
    optimizer: str = option(
        "adam",
        "Optimizer; sgd is stochastic gradient descent with Nesterov momentum. With "
        "ngram_classifier sgd.",
        choices=OPTIMIZERS,
        group=OPTIMIZATION,
    )
    batch_tokens: int | None = option(
        2048,
        "Batch size in tokens, including padding. With ngram_classifier about 50 texts.",
        minimum=1,
        group=OPTIMIZATION,
    )
