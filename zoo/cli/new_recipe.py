"""A recipe file for new data: with the options that it needs, and comments on others."""

import textwrap
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from zoo.options import defaults_of, facts_of, names_of
from zoo.recipes.recipe_file import written
from zoo.registry import TASKS
from zoo.training.options import SessionOptions

# The options that are changed most often, in this order, where a task has them.
USUAL = (
    *("model", "preset", "tokenizer", "vocabulary_size", "max_length", "horizon", "image_size"),
    *("epochs", "max_minutes", "patience", "learning_rate", "batch_size", "batch_tokens"),
    *("class_weight", "augment", "seed"),
)
WIDTH = 88


def new_recipe(
    task: str,
    data: str,
    validation: str | None,
    out: str,
    options: Mapping[str, Any],
    expected: Sequence[str] = (),
) -> str:
    """The text of a recipe file.

    Args:
        task: Name of the task.
        data: The training data.
        validation: The validation data, or the fraction to hold out; None for none.
        out: The run folder.
        options: The settings that the data need, by name.
        expected: What to expect of the training, in sentences.

    Example:
        >>> text = new_recipe("text-classifier", "a.csv", "0.1", "runs/a", {"text_column": "b"})
        >>> print(*text.split("\\n")[3:8], sep="\\n")
        task = "text-classifier"
        data = ["a.csv"]
        validation = 0.1
        out = "runs/a"
        <BLANKLINE>
    """
    lines = [
        "# Train with: keras-attn train FILE.toml. Options after it replace those here.",
        "# Paths are relative to the folder in which the command runs.",
        *_comment(" ".join(expected)),
        "",
        f"task = {written(task)}",
        f"data = {written([data])}",
    ]
    if validation is not None:
        lines.append(f"validation = {_number_or_text(validation)}")
    lines += [f"out = {written(out)}", "", "[options]"]
    lines += [f"{name} = {written(value)}" for name, value in options.items()]
    lines += ["", f"# Others: keras-attn train {task} --help, with _ for -."]
    for name, (default, text) in _usual(task).items():
        if name not in options:
            lines += ["", *_comment(text), f"# {name} = {default}"]
    lines += ["", "[model]", *_comment("Options of the model: keras-attn models NAME lists them.")]
    return "\n".join([*lines, "# dropout = 0.1", ""])


def _usual(task: str) -> dict[str, tuple[str, str]]:
    """The usual options of a task by name: the default in TOML, and what each does."""
    module = import_module(TASKS[task].options)
    found: dict[str, tuple[str, str]] = {}
    for kind in (module.Settings, module.Training, SessionOptions):
        defaults = defaults_of(kind)
        for name in names_of(kind):
            if name in USUAL:
                default = defaults[name]
                text = str(facts_of(kind, name)["help"])
                known = default is not None and "Default:" not in text  # which depends on the model
                found[name] = written(default) if known else "...", text
    return {name: found[name] for name in USUAL if name in found}


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH - 2)]


def _number_or_text(value: str) -> str:
    try:
        return f"{float(value):g}"
    except ValueError:
        return written(value)
