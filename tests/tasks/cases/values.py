"""Tasks that give values."""

from dataclasses import replace

from tests.tasks.api import kinds, size
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import BERT, FILMS, NO_CHECKPOINT, TWO
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS, NOT_GENERATING, VOCABULARY
from tests.tasks.readings import Values


def text_regressor(folder, **options):
    settings = {"num_buckets": 101, "vocabulary_size": 43, "max_length": 11}
    return kinds()["text-regressor"](**{**settings, **options})


def rnn_regressor(folder, **options):
    settings = {"model": "rnn_classifier", **size(17), "units": 19, "num_layers": 1}
    return kinds()["text-regressor"](**{**settings, "max_length": 11, **options})


def han(folder, **options):
    settings = {"model": "han", **size(17), "units": 19, "max_length": 11}
    return kinds()["text-regressor"](**{**settings, "max_sentence_length": 3, **options})


def pairs_regressor(folder, **options):
    settings = {**BERT, "vocabulary_size": 43, "max_length": 13, "value_column": "same,worth"}
    return kinds()["text-regressor"](**{**settings, **options})


def pair_scorer(folder, **options):
    settings = {**BERT, "vocabulary_size": 43, "max_length": 13}
    return kinds()["text-pair-scorer"](**{**settings, **options})


RNN = Case(
    "text-regressor",
    rnn_regressor,
    files.ratings,
    FILMS,
    Values(rating=7.5),
    fit={"learning_rate": 0.03, "batch_tokens": 61},
    not_applicable={**NOT_GENERATING, **NO_CHECKPOINT, **NO_MAPS, **NO_LABELS},
    variant=True,
)

CASES = {
    "text_regressor": replace(
        RNN,
        make=text_regressor,
        fit={"learning_rate": 0.1, "batch_tokens": 61},
        not_applicable={**RNN.not_applicable, "user errors: dropout": "has no dropout"},
        size="num_buckets",
        variant=False,
    ),
    "text_regressor_rnn": RNN,
    "text_regressor_han": replace(
        RNN,
        make=han,
        not_applicable={
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            **NO_LABELS,
            "LiteRT strings": "LiteRT cannot split text into sentences",
        },
    ),
    "text_pair_scorer": replace(
        RNN,
        task="text-pair-scorer",
        make=pair_scorer,
        data=files.passages,
        texts=TWO,
        output=Values(score=10),
        fit={"learning_rate": 0.01, "batch_tokens": 61},
        epochs=5,
        not_applicable={
            **NOT_GENERATING,
            **NO_LABELS,
            "to_pretrained": VOCABULARY,
            "LiteRT strings": "LiteRT cannot join two texts",
        },
        variant=False,
    ),
    "text_regressor_pairs": replace(
        RNN,
        make=pairs_regressor,
        data=files.shares,
        texts=TWO,
        output=Values(same=1, worth=20),
        fit={"learning_rate": 0.01, "batch_tokens": 61},
        epochs=8,
        not_applicable={
            **NOT_GENERATING,
            **NO_LABELS,
            "to_pretrained": VOCABULARY,
            "LiteRT strings": "LiteRT cannot join two texts",
        },
    ),
}
