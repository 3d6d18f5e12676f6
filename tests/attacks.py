"""The table of attacks: what was attacked, how, how often, and whether it held."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

KEY = "attack"
HELD, BROKEN = "held", "BROKEN"


class Row(NamedTuple):
    """An attack, what it is made on, the number of trials, and how it ended."""

    attack: str
    on: str
    trials: int
    result: str


def recorded(record: Callable[[str, Any], None], attack: str, on: str) -> Callable[..., None]:
    """Records an attack of a test.

    Args:
        record: pytest's `record_property`.
        attack: How it attacks.
        on: What it attacks.

    Returns:
        A function that counts a trial, or several.
    """
    said: list[Any] = [attack, on, 0]
    record(KEY, said)

    def tried(count: int = 1) -> None:
        said[2] += count

    return tried


def rows(reports: Iterable[Any]) -> list[Row]:
    """The attacks in pytest's reports, including those of xdist's workers."""
    found = [
        Row(*value, BROKEN if report.failed else HELD)
        for report in reports
        for key, value in getattr(report, "user_properties", [])
        if key == KEY and (report.when == "call" or report.failed)
    ]
    return sorted(set(found))


def show(terminalreporter: Any) -> None:
    """Prints the table."""
    found = rows(r for reports in terminalreporter.stats.values() for r in reports)
    if not found:
        return
    widths = [max(len(row[column]) for row in found) for column in (0, 1)]
    terminalreporter.section("attacks")
    for row in found:
        line = f"{row.attack:{widths[0]}}  {row.on:{widths[1]}}  {row.trials:>7,}  {row.result}"
        terminalreporter.write_line(line)
    terminalreporter.write_line(f"{sum(row.trials for row in found):,} trials")
