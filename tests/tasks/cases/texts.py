"""Tasks that write texts, or fill them."""

from tests.tasks.api import kinds, size
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.outputs import Filled, Output, ScoredByTokens

VOCABULARY = "no Hugging Face model has its tokenizer"
NO_LAYERS = "no Hugging Face model has its architecture"
NO_TOKENS = {"streamed files": "generates no tokens"}
NOT_GENERATING = {"stream": "does not stream its output", **NO_TOKENS}
BYTES = "LiteRT cannot split text into bytes"
NO_MAPS = {"maps": "its model has no attention maps"}
NO_LABELS = dict.fromkeys(("user errors: one label", "user errors: unknown label"), "has no labels")


def text_to_text(folder, **options):
    settings = {**size(26, 31), "vocabulary_size": 61, "max_source_length": 11}
    kind = kinds()["text-to-text"]
    return kind(**{"model": "transformer", **settings, "max_target_length": 7, **options})


# The other models of text-to-text, each with its sizes.
OTHERS = {
    "rnn": ("rnn_seq2seq", {**size(23), "units": 31, "num_layers": 1}),
    "attention": ("attention_seq2seq", {**size(23), "units": 31}),
    "conv": ("conv_s2s", {**size(23), "layers": [[31, 3], [26, 2, 2]], "output_dim": 23}),
    "prefix": ("prefix_gpt", size(26, 31, attention_dropout=0.0)),
    "t5": ("t5", size(26, 31, attention_dropout=0.0)),
}


def other(model, sizes):
    def make(folder, **options):
        settings = {"vocabulary_size": 61, "max_source_length": 11, "max_target_length": 7}
        return kinds()["text-to-text"](**{"model": model, **sizes, **settings, **options})

    return make


def causal_lm(folder, **options):
    settings = {"model": "gpt", **size(22, 37, attention_dropout=0.0), "max_length": 29}
    return kinds()["causal-lm"](**{**settings, "max_new_tokens": 7, **options})


def causal_lm_llama(folder, **options):
    sizes = {**size(22, 37, attention_dropout=0.0), "key_dim": 6, "num_key_value_heads": 1}
    settings = {"model": "llama", **sizes, "tie_embeddings": False, "max_length": 29}
    return kinds()["causal-lm"](**{**settings, "max_new_tokens": 7, **options})


def causal_lm_carried(folder, **options):
    settings = {
        **size(23),
        "units": 31,
        "num_layers": 1,
        "cell": "gru",
        "stateful_batch_size": 3,
        "vocabulary_size": 43,
    }
    lengths = {"max_length": 29, "max_new_tokens": 7, "tokenizer": "wordpiece"}
    return kinds()["causal-lm"](**{"model": "rnn_lm", **settings, **lengths, **options})


def masked_lm(folder, **options):
    settings = {"model": "bert", **size(22, 37, attention_dropout=0.0), "max_length": 23}
    return kinds()["masked-lm"](**{**settings, "vocabulary_size": 97, **options})


def denoising(folder, **options):
    settings = {"model": "bart", **size(22, 37, attention_dropout=0.0), "max_length": 19}
    chosen = {"vocabulary_size": 97, "corruptions": ["text_infilling"]}
    return kinds()["denoising"](**{**settings, **chosen, **options})


PROMPTS = [
    "the cat sat on",
    "the horse",
    "",
    "t",
    "on the mat the horse sat on the log. the cat 你",
]
MASKED = [
    "cat [MASK] mat.",
    "[MASK] neighs.",
    "",
    "no mask 你",
    "bird [MASK] nest [MASK] sings. " * 3,
]

NUMBERS = ["one two three", "five", "", "zero four one two five", "two 你 three", "one " * 17]
TRANSLATED = {
    "task": "text-to-text",
    "data": files.digits,
    "texts": NUMBERS,
    "output": Output(),
    "fit": {"learning_rate": 0.01, "batch_tokens": 61},
}
# With the learning rate of the others, its loss rises again, and small differences grow.
SLOWER = {"fit": {"learning_rate": 0.007, "batch_tokens": 61}, "epochs": 6}
NO_CHECKPOINT = {"to_pretrained": NO_LAYERS, **NO_LABELS}
# What some of the other models of text-to-text lack besides.
LACKING = {"rnn": NO_MAPS, "t5": {"to_pretrained": VOCABULARY}}

CASES = {
    "text_to_text": Case(make=text_to_text, not_applicable=NO_CHECKPOINT, **TRANSLATED),
    **{
        f"text_to_text_{name}": Case(
            make=other(*chosen),
            not_applicable=NO_CHECKPOINT | LACKING.get(name, {}),
            variant=True,
            **TRANSLATED | (SLOWER if name == "prefix" else {}),
        )
        for name, chosen in OTHERS.items()
    },
    "causal_lm": Case(
        "causal-lm",
        causal_lm,
        files.animals,
        PROMPTS,
        ScoredByTokens(),
        fit={"learning_rate": 0.01, "batch_size": 5},
        not_applicable={
            "LiteRT strings": BYTES,
            "to_pretrained": VOCABULARY,
            **NO_LABELS,
        },
        quick=("resume",),
    ),
    "causal_lm_llama": Case(
        "causal-lm",
        causal_lm_llama,
        files.animals,
        PROMPTS,
        ScoredByTokens(),
        fit={"learning_rate": 0.01, "batch_size": 5},
        not_applicable={"LiteRT strings": BYTES, "to_pretrained": VOCABULARY},
        variant=True,
    ),
    "causal_lm_carried": Case(
        "causal-lm",
        causal_lm_carried,
        files.animals,
        PROMPTS,
        ScoredByTokens(),
        fit={"learning_rate": 0.02, "batch_size": 3},
        not_applicable={**NO_MAPS, "to_pretrained": NO_LAYERS},
        variant=True,
    ),
    "masked_lm": Case(
        "masked-lm",
        masked_lm,
        files.topics,
        MASKED,
        Filled(),
        fit={"learning_rate": 0.02, "batch_size": 5},
        left=0.95,
        not_applicable={
            **NOT_GENERATING,
            "to_pretrained": VOCABULARY,
            **NO_LABELS,
        },
    ),
    "denoising": Case(
        "denoising",
        denoising,
        files.topics,
        MASKED,
        ScoredByTokens(),
        fit={"learning_rate": 0.02, "batch_size": 5},
        not_applicable={
            "to_pretrained": "Hugging Face's library has no such task",
            **NO_LABELS,
        },
    ),
}
