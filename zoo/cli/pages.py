"""`report` and `demo`."""

from itertools import islice
from pathlib import Path
from typing import Annotated

from typer import Option

from zoo.cli.console import Json, RunFolder, arguments, given, load, show_json

SHOWN = 18  # pairs of a data file that a report shows


def report(
    run: RunFolder,
    out: Annotated[Path | None, Option(help="Default: report.html in the run folder.")] = None,
    data: Annotated[Path | None, Option(help="Pairs to show the model at work on.")] = None,
    artifact: Annotated[
        list[Path] | None, Option(help="The folder of an exported artifact; may be repeated.")
    ] = None,
    json: Json = False,
) -> None:
    """Write one HTML page about a run: curves, scores, predictions, attention, artifacts.

    [bold]Examples[/bold]

    \b
      keras-attn report runs/en-de
      keras-attn report runs/en-de --data test.tsv --artifact served/en-de
    """
    examples: list[tuple[str, str]] = []
    if data is not None:
        pairs = load("zoo.data.pairs").read_pairs(data)
        examples = list(islice(zip(pairs.sources, pairs.targets, strict=True), SHOWN))
    with arguments():
        page = load("zoo.report").report(run, out, examples, artifact or [])
    if json:
        show_json({"report": str(page)})
    else:
        print(page)


def demo(
    out: Annotated[Path, Option(help="The folder to work in.")] = Path("runs/demo"),
    epochs: Annotated[int | None, Option(min=1, help="How often to go through the dates.")] = None,
) -> None:
    """Teach a small model to read dates in forty languages, export it, and ask both artifacts.

    What an earlier call finished is not done again.

    [bold]Examples[/bold]

    \b
      keras-attn demo
      keras-attn demo --out /tmp/dates
    """
    load("zoo.demo.run").run(out, **given(epochs=epochs))
