"""The command `evaluate`."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from zoo.cli.column_options import COLUMNS, with_columns
from zoo.cli.console import CheckDigests, Json, arguments, load, show_json, show_table
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.generation_options import check_generation
from zoo.cli.opened_models import is_artifact, open_task
from zoo.cli.tasks import FILE, FILES, Ensemble, Head, files, with_ensemble
from zoo.decoding.options import TranslationOptions
from zoo.errors import UserError
from zoo.tasks.comparison import spelled_interval
from zoo.tasks.folder import write_metrics
from zoo.tasks.options.series_forecaster import ForecastOptions

if TYPE_CHECKING:
    from zoo.metrics.resampling import Difference
    from zoo.tasks.task import Task

SEARCH = ("beams", "length_penalty", "early_stopping", "replace_unknown")


@takes("columns", *COLUMNS)
@takes("generation", *parameters(TranslationOptions, SEARCH))
@takes("forecast", *parameters(ForecastOptions, ["steps"]))
def evaluate(
    run: Annotated[
        Path,
        Argument(
            metavar="RUN_OR_ARTIFACT",
            help="A run folder; an artifact that `export` wrote; or the address of a model that "
            "`serve` has, such as http://localhost:8501/v1/models/NAME.",
        ),
    ],
    data: Annotated[
        list[str],
        Option(metavar=FILE, help=f"Test data, in the same format as training data. {FILES}"),
    ],
    generation: dict[str, Any],
    columns: dict[str, Any],
    forecast: dict[str, Any],
    metrics: Annotated[
        str | None,
        Option(
            metavar="NAMES",
            help="Metrics with commas between, each of which gets its 95 % interval. Default: "
            "those of the task, of which the main one gets an interval.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        Option(
            metavar="OTHER_RUN",
            help="Print the metrics of this run, too, and whether the runs differ by chance: the "
            "difference, its 95 % interval, and p by a paired bootstrap test.",
        ),
    ] = None,
    ensemble: Ensemble = None,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Compute the metrics of a run on a test file.

    The metrics are also saved to metrics.json in the run folder, which `report` reads; metrics on
    training data do not replace others. Columns are those of the training data, unless an option
    names others. An artifact, or a model at an address, is evaluated as its run is, without
    baselines.

    [bold]Examples[/bold]

    \b
      keras-attn evaluate runs/en-de --data test.tsv
      keras-attn evaluate runs/en-de --data test.tsv --beams 4 --json
      keras-attn evaluate runs/en-de --ensemble runs/en-de-2 --data test.tsv
      keras-attn evaluate runs/reviews --data test.tsv --metrics accuracy,roc_auc,log_loss
      keras-attn evaluate runs/reviews --data test.tsv --compare runs/reviews-bert
      keras-attn evaluate reviews.tflite --data test.tsv
      keras-attn evaluate http://localhost:8501/v1/models/reviews --data test.tsv
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
      keras-attn evaluate runs/glue --head cola --data cola.dev.tsv --metrics accuracy,matthews
    """
    generation = parsed(TranslationOptions, generation) | parsed(ForecastOptions, forecast)
    task = _task(run, head, check_digests)
    if ensemble and is_artifact(run):
        raise UserError("--ensemble needs run folders, not an artifact")
    task = with_ensemble(task, ensemble, check_digests)
    check_generation(task, generation)
    task.settings = with_columns(task, columns)
    if compare is not None:
        other = _task(compare, head, check_digests)
        check_generation(other, generation)
        other.settings = with_columns(other, columns)
        with arguments():
            test, names = files(task.name, data), listed(metrics)
            differences = task.compare_with(other, test, metrics=names, **generation)
        show_differences(differences, run, compare, json)
        return
    with arguments():
        test = files(task.name, data)
        comparison = task.compare(test, metrics=listed(metrics), **generation)
    if json:
        spans = {"intervals": comparison.intervals} if comparison.intervals else {}
        show_json({**comparison.metrics, **spans})
    else:
        show_table(*comparison.table())
        from zoo.tasks.self_check import against_baselines, off_aims

        for sentence in (*against_baselines(comparison), *off_aims(comparison)):
            print(sentence)
    # The metrics of a run are those of all its tasks, and of itself alone.
    if head is not None or ensemble or is_artifact(run):
        return
    with suppress(OSError):  # the run folder may be read-only
        write_metrics(run, task.metrics, task.evaluated_on)


def _task(source: Path, head: str | None, check_digests: bool) -> "Task":
    """The task of a run, an artifact or an address; of a multi-task run, one if `head` names it."""
    if head is not None or is_artifact(source):
        return open_task(source, head, check_digests)
    return load("zoo").load(source, check_digests)


def listed(names: str | None) -> list[str] | None:
    """The names of an option, with commas between."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def show_differences(measured: "dict[str, Difference]", run: Path, other: Path, json: bool) -> None:
    """Prints the metrics of two runs."""
    if json:
        show_json(
            {
                name: {**asdict(each), "difference": each.difference}
                for name, each in measured.items()
            }
        )
        return
    rows = [
        [name, each.value, each.other, each.difference, spelled_interval(each.interval), each.p]
        for name, each in measured.items()
    ]
    show_table(["metric", run.name, other.name, "difference", "95 % interval", "p"], rows)
    for name, each in [*measured.items()][:1]:
        low, high = each.interval
        by_chance = low <= 0 <= high
        print(f"the difference in {name} {'may be' if by_chance else 'is hardly'} chance")
