"""`report`: a run as a single, self-contained HTML file."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from html import escape
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from zoo.atomic import replacing
from zoo.attention_map import AttentionMap
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.report import (
    documents,
    exports,
    gallery,
    heads,
    html,
    judged_labels,
    judged_values,
    metrics,
    pictures,
    sections,
)
from zoo.report.about import About, RunFolder
from zoo.report.examples import Shown, what_of
from zoo.report.policy import policy
from zoo.tasks.advice import advice
from zoo.tasks.parts import Pictures

if TYPE_CHECKING:
    from zoo.tasks.task import Task

ROWS = 18  # rows of the data that a report shows
TOKENS = 64  # maximum number of tokens of an attention map that is drawn


def report(
    run: "str | os.PathLike | Task",
    path: str | os.PathLike | None = None,
    data: Any = None,
    manifests: Iterable[str | os.PathLike] = (),
    rows: int = ROWS,
    maps: int = 6,
    about: About | None = None,
) -> Path:
    """Writes a report of a run as a single, self-contained HTML file.

    The report contains what is available: without a history there are no curves, without data no
    predictions and no attention maps.

    Args:
        run: A run folder, or a task. To show the training history, the task must have been saved.
        path: File to write. Defaults to `report.html` in the run folder.
        data: Data to show predictions for: a file or a list, in the form that `fit` takes. It is
            read once, and answered once.
        manifests: `manifest.json` files of exported artifacts, or the folders that contain them.
        rows: About the number of rows of the data to show.
        maps: Maximum number of rows to draw attention maps for; maps of more than 64 tokens are
            left out, except of documents, which are drawn sentence by sentence.
        about: What is known of the model. Defaults to the files of the run folder.

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
    known = RunFolder(folder) if about is None else about
    aims = task.parts.answer.aims(task.settings)
    comparison, measured_on = replace(known.comparison(), aims=aims), known.measured_on
    answered = None if data is None else task.answered(data)
    if answered is not None:
        with suppress(UserError):  # the data may have no answers
            comparison, measured_on = answered.comparison(), answered.measured_on
    labels = judged_labels.rows_of(answered)
    examples = Shown.of(task, answered, rows, labels)
    # Maps of images are drawn over these instead.
    of_images = task.parts.pictures is Pictures.CAPTIONS
    attended, too_large = attention_maps(task, [] if of_images else examples.rows, maps)
    of_tokens = [(text, parts) for text, parts in attended if not documents.is_document(parts)]
    drawn = pictures.section(task, answered, examples.rows)
    missing = [*known.missing, *drawn.missing]
    if examples.rows and not (attended or too_large or of_images):
        missing += known.without_maps
    advised = advice(replace(known.evidence(), comparison=comparison, labels=labels))
    title = known.title or path.absolute().parent.name
    body = "\n".join(
        filter(
            None,
            [
                f"<header>\n<h1>{escape(title)} <small>{escape(task.name)}</small></h1>\n</header>",
                metrics.headline(comparison),
                sections.caution(comparison, measured_on),
                html.definitions("facts", known.facts(task)),
                metrics.section(comparison, str(measured_on)),
                "" if labels is None else judged_labels.section(labels),
                judged_values.section(judged_values.rows_of(answered), what_of(task)),
                drawn.page,
                gallery.section(task, examples),
                examples.section(task),
                sections.curves(known.history, known.best_epoch),
                sections.advice(advised),
                documents.section(attended),
                sections.attention(last_layers(of_tokens), too_large, TOKENS),
                heads.section(of_tokens),
                exports.section(manifests),
                sections.missing(missing),
            ],
        )
    )
    for each in missing:
        LOGGER.info("left out of the report: %s", each)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(whole_page(f"{title}, {task.name}", body), encoding="utf-8")
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


def _open(run: "str | os.PathLike | Task") -> "tuple[Task, Path | None]":
    if not isinstance(run, (str, os.PathLike)):
        return run, run.folder
    from zoo.tasks.load import load

    folder = Path(run)
    return load(folder), folder
