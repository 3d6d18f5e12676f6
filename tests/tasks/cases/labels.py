"""Tasks that give labels, tags or vectors."""

from dataclasses import replace

from tests.tasks.api import kinds, size
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS, NOT_GENERATING, VOCABULARY
from tests.tasks.readings import Label, LabelSets, Tags, Values, Vector

BERT = {"model": "bert", **size(22, 37, attention_dropout=0.0)}


def text_classifier(folder, **options):
    settings = {"num_buckets": 101, "vocabulary_size": 43, "max_length": 11}
    return kinds()["text-classifier"](**{**settings, **options})


def several_labels(folder, **options):
    return text_classifier(folder, **{"multi_label": True, **options})


def rnn_classifier(folder, **options):
    settings = {"model": "rnn_classifier", **size(17), "units": 19, "num_layers": 1}
    return kinds()["text-classifier"](**{**settings, "max_length": 11, **options})


def han(folder, **options):
    settings = {"model": "han", **size(17), "units": 19, "max_length": 11}
    return kinds()["text-classifier"](**{**settings, "max_sentence_length": 3, **options})


def pairs_classifier(folder, **options):
    settings = {**BERT, "vocabulary_size": 43, "max_length": 13}
    return kinds()["text-classifier"](**{**settings, **options})


def token_tagger(folder, **options):
    settings = {**BERT, "vocabulary_size": 47, "max_length": 13}
    return kinds()["token-tagger"](**{**settings, **options})


def rnn_tagger(folder, **options):
    settings = {"model": "rnn_tagger", **size(17), "units": 19, "max_length": 13}
    return kinds()["token-tagger"](**{**settings, "vocabulary_size": 47, **options})


def conv_tagger(folder, **options):
    settings = {"model": "conv_tagger", **size(17), "units": 19, "num_layers": 1, "max_length": 13}
    return kinds()["token-tagger"](**{**settings, "vocabulary_size": 47, **options})


def text_embedder(folder, **options):
    settings = {**BERT, "vocabulary_size": 97, "max_length": 13}
    return kinds()["text-embedder"](**{**settings, **options})


def multi_task(folder, **options):
    settings = {**BERT, "vocabulary_size": 61, "max_length": 13}
    return kinds()["multi-task"](**{**settings, **options})


def several(folder):
    return {"films": files.films(folder), "same": files.same(folder)}


def several_of_one(folder):
    films = files.films(folder, labels=["odd"])
    return {"films": films, "same": files.same(folder, labels=["odd", "odd"])}


def mixed(folder, **options):
    return multi_task(folder, **{"kinds": {"ratings": "values"}, **options})


def several_kinds(folder, only=""):
    places = {name: folder / name for name in ("ratings", "names", "topics")}
    for place in places.values():
        place.mkdir(exist_ok=True)
    return {
        "ratings": files.ratings(places["ratings"]),
        "names": files.names(places["names"], only=only),
        "topics": files.topics_of_lines(places["topics"]),
    }


def several_kinds_of_one(folder):
    return several_kinds(folder, only="B-ODD")


NO_CHECKPOINT = {"to_pretrained": "no Hugging Face model has its architecture"}
SPLITS_WORDS = {"LiteRT strings": "LiteRT cannot split text into words"}
TAGGED = ["Ann Lee sings", "Rome", "", "rain in Rome in may", "Ann 你 runs"]
FILMS = [
    "the film was fine",
    "dull",
    "",
    "a poor plot 你",
    "the plot was a great film the was a plot",
]
TWO = [("one", "one"), ("one", "two"), ("", ""), ("three two", "three"), ("two " * 7, "one 你")]

RNN = Case(
    "text-classifier",
    rnn_classifier,
    files.films,
    FILMS,
    Label(),
    fit={"learning_rate": 0.03, "batch_tokens": 61},
    one_label=lambda folder: files.films(folder, labels=["odd"]),
    not_applicable={**NOT_GENERATING, **NO_CHECKPOINT, **NO_MAPS},
    variant=True,
)
TAGGER = Case(
    "token-tagger",
    token_tagger,
    files.names,
    TAGGED,
    Tags(),
    fit={"learning_rate": 0.02, "batch_tokens": 307},
    one_label=lambda folder: files.names(folder, only="B-ODD"),
    not_applicable={**NOT_GENERATING, "to_pretrained": VOCABULARY, **SPLITS_WORDS},
)
SMALL_TAGGER = replace(
    TAGGER,
    fit={"learning_rate": 0.03, "batch_tokens": 307},
    not_applicable={**NOT_GENERATING, **NO_CHECKPOINT, **NO_MAPS, **SPLITS_WORDS},
    variant=True,
)

TASKS = Case(
    "multi-task",
    multi_task,
    several,
    FILMS,
    Label(),
    fit={"learning_rate": 0.01, "batch_tokens": 61},
    epochs=8,
    left=0.9,
    head="films",
    one_label=several_of_one,
    not_applicable={**NOT_GENERATING, "to_pretrained": VOCABULARY},
)
KINDS = replace(
    TASKS,
    make=mixed,
    data=several_kinds,
    head="ratings",
    output=Values(rating=7.5),
    one_label=several_kinds_of_one,
    variant=True,
)

CASES = {
    "text_classifier": Case(
        "text-classifier",
        text_classifier,
        files.films,
        FILMS,
        Label(),
        fit={"learning_rate": 5.0, "batch_tokens": 61},
        one_label=lambda folder: files.films(folder, labels=["odd"]),
        not_applicable={
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            **NO_MAPS,
            "user errors: dropout": "has no dropout",
        },
        size="num_buckets",
    ),
    "text_classifier_rnn": RNN,
    "text_classifier_han": replace(
        RNN,
        make=han,
        not_applicable={
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            "LiteRT strings": "LiteRT cannot split text into sentences",
        },
    ),
    "text_classifier_pairs": Case(
        "text-classifier",
        pairs_classifier,
        files.same,
        TWO,
        Label(),
        fit={"learning_rate": 0.01, "batch_tokens": 61},
        epochs=8,
        one_label=lambda folder: files.same(folder, labels=["odd", "odd"]),
        not_applicable={
            **NOT_GENERATING,
            "to_pretrained": VOCABULARY,
            "LiteRT strings": "LiteRT cannot join two texts",
        },
        variant=True,
    ),
    "text_classifier_labels": Case(
        "text-classifier",
        several_labels,
        files.topics_of_lines,
        [
            "the cat and the nest",
            "milk",
            "",
            "the and 你",
            "bird the sings the cat purrs and the mat",
        ],
        LabelSets(),
        fit={"learning_rate": 5.0, "batch_tokens": 61},
        not_applicable={
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            **NO_MAPS,
            "user errors: dropout": "has no dropout",
        },
        size="num_buckets",
        variant=True,
    ),
    "token_tagger": TAGGER,
    "token_tagger_rnn": replace(SMALL_TAGGER, make=rnn_tagger),
    "token_tagger_conv": replace(SMALL_TAGGER, make=conv_tagger),
    "text_embedder": Case(
        "text-embedder",
        text_embedder,
        files.alike,
        [
            "a red hat",
            "tea",
            "",
            "it rains in spring 你",
            "the man sings where the bird lives " * 2,
        ],
        Vector(),
        fit={"learning_rate": 0.005, "batch_tokens": 67},
        held_out=files.likeness,
        not_applicable={**NOT_GENERATING, "to_pretrained": VOCABULARY, **NO_LABELS},
    ),
    "multi_task": TASKS,
    "multi_task_values": KINDS,
    "multi_task_labels": replace(KINDS, head="topics", output=LabelSets()),
    "multi_task_tags": replace(
        KINDS,
        texts=TAGGED,
        head="names",
        output=Tags(),
        not_applicable={**TASKS.not_applicable, **SPLITS_WORDS},
    ),
}
