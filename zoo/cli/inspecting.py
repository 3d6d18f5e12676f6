"""`inspect`."""

import dataclasses
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, load, show_json, show_table, spelled
from zoo.cli.derived import parameters, takes
from zoo.tasks.options.token_tagger import TaggedColumns

SAMPLE = 20_000  # number of texts from which lengths in tokens are estimated
SHOWN = 5  # maximum number of bad rows to print


@takes("columns", *parameters(TaggedColumns))
def inspect(
    data: Annotated[str, typer.Argument(metavar="FILE", help="A data file, folder or pattern.")],
    validation: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="A validation file: also count its rows that are in the training data.",
        ),
    ] = None,
    columns: dict[str, str] | None = None,
    json: Json = False,
) -> None:
    """Show what is in a data file, and which task fits it.

    Prints the columns as `train` would read them, the numbers of invalid and of duplicate rows,
    text lengths in characters and tokens, and a command that trains on the file.

    [bold]Examples[/bold]

    \b
      keras-attn inspect reviews.csv
      keras-attn inspect train.tsv --validation val.tsv --json
    """
    found = load("zoo.data.inspection").inspect(data, validation, columns or {})
    tokens = _lengths(found)
    if json:
        facts = dataclasses.asdict(found)
        facts.pop("texts")
        show_json({**facts, "tokens": tokens, "command": _command(found, tokens, columns or {})})
        return
    print(found.understood)
    if found.columns:
        rows = (
            [
                each.name,
                each.kind,
                each.distinct,
                each.empty,
                f"{each.characters:.0f}",
                each.longest,
                ", ".join(f"{value} {count}" for value, count in each.values.items()),
            ]
            for each in found.columns
        )
        titles = ("column", "kind", "distinct", "empty", "mean characters", "longest", "values")
        show_table(titles, rows)
    counts = {
        "rows": found.rows,
        "blank lines": found.blank,
        "bad rows": len(found.bad),
        "duplicate rows": found.duplicates,
        "validation rows in the training data": found.overlap,
        **{f"tokens per text, {name}": value for name, value in tokens.items()},
    }
    show_table(("", ""), ([name, value] for name, value in counts.items() if value is not None))
    for each in found.bad[:SHOWN]:
        what = "bad image" if found.task == "image-classifier" else "bad row in line"
        print(f"{what} {each}")
    if found.header is False:
        option = "--source-column" if found.task == "text-to-text" else "--text-column"
        print(
            "the first row was read as data; if it names the columns, give one of the names to "
            f"train, such as {option} NAME"
        )
    if command := _command(found, tokens, columns or {}):
        print(f"\n{found.task} fits these data:\n  {command}")


def _lengths(found: Any) -> dict[str, int]:
    """Lengths of the texts in tokens of a WordPiece vocabulary trained on them."""
    texts = found.texts[:SAMPLE]
    if not texts:
        return {}
    tokenizer = load("zoo.text").train_tokenizer("wordpiece", texts, 8000)
    lengths = sorted(tokenizer.tokenize(texts).row_lengths().numpy().tolist())
    return {
        "mean": round(sum(lengths) / len(lengths)),
        "95th percentile": lengths[int(0.95 * (len(lengths) - 1))],
        "longest": lengths[-1],
    }


def _command(found: Any, tokens: dict[str, int], columns: dict[str, str]) -> str | None:
    if found.task is None:
        return None
    name = Path(found.path).name.split(".")[0].replace("*", "")
    words = ["keras-attn", "train", found.task, "--data", found.path]
    words += [word for name, value in columns.items() for word in (spelled(name), value)]
    if not found.has_validation:
        words += ["--validation", "0.1"]
    # The default of --max-length is 128, including special tokens; most texts should fit.
    if found.task in ("text-classifier", "token-tagger") and tokens["95th percentile"] > 120:
        words += ["--max-length", str(min(512, 32 * (tokens["95th percentile"] // 32 + 1)))]
    return shlex.join([*words, "--out", f"runs/{name or 'data'}"])
