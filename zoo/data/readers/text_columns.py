"""The texts and labels that a task takes from the columns of tables."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from zoo.data.readers.files import IN_MEMORY
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.numbers import is_value, is_weight, is_written_number
from zoo.data.readers.profile import Profile, is_flag
from zoo.data.readers.role_columns import ENOUGH
from zoo.data.readers.roles import VALUE, Role
from zoo.data.readers.rows import Row
from zoo.data.readers.source import LISTED, DataSource, column_label
from zoo.data.readers.table import Table
from zoo.data_statistics import Statistics, counted
from zoo.errors import DataError, UserError
from zoo.option_names import option_name, option_value

RowCheck = Callable[[Mapping[str, str]], str | None]  # of the cells of a row, by role: a reason
ANSWERS = "answers"  # the kind of cells that only a check of rows understands; they may be empty
# What a cell must be, by the kind of its role.
CELLS = {
    "number": (is_value, "a finite number"),
    "weight": (is_weight, "a finite number of at least 0"),
    "flag": (is_flag, "0 or 1, true or false, yes or no"),
}


@dataclass
class TextColumns:
    """The columns that were read.

    Args:
        path: The name of the data, for messages.
        cells: The cells of the column for each role, without roles that have no column.
        names: For files, the name of the column for each role.
        header: Whether the file has a header.
        blank: Number of blank lines that were skipped.
        bad: Invalid rows, as (path, line, reason).
        lists: The roles whose cells may be lists of texts, in JSON.
        kinds: The kind of each role that is required, which decides what its cells must be.
        check: Function from the cells of a row to the reason why it is invalid, or None.
        unread: The path and line of rows that could not be read; see `Table`.
    """

    path: str
    cells: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    header: bool = False
    blank: int = 0
    bad: list[tuple[str, int, str]] = field(default_factory=list)
    lists: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)
    check: RowCheck | None = None
    unread: set[tuple[str, int]] = field(default_factory=set)

    def __len__(self) -> int:
        return max(map(len, self.cells.values()), default=0)

    @property
    def source(self) -> DataSource:
        """Everything but the cells."""
        skipped = {"blank lines skipped": self.blank, "bad rows skipped": len(self.bad)}
        return DataSource(self.names, self.header, Statistics(skipped))

    def add(self, table: Table, indices: Mapping[str, int]) -> None:
        """Adds the rows of a table, of which `indices` has the column for each role."""
        cells = {role: table.texts(index) for role, index in indices.items()}
        problems = {role: table.problems.get(table.names[i], {}) for role, i in indices.items()}
        lines = table.lines.tolist()
        self.blank += table.blank
        self.unread.update((table.path, line) for line in table.unread)
        self._add(table.path, cells, lines, dict(table.bad), problems)

    def add_rows(self, rows: Iterable[Row], forms: Mapping[int, Sequence[str]]) -> None:
        """Adds rows in memory; `forms` has the roles of their cells by the number of these."""
        bad: dict[int, str] = {}
        valid: list[Row] = []
        for row in rows:
            if row.reason is None and not row.cells:
                self.blank += 1
            elif row.reason is not None:
                bad[row.line] = row.reason
            elif not valid and len(row.cells) not in forms:
                counts = " or ".join(map(str, sorted(forms)))
                reason = f"expected {counts} columns, found {len(row.cells)}"
                raise DataError(IN_MEMORY, row.line, reason)
            elif valid and len(row.cells) != len(valid[0].cells):
                width = counted(len(valid[0].cells), "columns")
                bad[row.line] = f"expected {width}, found {len(row.cells)}"
            else:
                valid.append(row)
        roles = forms[len(valid[0].cells)] if valid else ()
        columns = zip(*(row.cells for row in valid), strict=True)
        cells = {role: list(column) for role, column in zip(roles, columns, strict=True)}
        self._add(IN_MEMORY, cells, [row.line for row in valid], bad, {})

    def _add(
        self,
        path: str,
        cells: Mapping[str, list[str]],
        lines: Sequence[int],
        bad: dict[int, str],
        problems: Mapping[str, Mapping[int, str]],
    ) -> None:
        """Adds cells, and the reasons why rows are invalid, by their line."""
        for role, reasons in problems.items():
            for line, cell in zip(lines, cells[role], strict=True) if reasons else ():
                is_list = role in self.lists and (texts_of(cell) or self._may_be_empty(role, cell))
                if line in reasons and not is_list and self.kinds.get(role) != ANSWERS:
                    bad.setdefault(line, reasons[line])
        for role, column in cells.items():
            if all(column) and not any(map(str.isspace, column)):
                continue
            if self._may_be_empty(role):
                continue
            for line, cell in zip(lines, column, strict=True):
                if not cell.strip():
                    bad.setdefault(line, f"the {role} is empty")
        for role, column in cells.items():
            kind = self.kinds.get(role, "")
            if kind == "number":
                self._check_numbers(path, role, column)
            if kind not in CELLS:
                continue
            is_valid, what = CELLS[kind]
            for line, cell in zip(lines, column, strict=True):
                if not is_valid(cell):
                    bad.setdefault(line, f"the {role} {cell!r:.40} is not {what}")
        if self.check is not None:
            for number, line in enumerate(lines):
                row = {role: column[number] for role, column in cells.items()}
                if line not in bad and (reason := self.check(row)) is not None:
                    bad[line] = reason
        self.bad += [(path, line, bad[line]) for line in sorted(bad)]
        for role, column in cells.items():
            kept = (cell for line, cell in zip(lines, column, strict=True) if line not in bad)
            self.cells.setdefault(role, []).extend(kept if bad else column)

    def _may_be_empty(self, role: str, cell: str = "[]") -> bool:
        """Whether a cell has no labels or answers, in a role whose cells need none."""
        return self.kinds.get(role) in ("labels", ANSWERS) and cell == "[]"

    def _check_numbers(self, path: str, role: str, column: Sequence[str]) -> None:
        """Refuses a column of numbers that begins with many cells without any."""
        if column and not self.cells.get(role) and not any(map(is_written_number, column)):
            raise UserError(
                f"{path}: the {role} has no numbers, but {column[0]!r:.40}: train a "
                f"classifier to predict labels, or name another column with "
                f"{option_name(VALUE.option)}"
            )

    def check_bad(self, skip: bool) -> None:
        """Refuses bad rows, without `skip`: names the first, and counts the others.

        Raises:
            DataError: If there are any.
        """
        if not self.bad or skip:
            return
        unread = (each for each in self.bad if each[:2] in self.unread)
        path, line, reason = next(unread, self.bad[0])
        if path == IN_MEMORY and len(self.bad) == 1:
            raise DataError(path, line, reason)
        if len(self.bad) > 1:
            lines = [str(each[1]) for each in self.bad[:LISTED]]
            more = ["…"] if len(self.bad) > LISTED else []
            reason += f"; {len(self.bad):,} rows are invalid, in lines {', '.join(lines + more)}"
        advice = f"use {option_value('skip_bad_rows', True)} to skip such rows"
        raise DataError(path, line, f"{reason}; {advice}")

    def check_contents(self, roles: Sequence[Role], named: Collection[str] = ()) -> None:
        """Refuses a label column that contains texts, and a target column that contains labels.

        Args:
            roles: The roles.
            named: Those whose column the user named: it may be the targets all the same.

        Raises:
            UserError: If there is one.
        """
        scored = any(role.kind == "number" for role in roles)  # of pairs that are only evaluated
        for role in roles:
            cells = self.cells.get(role.name, [])
            if len(cells) < ENOUGH:
                continue
            values, rows = len(set(cells)), f"{len(cells):,} rows"
            column = column_label(self.names[role.name], self.header)
            option = option_name(role.option)
            if role.kind == "label" and values > len(cells) / 2:
                raise UserError(
                    f"{self.path}: {column} has {values:,} different values in {rows}, too many "
                    f"for labels; name the column of the labels with {option}"
                )
            seems_label = role.name == "target" and role.name not in named and not scored
            if seems_label and Profile.of(cells).is_categorical:
                raise UserError(
                    f"{self.path}: {column} has only {values} different values in {rows}; train a "
                    f"text-classifier to predict labels, or name the column of the targets with "
                    f"{option}"
                )
