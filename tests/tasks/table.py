"""The table task x check, from the reports of a run.

`python -m tests.tasks.table FILE` runs the contract of tasks and writes the table as Markdown.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

KEY = "task contract"
PASSED, FAILED, NOT_APPLICABLE = "ok", "FAILED", "n/a"
WORST = (FAILED, PASSED, NOT_APPLICABLE)  # what a column of several checks shows
MISTAKES = "user errors"


class Cell(NamedTuple):
    """The result of a check, and why it does not apply."""

    state: str
    reason: str = ""


def cells(reports: Iterable[Any]) -> dict[tuple[str, str], Cell]:
    """(case, check) -> cell, from pytest's reports, including those of xdist's workers."""
    actual: dict[tuple[str, str], Cell] = {}
    for report in reports:
        said = [value for key, value in getattr(report, "user_properties", []) if key == KEY]
        if said and (report.when == "call" or report.failed):
            name, check, reason = said[-1]
            actual[name, check] = _cell(report, reason)
    return actual


def _cell(report: Any, reason: str) -> Cell:
    if report.failed:
        return Cell(FAILED)
    return Cell(NOT_APPLICABLE, reason) if reason else Cell(PASSED)


def column(check: str) -> str:
    """The column of a check; all user errors share one."""
    return MISTAKES if check.startswith(f"{MISTAKES}: ") else check


def markdown(actual: dict[tuple[str, str], Cell]) -> str:
    """A table with a row per case and a column per check, followed by the reasons."""
    from tests.tasks.cases import CASES
    from tests.tasks.checks import CHECKS

    rows = [name for name in CASES if any(name == row for row, _ in actual)]
    columns = list(dict.fromkeys(column(check) for check in CHECKS))
    columns = [each for each in columns if any(column(check) == each for _, check in actual)]
    width = max(map(len, [*rows, "task"]))
    lines = [
        f"| {'task':{width}} | " + " | ".join(columns) + " |",
        f"|{'-' * (width + 2)}|" + "|".join("-" * (len(c) + 2) for c in columns) + "|",
    ]
    for row in rows:
        shown = []
        for each in columns:
            states = {
                cell.state for (r, c), cell in actual.items() if r == row and column(c) == each
            }
            state = next((state for state in WORST if state in states), "")
            shown.append(state.center(len(each)))
        lines.append(f"| {row:{width}} | " + " | ".join(shown) + " |")
    return "\n".join([*lines, *_reasons(actual)]) + "\n"


def _reasons(actual: dict[tuple[str, str], Cell]) -> list[str]:
    """A list of the reasons why checks do not apply, each with its cells."""
    where: dict[str, list[str]] = {}
    for (row, check), cell in actual.items():
        if cell.state == NOT_APPLICABLE:
            where.setdefault(cell.reason, []).append(f"{row} ({check})")
    if not where:
        return []
    return ["", f"Reasons for {NOT_APPLICABLE}:", ""] + [
        f"- {why}: {'; '.join(at)}" for why, at in where.items()
    ]


def show(terminalreporter: Any) -> None:
    """Prints the table, and writes it to the file that TASKS_TABLE names."""
    reports = [r for actual in terminalreporter.stats.values() for r in actual]
    actual = cells(r for r in reports if hasattr(r, "user_properties"))
    if not actual:
        return
    text = markdown(actual)
    terminalreporter.section("the contract of tasks")
    terminalreporter.write_line(text)
    if path := os.environ.get("TASKS_TABLE"):
        Path(path).write_text(text)


if __name__ == "__main__":
    os.environ["TASKS_TABLE"] = str(Path(sys.argv[1]).resolve())
    sys.exit(pytest.main([str(Path(__file__).parent), "-q", "-n", "2"]))
