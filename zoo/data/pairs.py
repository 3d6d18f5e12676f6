"""Files of text pairs: TSV, CSV and JSON lines."""

import csv
import dataclasses
import json
import os
import pathlib
from collections.abc import Callable, Iterator

from zoo.data.lines import read_lines
from zoo.errors import DataError, UserError


@dataclasses.dataclass(frozen=True)
class Pairs:
    """The pairs of a file, in its order, and what was left out.

    Args:
        path: the file.
        sources: the texts to read.
        targets: the texts to write.
        blank_lines: how many lines without text were skipped.
    """

    path: str
    sources: list[str]
    targets: list[str]
    blank_lines: int

    def __len__(self) -> int:
        return len(self.sources)

    def __str__(self) -> str:
        skipped = f", {self.blank_lines} blank lines skipped" if self.blank_lines else ""
        return f"{self.path}: {len(self)} pairs{skipped}"


def read_pairs(path: str | os.PathLike) -> Pairs:
    """Reads a UTF-8 file of text pairs; its name tells the format.

    `.tsv`: source, tab, target on each line; quotation marks mean nothing.
    `.csv`: two columns, quoted where need be, with a header `source,target` or without; with one,
    other columns may stand beside them.
    `.jsonl`: an object with the texts "source" and "target" on each line.

    Lines without text are skipped and counted; a byte order mark is ignored.

    Args:
        path: the file.

    Returns:
        The pairs.

    Raises:
        DataError: at the first row that is not a pair, or not UTF-8.
        UserError: if the file is missing, of another format, or holds no pair.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "train.tsv").write_text("a red hat\\tein roter Hut\\n")
        >>> read_pairs(folder / "train.tsv").targets
        ['ein roter Hut']
    """
    path = pathlib.Path(path)
    parse = _FORMATS.get(path.suffix.lower())
    if parse is None:
        raise UserError(f"{path}: pairs are read from files named {', '.join(_FORMATS)}")
    lines = list(read_lines(path))
    blank = 0
    sources, targets = [], []
    for number, cells in parse(path, lines):
        if not cells:
            blank += 1
            continue
        for name, text in zip(("source", "target"), cells, strict=True):
            if not text.strip():
                raise DataError(path, number, f"the {name} is empty")
        sources.append(cells[0])
        targets.append(cells[1])
    if not sources:
        raise UserError(f"{path} holds no pairs")
    return Pairs(str(path), sources, targets, blank)


# A format turns lines into (line number, cells): two cells, or none for a blank line.
Rows = Iterator[tuple[int, list[str]]]


def _two(path: pathlib.Path, number: int, cells: list[str]) -> list[str]:
    if len(cells) != 2:
        raise DataError(path, number, f"expected 2 columns, found {len(cells)}")
    return cells


def _tsv(path: pathlib.Path, lines: list[str]) -> Rows:
    for number, line in enumerate(lines, 1):
        cells = line.rstrip("\r\n").split("\t")
        yield number, _two(path, number, cells) if line.strip() else []


def _csv(path: pathlib.Path, lines: list[str]) -> Rows:
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None  # empty: there is none
    number = 1
    try:
        for cells in reader:
            names = [cell.strip().lower() for cell in cells]
            if not any(names) and len(cells) < 2:
                yield number, []
            elif header is None and {"source", "target"} <= set(names):
                header = names
            elif not header:
                header = []
                yield number, _two(path, number, cells)
            elif len(cells) != len(header):
                reason = f"expected {len(header)} columns, found {len(cells)}"
                raise DataError(path, number, reason)
            else:
                yield number, [cells[header.index("source")], cells[header.index("target")]]
            number = reader.line_num + 1  # a quoted cell may hold newlines
    except csv.Error as error:
        raise DataError(path, number, str(error)) from None


def _jsonl(path: pathlib.Path, lines: list[str]) -> Rows:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield number, []
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(path, number, f"not JSON: {error}") from None
        if not isinstance(row, dict):
            raise DataError(path, number, 'expected an object with "source" and "target"')
        for name in ("source", "target"):
            if not isinstance(row.get(name), str):
                raise DataError(path, number, f'expected a text as "{name}"')
        yield number, [row["source"], row["target"]]


_FORMATS: dict[str, Callable[[pathlib.Path, list[str]], Rows]] = {
    ".tsv": _tsv,
    ".csv": _csv,
    ".jsonl": _jsonl,
}
