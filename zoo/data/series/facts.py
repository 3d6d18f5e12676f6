"""Whether a table has series, and which."""

from collections.abc import Sequence
from pathlib import Path

from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.profile import Profile
from zoo.data.readers.tables import READERS
from zoo.data.series.clock import is_date
from zoo.data.series.header import open_table
from zoo.data.series.tables import is_numeric


def has_series(path: str | Path) -> bool:
    """Whether a file is a table with one column of dates, some of numbers, and none of texts.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.csv").write_text("month,sales\\n2024-01,3\\n2024-02,5\\n")
        >>> has_series(folder / "a.csv")
        True
    """
    first = paths_of(path)[0]
    if first.is_dir() or format_of(first) not in READERS:
        return False
    table = open_table(first)
    kinds = [_kind(column) for column in zip(*table.sample, strict=False)]
    return kinds.count("date") == 1 and "number" in kinds and "text" not in kinds


def _kind(cells: Sequence[str]) -> str:
    there = [cell for cell in cells if cell.strip()]
    if there and all(map(is_date, there)):
        return "date"
    if is_numeric(cells):
        return "number"
    return "text" if Profile.of(cells).is_text else "name"
