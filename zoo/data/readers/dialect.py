"""The dialect of a delimited text file: its delimiter, and how it quotes."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from zoo.data.readers.boxed import boxed_cells, is_boxed
from zoo.data.readers.rare_delimiters import rare_delimiter

DELIMITERS = ",;\t|"  # of files that end in .csv, the most usual first
EXCEL = re.compile(r'"?sep=(\\t|.)"?\r?\n?', re.IGNORECASE)  # a first line that Excel writes
MALFORMED = 3  # number of rows from which quotes are not quoting
ESCAPED = re.compile(r"""\\(["'\\\n])""")
SINGLE = "'"


class Quoting(Enum):
    """How cells are quoted: with doubled quotes inside, with a backslash before them, or never."""

    DOUBLED = "doubled"
    ESCAPED = "escaped"
    NONE = "none"


class Dialect(NamedTuple):
    """A delimiter, how cells are quoted, the number of lines before the table, whether spaces
    precede quoted cells, the quote, and whether the table is drawn with lines."""

    delimiter: str = ","
    quoting: Quoting = Quoting.DOUBLED
    skip: int = 0
    spaced: bool = False
    quote: str = '"'
    boxed: bool = False

    def rows(self, lines: Iterable[str], strict: bool = False) -> Iterator[list[str]]:
        """The cells of the rows of quoted text.

        Raises:
            csv.Error: If a row is too long or, if strict, text follows a closing quote. The next
                row can still be read.
        """
        return csv.reader(
            self.unescaped(lines),
            delimiter=self.delimiter,
            quotechar=self.quote,
            skipinitialspace=self.spaced,
            strict=strict,
        )

    def unescaped(self, lines: Iterable[str]) -> Iterable[str]:
        """The lines with doubled quotes instead of escaped ones."""
        if self.quoting is not Quoting.ESCAPED:
            return lines
        return (ESCAPED.sub(self._doubled, line) for line in lines)

    def _doubled(self, escaped: re.Match[str]) -> str:
        if escaped[1] in "\"'":
            return escaped[1] * (1 + (escaped[1] == self.quote))
        return escaped[1]

    def cells(self, line: str) -> list[str]:
        """The cells of a line without quoting."""
        if self.boxed:
            return boxed_cells(line)
        return line.rstrip("\r\n").split(self.delimiter)


def csv_dialect(sample: str, whole: bool = True) -> Dialect:
    """The dialect of a `.csv` file.

    The delimiter is the one that splits most rows into the same number of cells, two or more. A
    space beside it counts against it, as beside the commas of a text. Excel's first line, `sep=;`,
    decides it.

    Args:
        sample: The beginning of the file.
        whole: Whether this is the whole file; otherwise its last row may be incomplete.

    Example:
        >>> csv_dialect('"a film, lovely";pos\\n"dull, slow, long";neg\\n').delimiter
        ';'
    """
    if is_boxed(sample.split("\n")):
        return Dialect("|", Quoting.NONE, boxed=True)
    delimiters, skip = DELIMITERS, 0
    if named := EXCEL.match(sample):
        delimiters, skip = named[1].replace("\\t", "\t"), 1
        sample = sample[named.end() :]
    best, most = Dialect(delimiters[0], skip=skip), 0.0
    for delimiter in delimiters:
        fewest = len(sample)
        for quoting in Quoting:
            if not fewest or (quoting is Quoting.NONE and fewest < MALFORMED):
                break  # quotes are quoting
            dialect = Dialect(delimiter, quoting, skip)
            fit, malformed = _fit(sample, dialect, whole)
            fewest = min(fewest, malformed)
            if fit > most:
                best, most = dialect, fit
    if (single := _single_quoted(sample, delimiters, skip, whole)) is not None:
        return single
    if (rare := rare_delimiter(sample, whole)) and not _is_even(sample, best, whole):
        return Dialect(rare, Quoting.DOUBLED if len(rare) == 1 else Quoting.NONE, skip)
    spaced = best._replace(spaced=True)
    if _has_spaced_quotes(sample, best, whole) and _fit(sample, spaced, whole)[0] >= most:
        return spaced
    return best


def _is_even(sample: str, dialect: Dialect, whole: bool) -> bool:
    """Whether all rows have the same number of cells, two or more."""
    widths = {len(row) for row in _parsed(sample, dialect, whole)[0]}
    return len(widths) == 1 and widths != {1}


def _single_quoted(sample: str, delimiters: str, skip: int, whole: bool) -> Dialect | None:
    """The dialect if cells are quoted with single quotes; None otherwise.

    They are if nearly each row has a cell in such quotes, and no row one in double quotes.
    """
    for delimiter in delimiters if SINGLE in sample else "":
        edge = re.escape(delimiter)
        if re.search(rf'(?:^|{edge})\s?"', sample, re.MULTILINE):
            continue
        if len(re.findall(rf"(?:^|{edge})\s?'", sample, re.MULTILINE)) < sample.count("\n") / 2:
            continue
        cell = re.compile(rf"(?:^|{edge})\s?'(?:[^'\\]|''|\\.)*'\s?(?:{edge}|\r?$)", re.MULTILINE)
        quoting = Quoting.ESCAPED if "\\'" in sample else Quoting.DOUBLED
        dialect = Dialect(delimiter, quoting, skip, quote=SINGLE)
        rows, raws, malformed = _parsed(sample, dialect, whole)
        quoted = sum(bool(cell.search(raw)) for raw in raws)
        alike = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
        if alike and not malformed and quoted >= max(2, 0.9 * len(rows)):
            spaced = any(x.startswith(" '") for row in rows for x in row)
            return dialect._replace(spaced=spaced)
    return None


def _has_spaced_quotes(sample: str, dialect: Dialect, whole: bool) -> bool:
    """Whether some cells begin with a space and a quote, so that the quote is read as text."""
    if dialect.quoting is Quoting.NONE or f'{dialect.delimiter} "' not in sample:
        return False
    cells = (cell for row in _parsed(sample, dialect, whole)[0] for cell in row)
    return any(cell.startswith(" ") and cell.lstrip().startswith('"') for cell in cells)


def tsv_dialect(sample: str, whole: bool = True) -> Dialect:
    r"""The dialect of a `.tsv` file, in which quotes are text unless they must be quoting.

    They must be if each quoted cell has a tab, a line break or a quote inside, as programs write it
    that quote where they have to, or if all cells of a column are quoted.

    Args:
        sample: The beginning of the file.
        whole: Whether this is the whole file; otherwise its last row may be incomplete.

    Example:
        >>> tsv_dialect('"Hello!"\thi\n"a" or "b"\tc\n').quoting.value
        'none'
        >>> tsv_dialect('"a ""fine"" film"\tpos\ndull\tneg\n').quoting.value
        'doubled'
    """
    plain = Dialect("\t", Quoting.NONE)
    if '"' not in sample:
        return plain
    for quoting in (Quoting.DOUBLED, Quoting.ESCAPED):
        dialect = plain._replace(quoting=quoting)
        rows, raws, malformed = _parsed(sample, dialect, whole)
        if not malformed and len(set(map(len, rows))) == 1 and _must_quote(raws, plain):
            return dialect
    return plain


def _must_quote(raws: Sequence[str], plain: Dialect) -> bool:
    """Whether the quotes at the ends of the cells of these rows can only be quoting."""
    rows = [plain.cells(raw) for raw in raws]
    quoted = [[cell for cell in row if _is_quoted(cell)] for row in rows]
    if all(len(cell) > 2 and re.search(r'["\n\r]', cell[1:-1]) for row in quoted for cell in row):
        return True
    columns = zip(*rows, strict=False)
    return len(rows) > 1 and any(all(map(_is_quoted, column)) for column in columns)


def _is_quoted(cell: str) -> bool:
    return len(cell) > 1 and cell.startswith('"') and cell.endswith('"')


def _parsed(sample: str, dialect: Dialect, whole: bool) -> tuple[list[list[str]], list[str], int]:
    """The rows of a sample that are not blank, their text, and the number of malformed rows."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$", sample)
    rows, raws, malformed, start = [], [], 0, 0
    if dialect.quoting is Quoting.NONE:
        rows, raws = [dialect.cells(line) for line in lines], lines
    else:
        reader = csv.reader(
            dialect.unescaped(lines),
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            skipinitialspace=dialect.spaced,
            strict=True,
        )
        while True:
            try:
                rows.append(next(reader))
                raws.append("".join(lines[start : reader.line_num]))
            except StopIteration:
                break
            except csv.Error:
                malformed += 1
            start = reader.line_num
    if not whole:  # the end of the sample may be inside of a row
        rows, malformed = rows[:-1], malformed - bool(malformed)
    kept = [(row, raw) for row, raw in zip(rows, raws, strict=False) if any(map(str.strip, row))]
    return [row for row, _ in kept], [raw for _, raw in kept], malformed


def _fit(sample: str, dialect: Dialect, whole: bool) -> tuple[float, int]:
    """How well a dialect fits, from 0 to 1, and the number of malformed rows."""
    rows, _, malformed = _parsed(sample, dialect, whole)
    widths = Counter(len(row) for row in rows)
    if not rows or (width := widths.most_common(1)[0][0]) < 2:
        return 0.0, malformed
    fit = widths[width] / (len(rows) + malformed)
    pairs = [pair for row in rows for pair in zip(row, row[1:], strict=False)]  # of neighbors
    fit *= 1 - 0.5 * sum(x[-1:].isspace() or y[:1].isspace() for x, y in pairs) / len(pairs)
    if dialect.delimiter == ",":  # between digits it may be a decimal comma
        fit *= 1 - 0.01 * sum(x[-1:].isdigit() and y[:1].isdigit() for x, y in pairs) / len(pairs)
    if dialect.quoting is Quoting.NONE:  # quotes at the ends of cells are evidence of quoting
        quoted = sum(cell.startswith('"') or cell.endswith('"') for row in rows for cell in row)
        fit *= 0.95 * (1 - quoted / sum(map(len, rows)))
    return fit, malformed
