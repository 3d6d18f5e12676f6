"""Targets of prepared data, which are read as a training does, by tiny models."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import zoo
from tests.fuzz.places import whole
from tests.fuzz.target import Target

TEXTS = ["it was fine", "a dull, odd film", "über 你", "a"] * 5
LABELED = [(text, "good" if "fine" in text else "bad") for text in TEXTS]
PAIRS = [(text, text[::-1]) for text in TEXTS]


def classifier() -> Any:
    return zoo.TextClassifier("rnn_classifier", embedding_dim=5, units=3, max_length=7)


def translator() -> Any:
    return zoo.TextToText(hidden_dim=8, num_layers=1, intermediate_dim=5, vocabulary_size=60)


def language_model() -> Any:
    return zoo.CausalLM("rnn_lm", units=3, max_length=8, max_new_tokens=2, tokenizer="characters")


def target(task: Callable[[], Any], data: Any) -> Target:
    """Prepares data, and reads them as a training of a task does."""

    def read(path: Path) -> None:
        learner = task()
        examples = learner.read(whole(path))
        learner.adapt(whole(path))
        for _ in learner.batches(examples, learner.Training()).columns():
            pass

    return Target(lambda folder: task().prepare(data, folder, processes=1), read, slow=True)


TARGETS = {
    "prepared labeled texts": target(classifier, LABELED),
    "prepared pairs": target(translator, PAIRS),
    "prepared documents": target(language_model, TEXTS),
}
