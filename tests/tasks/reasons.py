"""Reasons why a check does not apply to a task, each with the condition that it asserts."""

from collections.abc import Callable
from typing import Any

from zoo.models.options import has_option
from zoo.options import values_of

IMAGES = ("image-classifier", "image-regressor")
REASONS: dict[str, Callable[[Any], bool]] = {
    "its model has no attention maps": lambda task: (
        not task.model.attention_layers and task.attention("a") == []
    ),
    "only a causal model streams": lambda task: not task.model.causal,
    "does not stream its output": lambda task: not hasattr(task, "stream"),
    "generates no tokens": lambda task: not hasattr(task, "generate_ids"),
    "LiteRT cannot join two texts": lambda task: getattr(task.settings, "pairs", None) is True,
    "LiteRT cannot split text into sentences": lambda task: task.preprocessor.nested,
    "LiteRT cannot split text into words": lambda task: task.name == "token-tagger",
    "LiteRT cannot find the words of a passage": lambda task: "passage" in task.preprocessor.inputs,
    "no Hugging Face model has its tokenizer": lambda task: task.pretrained is None,
    "no Hugging Face model has its architecture": lambda task: (
        task.settings.model not in ("bert", "gpt", "bart", "t5")
    ),
    "Hugging Face's library has no such task": lambda task: (
        task.name in ("denoising", "multi-task")
    ),
    "LiteRT cannot split text into bytes": lambda task: task.tokenizer.kind.startswith("byte"),
    "is too small to quantize": lambda task: task.model.count_params() < 20_000,
    "has no dropout": lambda task: not has_option(task.settings.model, "dropout"),
    "LiteRT cannot decode images": lambda task: task.name in IMAGES,
    "LiteRT cannot join characters": lambda task: task.name == "speech-recognizer",
    "reads no text": lambda task: "text" not in task.preprocessor.inputs,
    "its files have no text": lambda task: task.name == "image-classifier",
    "has no vocabulary": lambda task: "vocabulary_size" not in values_of(task.settings),
    "its inputs have any length": lambda task: "max_length" not in values_of(task.settings),
    "has no labels": lambda task: "labels" not in values_of(task.settings),
}
# Whether such a check passes depends on rounding, and so on the processor.
UNSURE = {"is too small to quantize"}
