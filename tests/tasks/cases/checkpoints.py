"""Tasks that begin with a checkpoint, whose vocabulary has its padding and its marks elsewhere."""

import zoo
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.texts import BYTES, NOT_GENERATING
from tests.tasks.outputs import Filled, Output, ScoredByTokens
from tests.tasks.readings import Label, Vector
from tests.zoo.pretrained import tiny_bart, tiny_bert, tiny_encoders, tiny_gemma, tiny_gpt2


def of(tiny, architecture, task):
    """What makes a task of a checkpoint."""

    def make(folder, **options):
        if not (folder / "config.json").exists():
            tiny.write(folder, architecture)
        return zoo.from_pretrained(folder, task, dropout=0.0, attention_dropout=0.0, **options)

    return make


def of_modern_bert(folder, **options):
    """A classifier that begins with a checkpoint that fills masks, and with its hidden layer."""
    if not (folder / "config.json").exists():
        tiny_encoders.write(folder, "modernbert", "masked-lm")
    options = {"dropout": 0.0, "attention_dropout": 0.0, **options}
    return zoo.from_pretrained(folder, "text-classifier", **options)


SMALL = "is too small to quantize"
WORDS = ["a man in a red hat", "dog runs.", "", "a dog in a hat, a man runs! e b 你", "über"]


def colors(folder):
    """Texts of the words that the checkpoint knows, with labels."""
    texts = [
        "a red hat",
        "red dog",
        "a man runs",
        "dog runs in a hat",
        "red",
        "a man in red",
        "man",
    ]
    return files.table(
        folder / "data.tsv", [(t, "red" if "red" in t else "none") for t in texts * 5]
    )


def sentences(folder):
    path = folder / "data.txt"
    path.write_text("a man runs. a red hat. dog in a hat. man in red. a dog runs. " * 7, "utf-8")
    return path


CASES = {
    "text_to_text_bart": Case(
        "text-to-text",
        of(tiny_bart, "BartForConditionalGeneration", "text-to-text"),
        files.digits,
        ["one two", "five", "", "zero four one"],
        Output(),
        fit={"learning_rate": 0.01, "batch_tokens": 97},
        epochs=8,
        not_applicable={
            "LiteRT strings": BYTES,
            "int8": SMALL,
            "score": SMALL,
        },
        variant=True,
    ),
    "causal_lm_gpt2": Case(
        "causal-lm",
        of(tiny_gpt2, "GPT2LMHeadModel", "causal-lm"),
        files.animals,
        ["the cat sat", "the horse", "", "t", "on the mat the horse"],
        ScoredByTokens(),
        fit={"learning_rate": 0.01, "batch_size": 5},
        left=0.8,
        not_applicable={"LiteRT strings": BYTES},
        variant=True,
    ),
    "causal_lm_gemma": Case(
        "causal-lm",
        of(tiny_gemma, "gemma3", "causal-lm"),
        files.animals,
        ["the cat sat", "the horse", "", "t", "on the mat the horse"],
        ScoredByTokens(),
        fit={"learning_rate": 0.01, "batch_size": 5},
        left=0.8,
        not_applicable={"LiteRT strings": BYTES},
        variant=True,
    ),
    "masked_lm_bert": Case(
        "masked-lm",
        of(tiny_bert, "BertForPreTraining", "masked-lm"),
        sentences,
        ["a [MASK] hat.", "[MASK] runs.", "", "a man in [MASK] hat, dog [MASK]!"],
        Filled(),
        fit={"learning_rate": 0.005, "batch_size": 19},
        epochs=12,
        left=0.9,
        not_applicable=NOT_GENERATING,
        variant=True,
    ),
    "text_classifier_bert": Case(
        "text-classifier",
        of(tiny_bert, "BertModel", "text-classifier"),
        colors,
        WORDS,
        Label(),
        fit={"learning_rate": 0.01, "batch_tokens": 61},
        epochs=8,
        left=0.9,
        not_applicable=NOT_GENERATING,
        variant=True,
    ),
    "text_classifier_modern_bert": Case(
        "text-classifier",
        of_modern_bert,
        colors,
        WORDS,
        Label(),
        fit={"learning_rate": 0.01, "batch_tokens": 61},
        epochs=8,
        left=0.9,
        not_applicable={**NOT_GENERATING, "LiteRT strings": BYTES},
        variant=True,
    ),
    "text_embedder_bert": Case(
        "text-embedder",
        of(tiny_bert, "BertModel", "text-embedder"),
        files.alike,
        WORDS,
        Vector(),
        fit={"learning_rate": 0.003, "batch_tokens": 67},
        left=0.95,
        held_out=files.likeness,
        not_applicable=NOT_GENERATING,
        variant=True,
    ),
}
