"""The table of attacks: what was attacked, how, how often, and whether it held.

`python -m tests.attacks FILE MINUTES` makes a selection of them, as many as begin in the time, and
writes the table as Markdown.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

KEY = "attack"
HELD, BROKEN = "held", "BROKEN"
TASKS = ("text_classifier", "text_to_text")  # whose artifacts are attacked
# In this order: what takes long, and what is like it, is at the end.
SELECTION = (
    "tests/faults/test_requests.py",
    "tests/zoo/tasks/test_resuming.py",
    "tests/zoo/server/test_callers.py",
    "tests/zoo/test_lines.py",
    "tests/zoo/training/test_termination.py",
    "tests/export/test_snapshot.py",
    "tests/faults/test_special_files.py",
    "tests/zoo/test_untrusted.py",
)
# Beginnings of tests that are left out: files of every format are attacked on the first task.
REPEATS = tuple(
    f"tests/faults/test_special_files.py::{name}[{TASKS[1]}"
    for name in (
        "test_in_the_place_of_each_file_of_an_artifact",
        "test_texts_that_are_no_texts_in_a_manifest_that_says_so",
    )
)
HEAD = """# Attacks

The attacks that `make attacks` tried on {date}, in {minutes:.0f} minutes, on artifacts of two
tasks, on servers and on runs. `make test-long` tries more of them, on every task, and `make fuzz`
changes files at random. [SECURITY](../../SECURITY.md) says what is promised; "held" means that
the promise was kept in all trials.
{ended}

| attack | on | trials | result | measured |
|---|---|---:|---|---|
"""


class Row(NamedTuple):
    """An attack, what it is made on, the number of trials, what was measured, and how it ended."""

    attack: str
    on: str
    trials: int
    measured: str
    result: str


def recorded(record: Callable[[str, Any], None], attack: str, on: str) -> Callable[..., None]:
    """Records an attack of a test.

    Args:
        record: pytest's `record_property`.
        attack: How it attacks.
        on: What it attacks.

    Returns:
        A function that counts a trial, or several, and keeps what was measured last.
    """
    said: list[Any] = [attack, on, 0, ""]
    record(KEY, said)

    def tried(count: int = 1, measured: str = "") -> None:
        said[2] += count
        said[3] = measured or said[3]

    return tried


def rows(reports: Iterable[Any]) -> list[Row]:
    """The attacks in pytest's reports, including those of xdist's workers.

    Tests of the same attack on the same are one row.
    """
    table: dict[tuple[str, str], Row] = {}
    for report in reports:
        for key, value in getattr(report, "user_properties", []):
            if key != KEY or not (report.when == "call" or report.failed):
                continue
            attack, on, trials, measured = value
            new = Row(attack, on, trials, measured, BROKEN if report.failed else HELD)
            old = table.get((new.attack, new.on), new._replace(trials=0))
            table[new.attack, new.on] = new._replace(
                trials=old.trials + new.trials,
                measured=new.measured or old.measured,
                result=BROKEN if BROKEN in (old.result, new.result) else HELD,
            )
    return sorted(table.values())


def show(terminalreporter: Any) -> None:
    """Prints the table."""
    table = rows(r for reports in terminalreporter.stats.values() for r in reports)
    if not table:
        return
    first, second = max(len(x.attack) for x in table), max(len(x.on) for x in table)
    terminalreporter.section("attacks")
    for row in table:
        line = f"{row.attack:{first}}  {row.on:{second}}  {row.trials:>7,}  {row.result}"
        terminalreporter.write_line(f"{line}  {row.measured}".rstrip())
    terminalreporter.write_line(f"{sum(row.trials for row in table):,} trials")


def markdown(table: list[Row]) -> str:
    """The rows of a table in Markdown."""
    return "".join(
        f"| {row.attack} | {row.on} | {row.trials:,} | {row.result} | {row.measured} |\n"
        for row in table
    )


class Selection:
    """A plugin of pytest that leaves out other tasks, and keeps the reports.

    All tests are made on one task before the first of another, so that each kind comes in time.

    Args:
        minutes: Time in which tests begin.
    """

    def __init__(self, minutes: float) -> None:
        self.reports: list[pytest.TestReport] = []
        self.end = time.monotonic() + 60 * minutes
        self.count = self.left = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(filter(_is_selected, items), key=_place_of)
        self.count = len(items)

    def pytest_runtest_setup(self) -> None:
        if time.monotonic() > self.end:
            self.left += 1
            pytest.skip("the time is over")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)


def _is_selected(item: pytest.Item) -> bool:
    """Whether a test makes an attack, on one of the tasks if it is on a task, and is no repeat."""
    assert isinstance(item, pytest.Function)
    attacks = "attack" in item.fixturenames and _task_of(item) in TASKS
    return attacks and not item.nodeid.startswith(REPEATS)


def _place_of(item: pytest.Item) -> int:
    """The place of a test's task; the first, if it is on none."""
    return TASKS.index(_task_of(item))


def _task_of(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    return str(call.params.get("task", TASKS[0])) if call else TASKS[0]


def main(path: Path, within: float) -> int:
    """Makes the attacks that begin within so many minutes, and writes the table."""
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    began, selection = time.monotonic(), Selection(within)
    options = ["-q", "-p", "no:randomly", "--durations=12"]
    status = pytest.main([*options, *SELECTION], plugins=[selection])
    minutes = (time.monotonic() - began) / 60
    ended = f"All {selection.count} tests were run."
    if selection.left:
        ended = f"For want of time, {selection.left} of {selection.count} tests were not begun."
    head = HEAD.format(date=time.strftime("%Y-%m-%d"), minutes=minutes, ended=ended)
    path.write_text(head + markdown(rows(selection.reports)), "utf-8")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))
