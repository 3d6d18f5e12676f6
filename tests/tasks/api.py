"""The names of options and calls that belong to the tasks' interface, in one place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import zoo
from zoo.cli.app import app
from zoo.options import values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.registry import TASKS
from zoo.tasks.load import task_class

BASELINES = (
    "character_tfidf_",
    "majority_",
    "frequent_",
    "mean_",
    "tfidf_",
    "seasonal_naive_",
    "linear_",
    "ridge_",
    "nearest_centroid_",
    "logistic_regression_",
    "features_",
    "label_propagation_",
    "typical_caption_",
    "copy_",
    "bm25_",
    "lead_",
    "ngram_",
    "unigram_",
    "nearest_",
)  # before scores of other models

# What every training shares: a rate that does not depend on how many epochs there are, so that a
# run of few epochs is the beginning of one of more.
FIT: dict[str, Any] = {"schedule": "noam", "warmup": 7, "xla": False, "verbose": False}


def size(hidden: int, intermediate: int | None = None, **options: Any) -> dict[str, Any]:
    """The sizes of a small model without dropout."""
    if intermediate is None:
        return {"embedding_dim": hidden, "dropout": 0.0, **options}
    sizes = {"hidden_dim": hidden, "intermediate_dim": intermediate}
    return {**sizes, "num_heads": 2, "num_layers": 1, "dropout": 0.0, **options}


def length_option(task: str) -> str:
    """The option that limits the tokens of a text."""
    return "max_source_length" if task == "text-to-text" else "max_length"


def batch_option(task: str) -> str:
    """The option of `fit` that sets how large batches are."""
    by_rows = ("causal-lm", "masked-lm", "denoising")
    by_rows += ("node-classifier", "image-classifier", "image-captioner")
    by_rows += ("image-regressor", "series-regressor")
    by_rows += ("series-forecaster", "series-classifier", "speech-recognizer")
    return "batch_size" if task in by_rows else "batch_tokens"


def foreign_option(task: str) -> list[str]:
    """An option of the command line that other tasks have, and this one does not."""
    if batch_option(task) == "batch_tokens":
        return ["--batch-size", "3"]
    return ["--batch-tokens", "64"]


def served(task: Any, head: str) -> Any:
    """What predicts and is exported: of several heads one."""
    return task.single_task(head) if head else task


def of_head(data: Any, head: str) -> Any:
    """The file of the head."""
    return data[head] if head else data


def reads_texts(task: Any) -> bool:
    """Whether the task has a tokenizer."""
    return isinstance(task.preprocessor, TokenPreprocessor)


def takes_strings(task: Any) -> bool:
    """Whether artifacts of the task may take strings."""
    return any(spec.dtype == "string" for spec in task.preprocessor.inputs.values())


def chosen(task: Any) -> dict[str, Any]:
    """The settings of a task; of the vocabulary's size, how large it became."""
    settings = {**values_of(task.settings), **task.model_options}
    if "vocabulary_size" in settings:
        settings["vocabulary_size"] = task.tokenizer.vocabulary_size
    return settings


def data_arguments(data: Any) -> list[str]:
    """How a command is given what `fit` takes."""
    if isinstance(data, dict):
        return [part for name, path in data.items() for part in ("--data", f"{name}={path}")]
    return ["--data", str(data)]


def command(*arguments: Any) -> Any:
    """The outcome of a command: `exit_code`, `stdout`, `stderr`."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


def scored_on(data: Any) -> dict[str, Any]:
    """The options of an export that score the files on data, and refuse one that lost too much."""
    return {"data": data, "max_drop": 1e3}


def evaluated_as_files_are(task: Any, data: Any) -> dict[str, float]:
    """The scores of a task where, as in a file, no state continues from window to window."""
    options = {"stateful": False} if task.name == "causal-lm" else {}
    scores = task.evaluate(data, **options)
    return {name: value for name, value in scores.items() if not name.startswith(BASELINES)}


def scores(report: Any) -> list[dict[str, float]]:
    """The scores of the float32 file and of the quantized one."""
    return [row["metrics"] for row in report.files]


def load(folder: Path) -> Any:
    return zoo.load(folder)


def kinds() -> dict[str, Callable[..., Any]]:
    """The classes of tasks by name."""
    return {name: task_class(name) for name in TASKS}
