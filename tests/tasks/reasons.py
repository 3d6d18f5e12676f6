"""Why a check cannot apply to a task: each reason with what it says of the task."""

from collections.abc import Callable
from typing import Any

from zoo.models.options import has_option

REASONS: dict[str, Callable[[Any], bool]] = {
    "attends to nothing": lambda task: getattr(task.model, "attends", None) is False,
    "shows no attention": lambda task: task.attention("a") == [],
    "shows nothing while it writes": lambda task: not hasattr(task, "stream"),
    "LiteRT cannot join two texts": lambda task: getattr(task.settings, "pairs", None) is True,
    "LiteRT cannot tell where words begin": lambda task: task.name == "token-tagger",
    "its vocabulary is of no Hugging Face model": lambda task: task.pretrained is None,
    "no Hugging Face model has its layers": lambda task: (
        task.settings.model not in ("bert", "gpt", "bart")
    ),
    "Hugging Face's library has no such task": lambda task: (
        task.name in ("denoising", "multi-task")
    ),
    "LiteRT cannot split text into bytes": lambda task: task.tokenizer.kind.startswith("byte"),
    "is too small for eight bits": lambda task: task.model.count_params() < 20_000,
    "has no dropout": lambda task: not has_option(task.settings.model, "dropout"),
    "learns no labels": lambda task: "labels" not in task.settings.names(),
}
