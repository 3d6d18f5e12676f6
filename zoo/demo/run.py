"""The demo: trains a small model to read dates, and exports it to SavedModel and LiteRT."""

import itertools
import os
import time
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from zoo.data.readers.pairs import read_pairs
from zoo.demo import dates
from zoo.demo.artifacts import ask_litert, ask_saved_model
from zoo.report.run_files import read_json

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SHOWN = 18  # number of test dates in the table and the report


def run(folder: str | os.PathLike = "runs/demo", *, train: int = 26_000, epochs: int = 3) -> Path:
    """Generates dates, trains a model, exports it, runs the artifacts, and writes a report.

    A second call skips the steps that are finished, and resumes interrupted training.

    Args:
        folder: Run folder, which also contains the data, the artifacts and the report.
        train: Number of dates to train on.
        epochs: Number of epochs.

    Returns:
        The path of the report.

    Raises:
        UserError: If a package of `keras-attn[demo]` is missing.
    """
    folder, console = Path(folder), Console(highlight=False)
    began = time.monotonic()
    files = _data(folder / "data", train, console)
    task = _trained(folder, files, epochs, console)
    served, phone = folder / "saved_model", folder / "litert" / "dates.tflite"
    _exported(task, served, phone, console)
    examples = chosen(files["test"])
    _show(examples, served, phone, console)
    from zoo.report import report

    page = report(task, folder / "report.html", examples, [served, phone.parent])
    _show_files(
        console,
        {
            page: "the report: open it in a browser",
            served: "the SavedModel, for TF Serving",
            phone: "the LiteRT file, for phones",
            folder: "the run folder, for keras-attn predict",
            files["train"].parent: "the training, validation and test data",
        },
    )
    console.print(f"\nDone in {time.monotonic() - began:.0f} s.")
    return page


def _data(folder: Path, train: int, console: Console) -> dict[str, Path]:
    files = {name: folder / f"{name}.tsv" for name in ("train", "val", "test")}
    if not all(path.exists() for path in files.values()):
        files = dates.generate(folder, train=train)
        languages = {name.split("_")[0] for name in dates.LOCALES}
        console.print(f"Generated dates in {len(languages)} languages in {folder}.")
    return files


def _trained(folder: Path, files: dict[str, Path], epochs: int, console: Console) -> Any:
    import zoo
    from zoo.tasks.config import is_run

    metrics = read_json(folder / "metrics.json")
    if metrics:
        console.print(f"Found a finished run in {folder}. {_accuracy(metrics)}")
        return zoo.load(folder)
    task = zoo.TextToText(
        model="attention_seq2seq",
        preset="tiny",
        units=96,
        dropout=0.0,  # training is too short to overfit
        tokenizer="characters",
        max_target_length=12,
    )
    task.adapt(files["train"])
    console.print(f"Training on {files['train']}:")
    history = task.fit(
        files["train"],
        validation_data=files["val"],
        epochs=epochs,
        batch_tokens=1024,  # small batches, since learning to attend takes many steps
        learning_rate=6e-3,
        warmup=200,
        schedule="cosine",
        label_smoothing=0.0,
        xla=False,  # for so small a model, compiling takes longer than it saves
        folder=folder,
        resume=is_run(folder),
        seed=0,
    )
    if history.stopped == "interrupted":
        raise KeyboardInterrupt
    console.print(f"Evaluating on {files['test']}…")
    metrics = task.evaluate(files["test"])
    task.save(folder)
    console.print(_accuracy(metrics))
    return task


def _accuracy(metrics: dict[str, float]) -> str:
    return f"The model reads {metrics['exact_match']:.1%} of the test dates correctly."


def _exported(task: "Task", served: Path, phone: Path, console: Console) -> None:
    import export

    if not (served / "manifest.json").exists():
        console.print("Exporting and verifying the SavedModel…")
        report = export.saved_model(task, served)
        console.print(f"SavedModel: {len(report.checks)} checks passed.")
    if not (phone.parent / "manifest.json").exists():  # is written last
        console.print("Exporting and verifying the LiteRT file…")
        report = export.litert(task, phone, text="strings")
        console.print(f"LiteRT: {len(report.checks)} checks passed.")


def chosen(path: Path) -> list[tuple[str, str]]:
    """Some rows of a file of dates, alternating between scripts, with medium lengths first."""
    pairs = read_pairs(path)
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in zip(pairs.sources, pairs.targets, strict=True):
        groups.setdefault(script(row[0]), []).append(row)
    for group in groups.values():
        group.sort(key=lambda row: abs(len(row[0]) - 22))
    turns = itertools.zip_longest(*sorted(groups.values(), key=len, reverse=True))
    return [row for turn in turns for row in turn if row][:SHOWN]


def script(text: str) -> str:
    """The script of the first letter of a text, as named by Unicode.

    Example:
        >>> script("4 марта 2021"), script("2021-03-04")
        ('CYRILLIC', '')
    """
    letter = next((c for c in text if c.isalpha()), None)
    return unicodedata.name(letter).split()[0] if letter else ""


def _show(examples: list, served: Path, phone: Path, console: Console) -> None:
    sources = [source for source, _ in examples]
    answers = ask_saved_model(served / "1", sources), ask_litert(phone, sources)
    console.print("\n[bold]Test dates[/bold], read by the two artifacts:\n")
    table = Table("input", "SavedModel", "LiteRT", "", box=None, header_style="dim")
    for (source, iso), *given in zip(examples, *answers, strict=True):
        verdict = "[green]✓[/]" if set(given) == {iso} else f"[red]correct: {iso}[/]"
        table.add_row(Text(source), *map(Text, given), verdict)
    console.print(table)


def _show_files(console: Console, files: dict[Path, str]) -> None:
    console.print("\n[bold]Files[/bold]\n")
    table = Table(box=None, show_header=False)
    for path, description in files.items():
        table.add_row(Text(str(path)), Text(description, style="dim"))
    console.print(table)
