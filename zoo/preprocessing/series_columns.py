"""The columns of series: what they are, in words, and whether data have those of the training."""

from collections.abc import Sequence

from zoo.data.series.series import KNOWN, VALUES, SeriesSet
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.preprocessing.static import StaticColumn


def meanings_of(targets: Sequence[str], known: Sequence[str], horizon: int) -> dict[str, str]:
    """What the values and the known covariates of series are, by input.

    Args:
        targets: Names of the targets.
        known: Names of the covariates that are known in the future.
        horizon: Number of steps of a forecast; 0 if series are not forecast.

    Example:
        >>> meanings_of(["sales"], ["holiday"], 2)["values"]
        'the values before the forecast of sales, NaN where missing'
    """
    missing, which = "NaN where missing", "before the forecast " if horizon else ""
    return {
        VALUES: f"the values {which}of {listed(targets)}, {missing}",
        KNOWN: f"the covariates {listed(known)} of the same steps and of the {horizon} steps "
        f"of the forecast, {missing}",
    }


def static_spec(columns: Sequence[StaticColumn]) -> TensorSpec:
    """The tensor of the static covariates of series."""
    shape = BATCH, sum(column.width for column in columns)
    meaning = f"static covariates: {', '.join(_numbered(column) for column in columns)}"
    return TensorSpec(shape, "float32", meaning=meaning)


def check_columns(
    examples: SeriesSet, targets: Sequence[str], known: Sequence[str], static: Sequence[str]
) -> None:
    """Checks that series have the columns of the training data.

    Args:
        examples: The series; columns without a header need only be as many.
        targets: Names of the targets of the training data.
        known: Names of its covariates that are known in the future.
        static: Names of its static covariates.

    Raises:
        UserError: If they have others.
    """
    columns = {
        "targets": (examples.targets, targets),
        "known covariates": (examples.known, known),
        "static covariates": (examples.static, static),
    }
    for what, (given, wanted) in columns.items():
        same = [*given] == [*wanted] if examples.note else len(given) == len(wanted)
        if not same:
            raise UserError(
                f"{examples.path} has the {what} {listed(given) or 'none'}; the training data had "
                f"{listed(wanted) or 'none'}"
            )


def listed(names: Sequence[str]) -> str:
    """Names with commas between them."""
    return ", ".join(names)


def _numbered(column: StaticColumn) -> str:
    if column.categories is None:
        scaled = f"({column.name} - {column.mean:g}) / {column.scale:g}"
        return f"{scaled} and 1, or 0 and 0 if it is missing"
    return f"1 for the {column.name} among {listed(column.categories)}, otherwise 0"
