"""Tables of forecasts, by the command `predict`: a row for each next step of each target."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.table_writing import FILES
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.tasks.cells import PREDICTION

if TYPE_CHECKING:
    import pyarrow as pa

    from zoo.cli.artifact_predictions import Predictions

SERIES, TIME, TARGET = "series", "time", "target"
MEDIAN = 0.5


@dataclass(frozen=True)
class Step:
    """The forecast of one target at one time.

    Args:
        file: The path of the table.
        series: Name of the series.
        time: The time.
        target: Name of the target.
        quantiles: The quantiles by their levels, as text.
    """

    file: str
    series: str
    time: str
    target: str
    quantiles: Mapping[str, float]


def write_forecasts(
    paths: Sequence[str], model: "Predictions", options: Mapping[str, Any], out: Path
) -> None:
    """Writes the forecasts of the series of some tables.

    Args:
        paths: The paths of the tables.
        model: What forecasts.
        options: Its options.
        out: The file, whose suffix is the format; it is replaced once all is forecast.

    Raises:
        UserError: If the file is one of the tables, or cannot be written.
    """
    from zoo.data.table_writer import check_format, writing_table

    check_format(out)
    if out.exists() and any(Path(path).exists() and out.samefile(path) for path in paths):
        raise UserError(f"{out} is the table to read: name another file with {option_name('out')}")
    steps = [step for row in model(paths, options) for step in _steps(row, model.targets)]
    if not steps:
        raise UserError("there are no tables to forecast: give their paths")
    table = forecast_table(steps)
    with writing_table(out) as writer:
        writer.write(table)
    told = f"{out}: {counted(len(steps), 'rows')}; {_explained([*steps[0].quantiles])}"
    print(told, file=sys.stderr)


def _explained(levels: Sequence[str]) -> str:
    """What the columns of quantiles are.

    Example:
        >>> _explained(["0.1", "0.5", "0.9"])
        'the columns 0.1 to 0.9 are quantiles, of which 0.5 is the median'
    """
    middle = min(levels, key=lambda level: abs(float(level) - MEDIAN))
    named = "the median" if float(middle) == MEDIAN else "nearest to the median"
    if len(levels) == 1:
        return f"the column {middle} is a quantile, {named}"
    return f"the columns {levels[0]} to {levels[-1]} are quantiles, of which {middle} is {named}"


def forecast_table(steps: Sequence[Step]) -> "pa.Table":
    """A table with the columns `time`, `target` and one for each quantile, named by its level.

    Before them is `series` if there are several, and `file_name` if there are several files.
    """
    import pyarrow as pa

    columns: dict[str, list[str] | list[float]] = {}
    if len({step.file for step in steps}) > 1:
        columns[FILES] = [step.file for step in steps]
    if len({(step.file, step.series) for step in steps}) > 1:
        columns[SERIES] = [step.series for step in steps]
    columns |= {TIME: [step.time for step in steps], TARGET: [step.target for step in steps]}
    columns |= {level: [step.quantiles[level] for step in steps] for level in steps[0].quantiles}
    return pa.table(columns)


def _steps(row: Mapping[str, Any], targets: Sequence[str]) -> Iterator[Step]:
    """The steps of one table, as `predict` prints it: by series, time and, if several, target."""
    for series, by_time in row[PREDICTION].items():
        for time, own in by_time.items():
            by_target = own if len(targets) > 1 else {targets[0]: own}
            for target, quantiles in by_target.items():
                yield Step(row["text"], series, time, target, quantiles)
