"""The command `evaluate`."""

from contextlib import suppress
from typing import Annotated, Any

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
from zoo.cli.tasks import FILE, FILES, files
from zoo.decoding.options import GenerationOptions
from zoo.tasks.folder import write_metrics
from zoo.tasks.options.series_forecaster import ForecastOptions
from zoo.tasks.provenance import names_of

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
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
    """
    generation = parsed(GenerationOptions, generation) | parsed(ForecastOptions, forecast)
    task = load("zoo").load(run, check_digests)
    check_generation(task, generation)
    name_columns(task, columns)
    with arguments():
        test = files(task.name, data)
        comparison = task.compare(test, **generation)
    if json:
        show_json(comparison.metrics)
    else:
        show_table(*comparison.table())
    with suppress(OSError):  # the run folder may be read-only
        write_metrics(run, comparison.metrics, names_of(test))
