"""Settings shared by the tasks."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import OPTIMIZATION, at_least, early_stopping, epochs

MODEL, TEXT = "Model", "Text"
TOKENIZERS = ("wordpiece", "sentencepiece", "characters", "byte-bpe", "bytes")
CASED_WORDS = "cased-words"  # for text-to-text
WORDS = "words"  # for tasks that read texts and do not generate any
CHARACTERS = "characters"
AUTO = "auto"  # words or characters, chosen by the training data
MAX_VOCABULARY = 2**24  # libraries that train tokenizers abort if they cannot allocate one
PASSAGE_STEPS = 500  # minimum number of training steps on passages by default
# Tokenizers of pretrained checkpoints.
OF_CHECKPOINTS = ("bert-wordpiece", "unigram", "byte-fallback-bpe")


@dataclass(kw_only=True)
class TaskSettings:
    """Settings of every task, saved in config.json. All other options belong to the model."""

    model: str = option("", "Name of the model; see `keras-attn models`.", group=MODEL)
    preset: str | None = option(
        "tiny", "Preset of the model; see `keras-attn models`.", group=MODEL
    )
    dtype: str | None = option(
        None,
        "Dtype policy of Keras; the mixed policies compute in 16 bits. Default: float32.",
        choices=("float32", "mixed_bfloat16", "mixed_float16"),
        group=MODEL,
    )
    seed: int = option(
        0, "Random seed of the initial weights.", minimum=0, below=2**32, group=MODEL
    )


@dataclass(kw_only=True)
class LabelSettings:
    """Settings of tasks that give each row one of several labels."""

    labels: list[str] | None = option(
        None, "Labels in class order. Default: those of the training data, sorted.", group=DATA
    )


@dataclass(kw_only=True)
class TextSettings:
    """Settings of tasks whose tokenizer is chosen."""

    tokenizer: str = option(
        "wordpiece",
        f"Tokenizer to train: {', '.join(TOKENIZERS[:-1])} or {TOKENIZERS[-1]}.",
        group=TEXT,
    )
    vocabulary_size: int = option(
        8000,
        "Maximum vocabulary size of the tokenizer.",
        minimum=5,
        below=MAX_VOCABULARY,
        group=TEXT,
    )


@dataclass(kw_only=True)
class WordVectorSettings:
    """Settings of tasks whose models may start from word vectors."""

    embeddings: str | None = option(
        None,
        "Text file of word vectors, as written by GloVe or word2vec, to initialize the embeddings. "
        "Default: random embeddings.",
        group=TEXT,
    )


@dataclass(kw_only=True)
class LengthSettings:
    """Settings of tasks that read texts of limited length."""

    max_length: int = option(
        128,
        "Maximum number of tokens of a text; longer texts are truncated.",
        minimum=2,
        group=TEXT,
    )


@dataclass(kw_only=True)
class MaskedTextSettings:
    """Settings of tasks that restore masked text."""

    vocabulary_size: int = option(
        8000,
        "Maximum vocabulary size of the WordPiece tokenizer.",
        minimum=5,
        below=MAX_VOCABULARY,
        group=TEXT,
    )
    max_length: int = option(
        128,
        "Number of tokens in a training example, including special tokens. Also the maximum input "
        "length of the model.",
        minimum=2,
        group=TEXT,
    )


@dataclass(kw_only=True)
class LabelSmoothing:
    """Training options of tasks that give labels."""

    label_smoothing: float = option(
        0.0, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )


@dataclass(kw_only=True)
class ClassifierTraining:
    """Training options of classifiers and taggers."""

    batch_tokens: int | None = option(
        2048, "Batch size in tokens, including padding.", minimum=1, group=OPTIMIZATION
    )
    label_smoothing: float = option(
        0.0, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )


@dataclass(kw_only=True)
class PassageTraining:
    """Training options of tasks on passages of fixed length."""

    epochs: int | None = epochs(at_least(PASSAGE_STEPS))
    patience: int | None = early_stopping()
    batch_size: int | None = option(
        None,
        "Batch size. Default: 32; of data with fewer than 64 such batches 16, or 8; fewer for long "
        "rows and a large vocabulary, for the memory.",
        minimum=1,
        group=OPTIMIZATION,
    )
