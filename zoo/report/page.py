"""`report`: a run as one HTML file that needs nothing beside it."""

import os
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from zoo.atomic import replacing
from zoo.attention_map import AttentionMap
from zoo.errors import UserError
from zoo.report import exports, facts, html, sections

Example = str | tuple[str, str]  # a source, or a source with its reference


def report(
    run: Any,
    path: str | os.PathLike | None = None,
    examples: Sequence[Example] = (),
    manifests: Iterable[str | os.PathLike] = (),
    maps: int = 6,
) -> Path:
    """Writes what is to be told about a run into one self-contained HTML file.

    What a run lacks is left out of the page: without a history there are no curves, without
    examples there are no predictions and no attention maps.

    Args:
        run: a run folder, or a task (that has been saved to one, for the history's sake).
        path: the file to write; default `report.html` in the run folder.
        examples: texts to show the model at work on, or (text, reference) pairs.
        manifests: `manifest.json` files of exported artifacts, or the folders that hold them.
        maps: draw the attention for at most so many of the examples.

    Returns:
        The path of the report.

    Raises:
        UserError: `run` is no run folder, a file in it is broken, or Matplotlib is missing.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise UserError("a report needs Matplotlib: pip install 'keras-attn[report]'") from error
    task, folder = _open(run)
    if path is None:
        if folder is None:
            raise UserError("`path` is needed for the report of a task that was never saved.")
        path = folder / "report.html"
    path = Path(path)
    about = Run(folder)
    pairs = [(one, None) if isinstance(one, str) else tuple(one) for one in examples]
    sources = [source for source, _ in pairs]
    written = task.predict(sources) if sources else []
    title = path.absolute().parent.name if folder is None else folder.absolute().name
    body = "\n".join(
        filter(
            None,
            [
                f"<header>\n<h1>{escape(title)}</h1>\n</header>",
                sections.headline(about.metrics),
                html.definitions("facts", about.facts(task)),
                sections.curves(about.history, about.state.get("best_epoch")),
                sections.attention(attention_maps(task, sources[:maps])),
                sections.predictions([(s, w, r) for (s, r), w in zip(pairs, written, strict=True)]),
                exports.section(manifests),
            ],
        )
    )
    template = Template(resources.files("zoo.report").joinpath("template.html").read_text("utf-8"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(template.substitute(title=escape(title), body=body), encoding="utf-8")
    return path


def attention_maps(task: Any, sources: Iterable[str]) -> list[tuple[str, AttentionMap]]:
    """Of each text the map of the last layer, the one nearest to what is written."""
    if not hasattr(task, "attention"):
        return []
    found = ((source, task.attention(source)) for source in sources)
    return [(source, layers[-1]) for source, layers in found if layers]


class Run:
    """The files of a run folder, as far as they are there."""

    def __init__(self, folder: Path | None):
        folder = folder or Path(os.devnull)
        self.config = facts.read_json(folder / "config.json")
        self.state = facts.read_json(folder / "checkpoints" / "state.json")
        self.history = facts.read_history(folder / "history.csv")
        self.metrics = facts.read_json(folder / "metrics.json")

    def facts(self, task: Any) -> dict[str, str]:
        """What was trained, in a few words."""
        config = self.config
        names = [config.get(key) for key in ("model", "preset")]
        found = {
            "Model": " · ".join(str(name) for name in names if name),
            "Parameters": f"{task.model.count_params():,}",
            "Tokenizer": str(config.get("tokenizer", "")),
            "Vocabulary": f"{config['vocabulary_size']:,}" if "vocabulary_size" in config else "",
            "Epochs": str(self.state.get("epoch", "")),
            "Training time": facts.duration(self.state.get("seconds", 0)),
        }
        if not self.state:
            del found["Training time"]
        return {term: value for term, value in found.items() if value}


def _open(run: Any) -> tuple[Any, Path | None]:
    if not isinstance(run, (str, os.PathLike)):
        folder = getattr(run, "folder", None)
        return run, None if folder is None else Path(folder)
    folder = Path(run)
    if not (folder / "config.json").exists():
        raise UserError(f"{folder} holds no config.json: is it a run folder?")
    import zoo

    return zoo.load(folder), folder
