"""Files with a series in each row and its label beside it, as archives of series have them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

import numpy as np

from zoo.data.readers.files import Paths, format_of, is_path, paths_of, read_lines
from zoo.data.readers.numbers import is_missing
from zoo.data.readers.profile import is_number
from zoo.data.readers.table import Table
from zoo.data.readers.tables import open_table
from zoo.data.series.read import as_series
from zoo.data.series.rows import trimmed
from zoo.data.series.series import Series
from zoo.data.series.value_columns import numbers_of
from zoo.errors import DataError, UserError

TS = ".ts"
TABLES = (".tsv", ".csv", ".tab")
FEWEST = 8  # columns of a table with a series in each row
DATA, CLASS, TARGET, STAMPS = "@data", "@classlabel", "@targetlabel", "@timestamps"


@dataclass(frozen=True)
class Archive:
    """The series of files, and the answer of each.

    Args:
        series: The series.
        answers: The label or the value of each, as it is written; empty without any.
        has_values: Whether the answers are values.
    """

    series: list[Series]
    answers: list[str]
    has_values: bool = False


def is_archive(data: object, labeled: bool = True) -> TypeGuard[Paths]:
    """Whether data are `.ts` files, or tables without a header and with a series in each row.

    In such a table all cells are numbers, most of them with decimals; the first or the last column
    has whole numbers, a few of which repeat: the labels.

    Args:
        data: Any data.
        labeled: Whether a table has to have labels.

    Example:
        >>> path = getfixture("tmp_path") / "a.tsv"
        >>> row = "\\t".join(["0.5"] * 9)
        >>> _ = path.write_text(f"1\\t{row}\\n2\\t{row}\\n" * 3)
        >>> is_archive(path)
        True
    """
    if not is_path(data):
        return False
    return all(_is_archive(file, labeled) for file in paths_of(data))


def _is_archive(file: Path, labeled: bool) -> bool:
    if format_of(file) == TS:
        return True
    if format_of(file) not in TABLES or not file.is_file():
        return False
    try:
        reader = open_table(file, "series")
    except UserError:  # which the reader of the table says, with its encoding
        return False
    if reader.header or len(reader.names) < FEWEST or not len(reader.sample):
        return False
    columns = [reader.sample.texts(index) for index in range(len(reader.names))]
    if not all(map(_are_numbers, columns)):
        return False
    return not labeled or _label_column(reader.sample) is not None


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(is_number(cell) or is_missing(cell) for cell in cells)


def _label_column(sample: Table) -> int | None:
    """The column of labels: the first, or else the last."""
    last = len(sample.names) - 1
    others = [cell for index in (1, 2, last - 1) for cell in sample.texts(index)]
    if sum("." in cell or "e" in cell for cell in others) < len(others) / 2:
        return None
    return next((index for index in (0, last) if _are_labels(sample.texts(index))), None)


def _are_labels(cells: Sequence[str]) -> bool:
    whole = all(is_number(cell) and float(cell).is_integer() for cell in cells)
    return whole and len({*map(float, cells)}) <= max(1, len(cells) // 2)


def read_archive(data: Paths) -> Archive:
    """The series of files for which `is_archive` is true.

    Raises:
        DataError: If a row is invalid.
        UserError: If a file is missing, or only some files have labels.
    """
    files = paths_of(data)
    read = [_read_ts(file) if format_of(file) == TS else _read_table(file) for file in files]
    if len({(bool(each.answers), each.has_values) for each in read}) > 1:
        raise UserError(f"{data}: only some of the files have labels")
    series = [each for archive in read for each in archive.series]
    series = [replace(each, name=str(number)) for number, each in enumerate(series, 1)]
    answers = [each for archive in read for each in archive.answers]
    return Archive(series, answers, read[0].has_values)


def _read_table(file: Path) -> Archive:
    table, _ = open_table(file, "series").read().without_bad(skip=False)
    label = _label_column(table)
    labels = [] if label is None else [f"{float(cell):.0f}" for cell in table.texts(label)]
    bad: dict[int, str] = {}
    values = [each for each in range(len(table.names)) if each != label]
    columns = [numbers_of(f"column {x + 1}", table.data.column(x), bad) for x in values]
    if bad:
        row = min(bad)
        raise DataError(table.path, int(table.lines[row]), bad[row])
    lines = table.lines.tolist()
    rows = zip(lines, np.array(columns).T, strict=True)
    series = [_series(file, line, own[:, None]) for line, own in rows]
    return Archive(series, labels)


def _read_ts(file: Path) -> Archive:
    """The series of a `.ts` file of sktime and aeon, whose values have no times."""
    facts: dict[str, str] = {}
    lines = iter(enumerate(read_lines(file), 1))
    for number, line in lines:
        word, _, rest = line.strip().partition(" ")
        if word.lower() == DATA:
            break
        if line.strip() and not line.startswith(("#", "@")):
            raise DataError(file, number, f"expected {DATA} before the series")
        facts[word.lower()] = rest.strip().lower()
    if facts.get(STAMPS, "false").startswith("true"):
        raise UserError(f"{file} has a time for each value: write values at regular times")
    has_values = facts.get(TARGET, "false").startswith("true")
    has_answers = has_values or facts.get(CLASS, "false").startswith("true")
    series, answers = [], []
    for number, line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.strip().split(":")
        if has_answers:
            answers.append(parts.pop().strip())
        columns = [[*_values(file, number, part)] for part in parts]
        if len({*map(len, columns)}) != 1:
            raise DataError(file, number, "the dimensions of a series must be equally long")
        series.append(_series(file, number, np.array(columns).T))
    return Archive(series, answers, has_values)


def _values(file: Path, line: int, part: str) -> Iterator[float]:
    for cell in map(str.strip, part.split(",")):
        if is_missing(cell):
            yield math.nan
        elif is_number(cell) and math.isfinite(float(cell)):
            yield float(cell)
        else:
            raise DataError(file, line, f"expected a finite number, got {cell!r:.40}")


def _series(file: Path, line: int, values: np.ndarray) -> Series:
    return trimmed(as_series(values, f"{file}: series of line {line}"))
