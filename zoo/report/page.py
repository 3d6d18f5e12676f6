"""`report`: a run as a single, self-contained HTML file."""

import os
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from zoo.atomic import replacing
from zoo.attention_map import AttentionMap
from zoo.errors import UserError
from zoo.report import (
    documents,
    exports,
    formats,
    heads,
    html,
    judged_labels,
    judged_values,
    metrics,
    pictures,
    run_files,
    sections,
)
from zoo.report.examples import Shown, what_of
from zoo.report.policy import policy
from zoo.tasks.comparison import Comparison
from zoo.tasks.parts import Pictures
from zoo.tasks.provenance import names_of

if TYPE_CHECKING:
    from zoo.tasks.task import Task

ROWS = 18  # rows of the data that a report shows
TOKENS = 64  # maximum number of tokens of an attention map that is drawn


def report(
    run: Any,
    path: str | os.PathLike | None = None,
    data: Any = None,
    manifests: Iterable[str | os.PathLike] = (),
    rows: int = ROWS,
    maps: int = 6,
) -> Path:
    """Writes a report of a run as a single, self-contained HTML file.

    The report contains what is available: without a history there are no curves, without data no
    predictions and no attention maps.

    Args:
        run: A run folder, or a task. To show the training history, the task must have been saved.
        path: File to write. Defaults to `report.html` in the run folder.
        data: Data to show predictions for: a file or a list, in the form that `fit` takes.
        manifests: `manifest.json` files of exported artifacts, or the folders that contain them.
        rows: About the number of rows of the data to show.
        maps: Maximum number of rows to draw attention maps for; maps of more than 64 tokens are
            left out, except of documents, which are drawn sentence by sentence.

    Returns:
        The path of the report.

    Raises:
        UserError: If `run` is not a run folder, one of its files is invalid, or Matplotlib is
            missing.
    """
    if find_spec("matplotlib") is None:
        raise UserError("reports require Matplotlib: pip install 'keras-attn[report]'")
    task, folder = _open(run)
    if path is None:
        if folder is None:
            raise UserError("`path` is required for a task that has not been saved.")
        path = folder / "report.html"
    path = Path(path)
    about = RunFolder(folder)
    comparison, labels, values = about.comparison(), None, None
    measured_on = str(about.metrics.get("data", ""))
    if data is not None:
        with suppress(UserError):  # the data may have no answers
            comparison, measured_on = task.compare(data), names_of(data)
            labels = judged_labels.rows_of(task, data)
            values = judged_values.rows_of(task, data)
    examples = Shown.of(task, data, rows, labels)
    shown = examples.rows
    # Maps of images are drawn over these instead.
    of_images = task.parts.pictures is Pictures.CAPTIONS
    attended, too_large = attention_maps(task, [] if of_images else shown, maps)
    of_tokens = [(text, parts) for text, parts in attended if not documents.is_document(parts)]
    title = path.absolute().parent.name if folder is None else folder.absolute().name
    body = "\n".join(
        filter(
            None,
            [
                f"<header>\n<h1>{escape(title)}</h1>\n</header>",
                metrics.headline(comparison),
                html.definitions("facts", about.facts(task)),
                metrics.section(comparison, measured_on),
                "" if labels is None else judged_labels.section(labels),
                "" if values is None else judged_values.section(*values, what_of(task)),
                "" if data is None else pictures.section(task, data, shown),
                examples.section(task),
                sections.curves(about.history, about.best_epoch),
                documents.section(attended),
                sections.attention(last_layers(of_tokens), too_large, TOKENS),
                heads.section(of_tokens),
                exports.section(manifests),
            ],
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(whole_page(title, body), encoding="utf-8")
    return path


def whole_page(title: str, body: str) -> str:
    """Returns a page whose policy allows its own style and script only."""
    files = resources.files("zoo.report")
    style = files.joinpath("page.css").read_text("utf-8")
    style += documents.style() + judged_labels.style()
    template = Template(files.joinpath("template.html").read_text("utf-8"))
    allowed = policy(style, heads.script())
    return html.legible(
        template.substitute(policy=allowed, title=escape(title), style=style, body=body)
    )


def attention_maps(
    task: "Task", rows: Iterable[Any], count: int
) -> tuple[list[tuple[str, heads.Parts]], int]:
    """Returns the maps of the first rows, by part, and how many were too large to show."""
    maps: list[tuple[str, heads.Parts]] = []
    too_large = 0
    for row in rows:
        try:
            parts = task.attention_parts(row.input) if len(maps) < count else {}
        except UserError:  # the surroundings of a node are too large for a map
            too_large += 1
            continue
        if parts and (documents.is_document(parts) or _tokens(parts) <= TOKENS):
            maps.append((row.source, parts))
        elif parts:
            too_large += 1
    return maps, too_large


def last_layers(examples: Iterable[tuple[str, heads.Parts]]) -> list[tuple[str, AttentionMap]]:
    """Returns the attention map of the last layer of the last part for each text."""
    return [(text, [*parts.values()][-1][-1]) for text, parts in examples]


def _tokens(parts: heads.Parts) -> int:
    return max(max(layers[0].weights.shape[1:]) for layers in parts.values())


class RunFolder:
    """The contents of a run folder, as far as its files exist."""

    def __init__(self, folder: Path | None):
        self.folder = folder or Path(os.devnull)
        self.config = run_files.read_json(self.folder / "config.json")
        self.state = run_files.read_json(self.folder / "checkpoints" / "state.json")
        self.history = run_files.read_history(self.folder / "history.csv")
        self.metrics = run_files.read_json(self.folder / "metrics.json")

    @property
    def best_epoch(self) -> int | None:
        """The epoch whose weights were kept."""
        best = self.state.get("best_epoch")
        with run_files.reading(self.folder / "checkpoints" / "state.json"):
            return None if best is None else int(best)

    def comparison(self) -> Comparison:
        """The metrics that `evaluate` wrote, apart from those of baselines."""
        with run_files.reading(self.folder / "metrics.json"):
            return metrics.comparison_of(self.metrics)

    def facts(self, task: "Task") -> dict[str, str]:
        """Returns a short description of the model and its training."""
        description = {"Task": task.name}
        with run_files.reading(self.folder / "config.json"):
            description |= self._settings(task)
        with run_files.reading(self.folder / "checkpoints" / "state.json"):
            description |= self._training()
        return {term: value for term, value in description.items() if value}

    def _settings(self, task: "Task") -> dict[str, str]:
        config = {**self.config.get("settings", {}), **self.config}
        names = [config.get(key) for key in ("model", "preset")]
        return {
            "Model": " · ".join(str(name) for name in names if name),
            "Parameters": f"{task.model.count_params():,}",
            "Tokenizer": str(config.get("tokenizer", "")),
            "Vocabulary": f"{config['vocabulary_size']:,}" if "vocabulary_size" in config else "",
        }

    def _training(self) -> dict[str, str]:
        if not self.state:
            return {}
        return {
            "Epochs": str(self.state.get("epoch", "")),
            "Training time": formats.duration(self.state.get("seconds", 0)),
        }


def _open(run: "str | os.PathLike | Task") -> "tuple[Task, Path | None]":
    if not isinstance(run, (str, os.PathLike)):
        return run, run.folder
    import zoo

    folder = Path(run)
    return zoo.load(folder), folder
