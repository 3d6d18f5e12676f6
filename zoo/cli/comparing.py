"""The command `compare`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from zoo.cli.column_options import COLUMNS, with_columns
from zoo.cli.console import CheckDigests, Json, arguments, load, show_json, show_table
from zoo.cli.derived import takes
from zoo.cli.evaluating import show_differences
from zoo.cli.opened_models import open_task
from zoo.cli.tasks import FILE, FILES, Head, files

SHOWN = 20  # rows that are printed by default
LONGEST = 80  # characters of a cell
ANY = "A run folder, an artifact that `export` wrote, or the address of a model that `serve` has."


@takes("columns", *COLUMNS)
def compare(
    run: Annotated[Path, Argument(metavar="RUN_A", help=ANY)],
    other: Annotated[Path, Argument(metavar="RUN_B", help=f"The other one. {ANY}")],
    data: Annotated[
        list[str],
        Option(metavar=FILE, help=f"Test data, in the same format as training data. {FILES}"),
    ],
    columns: dict[str, Any],
    rows: Annotated[
        int, Option(min=0, help="How many of the rows whose answers changed are printed.")
    ] = SHOWN,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Compare two models row by row: the answers that changed, and a paired test.

    Prints the metrics of both with their difference, how many rows only one of them gets right with
    the p of McNemar's test, and the rows whose answers changed. With --json, it prints all of them.

    [bold]Examples[/bold]

    \b
      keras-attn compare runs/reviews runs/reviews-bert --data test.tsv
      keras-attn compare runs/reviews reviews-int8.tflite --data test.tsv --rows 100
    """
    load("zoo")
    changes = load("zoo.tasks.changed_answers").changes
    first, second = (open_task(each, head, check_digests) for each in (run, other))
    for task in (first, second):
        task.settings = with_columns(task, columns)
    with arguments():
        comparison = changes(first, second, files(first.name, data))
    if json:
        metrics = {
            k: {**asdict(x), "difference": x.difference} for k, x in comparison.metrics.items()
        }
        show_json({**asdict(comparison), "p": comparison.p, "metrics": metrics})
        return
    show_differences(comparison.metrics, run, other, json=False)
    print(f"\n{len(comparison.changed):,} of {comparison.rows:,} answers changed")
    if comparison.lost or comparison.gained:
        print(
            f"right only in {run.name}: {comparison.lost:,}; "
            f"only in {other.name}: {comparison.gained:,}; "
            f"p {comparison.p:.4g} (McNemar, exact)"
        )
    header = ["row", "input", run.name, other.name, "reference"]
    shown = [
        [x.number, *map(_cut, (x.source, x.answer, x.other, x.reference or ""))]
        for x in comparison.changed[:rows]
    ]
    if shown:
        print()
        show_table(header, shown)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
