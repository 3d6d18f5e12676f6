"""The commands `report` and `demo`."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from zoo.cli.column_options import COLUMNS, with_columns
from zoo.cli.console import CheckDigests, Json, arguments, given, load, show_json
from zoo.cli.derived import takes
from zoo.cli.opened_models import is_address, is_artifact, open_model
from zoo.cli.stopping import ending_on_sigterm
from zoo.cli.tasks import FILE, FILES, files
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.report.about import Artifact
    from zoo.tasks.task import Task


@takes("columns", *COLUMNS)
def report(
    run: Annotated[
        Path,
        Argument(
            metavar="RUN_OR_ARTIFACT",
            help="A run folder; an artifact that `export` wrote; or the address of a model that "
            "`serve` has.",
        ),
    ],
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="File to write. Default: report.html in the run folder; of an "
            "artifact, NAME.report.html here.",
        ),
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
    watch: Annotated[
        bool,
        Option(
            "--watch",
            help="Follow a training that runs, or has yet to begin: a page with curves, the time "
            "left and sample answers, NAME.watch.html beside the run folder unless there is --out, "
            "which is written again until the training ends.",
            show_default=False,
        ),
    ] = False,
    columns: dict[str, Any] | None = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Write an HTML report of a run: training curves, metrics, predictions and attention maps.

    Of an artifact, or a model at an address, it has what that can tell, and says what is left out.

    [bold]Examples[/bold]

    \b
      keras-attn report runs/en-de
      keras-attn report runs/en-de --data test.tsv --artifact served/en-de
      keras-attn report reviews.tflite --data test.tsv
      keras-attn report http://localhost:8501/v1/models/reviews --data test.tsv
      keras-attn report runs/en-de --watch
    """
    if watch:
        _watch(run, out, json, data or artifact or columns)
        return
    manifests, about = list(artifact or []), None
    with arguments():
        if is_artifact(run):
            task, about = _opened(run)
            out = out or Path(f"{page_name(run)}.report.html")
            manifests[:0] = [] if is_address(run) else [run]
        else:
            task = load("zoo").load(run, check_digests)
        task.settings = with_columns(task, columns or {})
        shown = files(task.name, data) if data else None
        page = load("zoo.report").report(task, out, shown, manifests, about=about)
    if json:
        show_json({"report": str(page)})
    else:
        print(page)


def _watch(run: Path, out: Path | None, json: bool, others: object) -> None:
    """Writes the page of a training until it ends, on the processor alone."""
    if others:
        raise UserError("--watch takes the validation data of the run: leave out other options")
    if is_address(run) or run.is_file():
        raise UserError(f"{run} is not a run folder: --watch follows a training")
    # The training may need all of the memory of a GPU.
    os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}
    say = partial(print, flush=True)
    with arguments(), ending_on_sigterm():
        page = load("zoo.report").watch(run, out, say=None if json else say)
    if json:
        show_json({"report": str(page)})


def _opened(source: Path) -> "tuple[Task, Artifact]":
    """The task of an artifact or an address, and what it says of itself."""
    load("zoo")  # names the packages that are missing
    from zoo.report.about import Artifact
    from zoo.tasks.artifact_task import artifact_task

    model = open_model(source)
    return artifact_task(model), Artifact(model)


def page_name(source: Path) -> str:
    """The name of the page of an artifact: that of a version has the name of its folder.

    Example:
        >>> page_name(Path("served/films/3")), page_name(Path("films.tflite"))
        ('films-3', 'films.tflite')
    """
    name = source.resolve().name
    return f"{source.resolve().parent.name}-{name}" if name.isdigit() else name


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
