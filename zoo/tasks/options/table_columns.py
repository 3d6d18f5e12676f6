"""Options that name the columns of tables."""

from dataclasses import dataclass

from zoo.options import Options, option

DATA = "Data"


def column(what: str) -> str | None:
    """An option that names a column."""
    return option(
        None,
        f"Column of the {what}: its name, or its number in a file without a header. Default: "
        "detected by its name or contents.",
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
class TableOptions(Options):
    """How tables are read."""

    encoding: str | None = text_encoding()
    skip_bad_rows: bool = option(
        False, "Skip invalid rows, and log how many there were.", group=DATA
    )


@dataclass(kw_only=True)
class TextColumn(TableOptions):
    """How tables of texts are read."""

    text_column: str | None = column("texts")


@dataclass(kw_only=True)
class LabeledColumns(TextColumn):
    """How tables of labeled texts are read."""

    second_column: str | None = column("second texts of pairs")
    label_column: str | None = column("labels")


@dataclass(kw_only=True)
class PairColumns(TableOptions):
    """How tables of sources and targets are read."""

    source_column: str | None = column("sources")
    target_column: str | None = column("targets")


@dataclass(kw_only=True)
class ScoredPairColumns(PairColumns):
    """How tables of pairs of texts are read that may have scores."""

    score_column: str | None = column("similarity scores, which only evaluation reads")
