"""Tasks on speech."""

from dataclasses import replace

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NO_LABELS, NO_MAPS, NO_TOKENS
from tests.tasks.speech import Speech


def speech_recognizer(folder, **options):
    settings = {"hidden_dim": 19, "num_layers": 1, "num_mels": 11, "dropout": 0.0}
    return kinds()["speech-recognizer"](**{**settings, **options})


def causal(folder, **options):
    return speech_recognizer(folder, causal=True, cell="gru", **options)


def of_attention(folder, **options):
    settings = {"encoder": "attention", "hidden_dim": 22, "num_heads": 2}
    return speech_recognizer(folder, **{**settings, **options})


RNN = Case(
    "speech-recognizer",
    speech_recognizer,
    files.recordings,
    [files.tones(text, seed=97) for text in ("ab", "cc", "b", "bca")],
    Speech(),
    fit={"learning_rate": 0.03, "batch_size": 7},
    epochs=8,
    learned="audio",
    not_applicable={
        "one shape": "reads no text",
        "stream": "only a causal model streams",
        **NO_TOKENS,
        **NO_CHECKPOINT,
        **NO_MAPS,
        **NO_LABELS,
        "LiteRT strings": "LiteRT cannot join characters",
        "user errors: length": "its inputs have any length",
        "user errors: vocabulary": "has no vocabulary",
    },
)
CASES = {
    "speech_recognizer": RNN,
    "speech_recognizer_causal": replace(
        RNN,
        make=causal,
        not_applicable={k: v for k, v in RNN.not_applicable.items() if k != "stream"},
        variant=True,
    ),
    "speech_recognizer_attention": replace(RNN, make=of_attention, variant=True),
}
