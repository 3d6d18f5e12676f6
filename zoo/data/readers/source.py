"""A description of where examples come from, for the log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from zoo.data_statistics import Statistics, counted, with_statistics

LISTED = 5  # maximum number of labels that a line lists


@dataclass(frozen=True)
class DataSource:
    """Describes where examples come from, for the log.

    Args:
        names: The name of the column for each role; empty for data in memory.
        header: Whether the file has a header.
        statistics: Counts of skipped rows.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    header: bool = False
    statistics: Statistics = field(default_factory=Statistics)

    def describe(self, facts: str, cells: Mapping[str, Sequence[str]]) -> str:
        """A log line: facts, the column for each role, and counts of skipped rows.

        Args:
            facts: Beginning of the line.
            cells: The cells of the column for each role.

        Example:
            >>> reviews = {"text": ["a fine film", "dull"], "label": ["good", "bad"]}
            >>> print(DataSource({"text": "1", "label": "2"}).describe("a.tsv: 2 texts", reviews))
            a.tsv: 2 texts; text = column 1 (mean 8 characters), label = column 2 (2 values: bad 1,
            good 1); header: no
        """
        names = {role: column_label(name, self.header) for role, name in self.names.items()}
        parts = [f"{role} = {x} ({_described(role, cells[role])})" for role, x in names.items()]
        header = f"{', '.join(parts)}; header: {'yes' if self.header else 'no'}"
        return with_statistics("; ".join([facts, header] if parts else [facts]), self.statistics)


def column_label(name: str, header: bool) -> str:
    """A column in words: its name, or "column" and its number."""
    return name if header else f"column {name}"


def _described(role: str, cells: Sequence[str]) -> str:
    if role != "label":
        return f"mean {sum(map(len, cells)) / max(len(cells), 1):.0f} characters"
    counts = Counter(cells)
    if len(counts) > LISTED:
        return counted(len(counts), "values")
    values = ", ".join(f"{label} {count:,}" for label, count in sorted(counts.items()))
    return f"{counted(len(counts), 'values')}: {values}"
