"""`report` and `demo`."""

from pathlib import Path
from typing import Annotated

from typer import Option

from zoo.cli.console import Json, RunFolder, arguments, given, load, show_json
from zoo.cli.tasks import files


def report(
    run: RunFolder,
    out: Annotated[
        Path | None, Option(help="File to write. Default: report.html in the run folder.")
    ] = None,
    data: Annotated[
        list[str] | None,
        Option(
            help="Show predictions for this data, in the form that `train` takes; multi-task: "
            "NAME=FILE, repeatable."
        ),
    ] = None,
    artifact: Annotated[
        list[Path] | None, Option(help="Folder of an exported artifact. Repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Write one HTML page about a run: curves, scores, predictions, attention, artifacts.

    [bold]Examples[/bold]

    \b
      keras-attn report runs/en-de
      keras-attn report runs/en-de --data test.tsv --artifact served/en-de
    """
    with arguments():
        task = load("zoo").load(run)
        shown = files(task.name, data) if data else None
        page = load("zoo.report").report(task, out, shown, artifact or [])
    if json:
        show_json({"report": str(page)})
    else:
        print(page)


def demo(
    out: Annotated[Path, Option(help="Folder to work in.")] = Path("runs/demo"),
    epochs: Annotated[int | None, Option(min=1, help="Number of epochs.")] = None,
) -> None:
    """Teach a small model to read dates in forty languages, export it, and ask both artifacts.

    What an earlier call finished is not done again.

    [bold]Examples[/bold]

    \b
      keras-attn demo
      keras-attn demo --out /tmp/dates
    """
    load("zoo.demo.run").run(out, **given(epochs=epochs))
