"""Options that name the columns of tables."""

from dataclasses import dataclass, replace
from typing import TypeVar

from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.options import option

DATA = "Data"


def column(what: str) -> str | None:
    """An option that names a column."""
    return option(
        None,
        f"Column of the {what}: its name, or its number in a file without a header. Default: "
        "detected by its name or contents.",
        group=DATA,
    )


def value_column() -> str | None:
    """An option that names the columns of values."""
    return option(
        None,
        "Column of the values, or several with commas between. Default: the one with a usual name, "
        "or else the only one of numbers.",
        group=DATA,
    )


def text_encoding() -> str | None:
    """An option for the encoding of text files."""
    return option(
        None,
        "Encoding of texts without a byte order mark, such as cp1252, shift_jis or utf-16. "
        "Default: utf-8.",
        group=DATA,
    )


@dataclass(kw_only=True)
class TableOptions:
    """How tables are read."""

    encoding: str | None = text_encoding()
    skip_bad_rows: bool = option(
        False, "Skip invalid rows, images or recordings, and log how many there were.", group=DATA
    )


@dataclass(kw_only=True)
class TextColumn:
    """The column of tables of texts."""

    text_column: str | None = column("texts")


@dataclass(kw_only=True)
class LabeledColumns:
    """The further columns of tables of labeled texts."""

    second_column: str | None = column("second texts of pairs")
    label_column: str | None = column("labels")


@dataclass(kw_only=True)
class WeightColumn:
    """The column of the weights of rows."""

    weight_column: str | None = option(
        None,
        "Column of the weights of rows in the loss, numbers of at least 0, which validation data "
        "must have, too. Default: all rows weigh the same.",
        group=DATA,
    )


W = TypeVar("W", bound=WeightColumn)


def without_weights(settings: W) -> W:
    """The settings without the column of weights, which data to evaluate need not have."""
    return replace(settings, weight_column=None)


def refuse_weights(settings: WeightColumn) -> None:
    """Raises a `UserError` if a column of weights is given, since inputs have several labels."""
    if settings.weight_column is not None:
        raise UserError(
            f"{option_name('weight_column')} is for inputs with one label each, not for several"
        )


@dataclass(kw_only=True)
class PairColumns:
    """The columns of tables of sources and targets."""

    source_column: str | None = column("sources")
    target_column: str | None = column("targets")


@dataclass(kw_only=True)
class ScoreColumn:
    """The column of the scores of pairs of texts."""

    score_column: str | None = column("similarity scores, which only evaluation reads")


@dataclass(kw_only=True)
class PassageColumns:
    """The columns of tables of queries and passages."""

    query_column: str | None = column("queries")
    passage_column: str | None = column("passages that answer the queries, or have scores")
    negative_column: str | None = column("passages that do not answer the queries")
    query_id_column: str | None = column(
        "ids of queries; passages of the same id, or else of the same query, are ranked together"
    )
    score_column: str | None = column("scores")
