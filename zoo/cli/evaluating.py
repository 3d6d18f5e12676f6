"""The command `evaluate`."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from zoo.cli.column_options import COLUMNS, name_columns
from zoo.cli.console import (
    CheckDigests,
    Json,
    RunFolder,
    arguments,
    load,
    show_json,
    show_table,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.generation_options import check_generation
from zoo.cli.tasks import FILE, FILES, MULTI_TASK, Head, files, one_task
from zoo.decoding.options import GenerationOptions
from zoo.tasks.comparison import spelled_interval
from zoo.tasks.folder import write_metrics
from zoo.tasks.options.series_forecaster import ForecastOptions
from zoo.tasks.provenance import names_of

if TYPE_CHECKING:
    from zoo.metrics.resampling import Difference

SEARCH = ("beams", "length_penalty", "early_stopping")


@takes("columns", *COLUMNS)
@takes("generation", *parameters(GenerationOptions, SEARCH))
@takes("forecast", *parameters(ForecastOptions, ["steps"]))
def evaluate(
    run: RunFolder,
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
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Compute the metrics of a run on a test file.

    The metrics are also saved to metrics.json in the run folder, which `report` reads. Columns are
    those of the training data, unless an option names others.

    [bold]Examples[/bold]

    \b
      keras-attn evaluate runs/en-de --data test.tsv
      keras-attn evaluate runs/en-de --data test.tsv --beams 4 --json
      keras-attn evaluate runs/reviews --data test.tsv --metrics accuracy,roc_auc,log_loss
      keras-attn evaluate runs/reviews --data test.tsv --compare runs/reviews-bert
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
      keras-attn evaluate runs/glue --head cola --data cola.dev.tsv --metrics accuracy,matthews
    """
    generation = parsed(GenerationOptions, generation) | parsed(ForecastOptions, forecast)
    zoo = load("zoo")
    task = zoo.load(run, check_digests) if head is None else one_task(zoo, run, head, check_digests)
    check_generation(task, generation)
    name_columns(task, columns)
    if compare is not None:
        other = zoo.load(compare, check_digests)
        if head is not None and other.name == MULTI_TASK:
            other = other.single_task(head)
        check_generation(other, generation)
        name_columns(other, columns)
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
    if head is not None:  # the metrics of a run are those of all its tasks
        return
    with suppress(OSError):  # the run folder may be read-only
        write_metrics(run, comparison.metrics, names_of(test))


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
