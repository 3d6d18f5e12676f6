"""The command `inspect`."""

import dataclasses
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.column_options import COLUMNS
from zoo.cli.console import Json, load, show_json, show_table
from zoo.cli.derived import takes
from zoo.cli.fitting import with_model
from zoo.option_names import spelled

SAMPLE = 20_000  # number of texts from which lengths in tokens are estimated
COLUMNS_SHOWN = 30  # maximum number of columns to print
NO_LENGTHS = ("number", "date")  # kinds of columns that are shown without lengths
SHOWN = 5  # maximum number of bad rows to print


@takes("columns", *COLUMNS)
def inspect(
    data: Annotated[str, typer.Argument(metavar="FILE", help="A data file, folder or pattern.")],
    columns: dict[str, Any],
    validation: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="A validation file: also count its rows that are in the training data.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show what is in a data file, and which tasks fit it.

    Prints the columns as `train` would read them, the numbers of invalid and of duplicate rows,
    text lengths in characters and tokens, and commands that train on the file.

    [bold]Examples[/bold]

    \b
      keras-attn inspect reviews.csv
      keras-attn inspect train.tsv --validation val.tsv --json
      keras-attn inspect export.csv --encoding cp1252 --label-column class
    """
    inspection = inspected(data, validation, columns)
    tokens = _lengths(inspection)
    commands = [_command(inspection, fit, tokens) for fit in inspection.fits]
    if json:
        facts = dataclasses.asdict(inspection)
        facts.pop("texts")
        first = commands[0] if commands else None
        every = {"tokens": tokens, "command": first, "commands": commands}
        show_json({**facts, "task": inspection.task, **every})
        return
    print(inspection.understood)
    if inspection.columns:
        rows = (
            [
                each.name,
                each.kind,
                each.distinct,
                each.empty,
                "" if each.kind in NO_LENGTHS else f"{each.characters:.0f}",
                "" if each.kind in NO_LENGTHS else each.longest,
                " to ".join(each.range or ())
                or ", ".join(f"{value} {count}" for value, count in each.values.items()),
            ]
            for each in inspection.columns[:COLUMNS_SHOWN]
        )
        titles = ("column", "kind", "distinct", "empty", "mean characters", "longest", "values")
        show_table(titles, rows)
    if (more := len(inspection.columns) - COLUMNS_SHOWN) > 0:
        print(f"and {more:,} more columns")
    counts = {
        "rows": inspection.rows,
        "blank lines": inspection.blank,
        "bad rows": len(inspection.bad),
        "duplicate rows": inspection.duplicates,
        "validation rows in the training data": inspection.overlap,
        **{f"tokens per text, {name}": value for name, value in tokens.items()},
    }
    show_table(("", ""), ([name, value] for name, value in counts.items() if value is not None))
    for each in inspection.bad[:SHOWN]:
        what = "bad image" if inspection.task == "image-classifier" else "bad row in line"
        print(f"{what} {each}")
    if inspection.header is False and not columns:
        option = "--source-column" if inspection.task == "text-to-text" else "--text-column"
        print(
            "the first row was read as data; if it names the columns, give one of the names to "
            f"train, such as {option} NAME"
        )
    for hint in hints(inspection):
        print(hint)
    for number, (fit, command) in enumerate(zip(inspection.fits, commands, strict=True)):
        what = "fits these data" if number == 0 else "also fits"
        print(f"\n{fit.task} {what}:\n  {command}")
    if not inspection.fits:
        print("\nno task can read these data as they are")


def inspected(data: str, validation: str | None, columns: dict[str, Any]) -> Any:
    """The `Inspection` of a file, with the tasks that have the given options.

    Args:
        data: The file, folder or pattern.
        validation: The validation data, or None.
        columns: The options of the command line that name columns.
    """
    # Of a folder, TensorFlow reads the images.
    module = load("zoo.data.inspection", tensorflow=Path(data).is_dir())
    return with_model(module.inspect(data, validation, columns), columns)


def hints(inspection: Any) -> list[str]:
    """What to think of before a training on such data."""
    said: list[str] = load("zoo.data.inspection.remnants", tensorflow=False).remnants(
        inspection.texts
    )
    if not (inspection.task or "").endswith("-classifier"):
        return said
    uneven = [
        f"{share:.0%} of the rows have {label!r:.40} in {name}: look at macro F1 beside the "
        "accuracy, and try --class-weight balanced"
        for name, (label, share) in inspection.uneven_labels.items()
    ]
    return [*said, *uneven]


def _lengths(inspection: Any) -> dict[str, int]:
    """Lengths of the texts in tokens of a WordPiece vocabulary trained on them."""
    texts = inspection.texts[:SAMPLE]
    if not texts:
        return {}
    vocabulary = load("zoo.text.wordpiece_vocabulary", tensorflow=False)
    lengths = sorted(vocabulary.token_counts(texts, 8000))
    return {
        "mean": round(sum(lengths) / len(lengths)),
        "95th percentile": lengths[int(0.95 * (len(lengths) - 1))],
        "longest": lengths[-1],
    }


def _command(inspection: Any, fit: Any, tokens: dict[str, int]) -> str:
    """The command that trains a task on a file, with the options that it needs."""
    name = Path(inspection.path).name.split(".")[0].replace("*", "")
    words = ["keras-attn", "train", fit.task, "--data", inspection.path]
    if not inspection.has_validation:
        words += ["--validation", "0.1"]
    for option, value in fit.options.items():
        words += [spelled(option)] if value is True else [spelled(option), str(value)]
    # The default of --max-length is 128, including special tokens; most texts should fit.
    if fit.task in ("text-classifier", "token-tagger") and tokens["95th percentile"] > 120:
        words += ["--max-length", str(min(512, 32 * (tokens["95th percentile"] // 32 + 1)))]
    return shlex.join([*words, "--out", f"runs/{name or 'data'}"])
