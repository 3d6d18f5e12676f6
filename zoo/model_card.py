"""The model card: what a model is, what it was trained on, how good it is, and where it ends."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.options import facts_of, values_of
from zoo.registry import MODELS, TASKS
from zoo.tasks.provenance import published

if TYPE_CHECKING:
    from zoo.tasks.task import Task

FILE = "README.md"
LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
NO_DATA = "The training data was in memory: its digest is not known."
NO_METRICS = "The model was not evaluated before it was exported."
CAVEATS = (
    "The model has learned from the training data alone, or from a checkpoint and this data. On "
    "data of another kind or source it may be much worse than the metrics say.",
)


def model_card(task: "Task") -> str:
    """A model card in Markdown, with the metadata that the Hugging Face Hub reads.

    Source: Mitchell et al. 2019, section 4.

    Args:
        task: A `Task`.

    Raises:
        UserError: If the license of the task is not a name such as "apache-2.0".
    """
    row, model = TASKS[task.name], MODELS[task.settings.model]
    sizes = f"{task.model.count_params():,} parameters"
    parts = [
        _metadata(task, row.hub_name),
        f"# {model.name} for {task.name}",
        f"{row.summary} The model is `{model.name}` of keras-attn ({plain(model.paper)}), preset "
        f"`{plain(task.settings.preset)}`, with {sizes}. The page `SIGNATURES.md` in the same "
        "folder says how to call it, `manifest.json` what was verified of each file.",
        *_section("Training data", ("file", "SHA-256"), published(task.data).items(), NO_DATA),
        *_section("Metrics", ("metric", "value"), _metrics(task), NO_METRICS),
        *([task.evaluated_on.caution] if task.metrics and task.evaluated_on.caution else []),
        *_section("Settings", ("setting", "value", "meaning"), _settings(task)),
        "## Caveats",
        "\n".join(f"- {each}" for each in (*CAVEATS, *task.parts.answer.caveats)),
    ]
    return "\n\n".join(parts) + "\n"


def _metadata(task: "Task", hub_name: str) -> str:
    lines = ["---", "library_name: keras"]
    if task.license is not None:
        if not LICENSE.fullmatch(task.license):
            raise UserError(f"license must be a name such as apache-2.0, got {task.license!r}")
        lines.append(f"license: {task.license}")
    lines += [f"pipeline_tag: {hub_name}"] * bool(hub_name)
    return "\n".join([*lines, f"tags: [keras-attn, {task.settings.model}]", "---"])


def _section(
    title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], empty: str = ""
) -> list[str]:
    lines = [
        f"| {' | '.join([plain(name), plain(value), *meaning])} |" for name, value, *meaning in rows
    ]
    head = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    return [f"## {title}", "\n".join([*head, *lines]) if lines else empty]


def _metrics(task: "Task") -> list[tuple[str, str]]:
    rows = [(name, f"{value:.6g}") for name, value in task.metrics.items()]
    on = str(task.evaluated_on)
    return [*rows, ("measured on", on)] if rows and on else rows


def _settings(task: "Task") -> list[tuple[str, str, str]]:
    settings = task.settings
    rows = [
        (name, _short(value), facts_of(type(settings), name)["help"].split(" Default: ")[0])
        for name, value in values_of(settings).items()
        if value is not None
    ]
    return rows + [(name, _short(value), "") for name, value in task.model_options.items()]


def _short(value: Any) -> str:
    """A value of a setting; long lists, such as of labels, are cut."""
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shown if len(shown) <= 200 else f"{shown[:200]}…"


def plain(text: str) -> str:
    """A text on one line, without markup.

    Example:
        >>> print(plain("a_<b>\\n| [c](d)"))
        a\\_\\<b\\> \\| \\[c\\](d)
    """
    return re.sub(r"[\\`*_\[\]<>|&~#]", r"\\\g<0>", " ".join(text.split()))
