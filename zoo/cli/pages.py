"""The commands `report` and `demo`."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from zoo.cli.column_options import COLUMNS, with_columns
from zoo.cli.console import CheckDigests, Json, RunFolder, arguments, given, load, show_json
from zoo.cli.derived import takes
from zoo.cli.opened_models import is_artifact
from zoo.cli.tasks import FILE, FILES, files
from zoo.errors import UserError


@takes("columns", *COLUMNS)
def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        Option(metavar="FILE", help="File to write. Default: report.html in the run folder."),
    ] = None,
    data: Annotated[
        list[str] | None,
        Option(
            metavar=FILE,
            help=f"Show predictions and attention maps for this file. {FILES}",
        ),
    ] = None,
    artifact: Annotated[
        list[Path] | None,
        Option(metavar="FOLDER", help="Folder of an exported artifact to include. Repeatable."),
    ] = None,
    columns: dict[str, Any] | None = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Write an HTML report of a run: training curves, metrics, predictions and attention maps.

    [bold]Examples[/bold]

    \b
      keras-attn report runs/en-de
      keras-attn report runs/en-de --data test.tsv --artifact served/en-de
    """
    if is_artifact(run):
        raise UserError(
            f"{run} is no run, whose training a report shows: give the run, and an artifact with "
            "--artifact"
        )
    with arguments():
        task = load("zoo").load(run, check_digests)
        task.settings = with_columns(task, columns or {})
        shown = files(task.name, data) if data else None
        page = load("zoo.report").report(task, out, shown, artifact or [])
    if json:
        show_json({"report": str(page)})
    else:
        print(page)


def demo(
    out: Annotated[
        Path, Option(metavar="FOLDER", help="Folder for the run, the data and the artifacts.")
    ] = Path("runs/demo"),
    epochs: Annotated[int | None, Option(min=1, help="Number of epochs.")] = None,
) -> None:
    """Train a model that reads dates in forty languages, export it, and run the artifacts.

    This takes a few minutes. After an interruption, the same command continues where it stopped.

    [bold]Examples[/bold]

    \b
      keras-attn demo
      keras-attn demo --out /tmp/dates
    """
    load("zoo.demo.run").run(out, **given(epochs=epochs))
