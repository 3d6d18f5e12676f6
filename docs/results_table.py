"""The first page of results: a table from docs/results/table.toml."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).with_name("results") / "table.toml"
COLUMNS = ["task", "data", "metric", "peer, paper or goal", "ours", "", "command"]
VERDICTS = ("ahead", "level", "behind", "goal missed")
BAD = ("behind", "goal missed")


@dataclass(frozen=True)
class Row:
    """A result beside what it is compared with.

    Args:
        task: What was measured, in a few words.
        data: On which data or machine.
        metric: The metric with its unit.
        peer: The number of a peer or paper, with its name, or the goal.
        ours: The number of this library, as the section has it.
        verdict: One of `VERDICTS`.
        command: What gives the number, in a few words; the section has all of it.
        at: The section, as `page.md#anchor`.
    """

    task: str
    data: str
    metric: str
    peer: str
    ours: str
    verdict: str
    command: str
    at: str

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict of '{self.task}' must be one of {VERDICTS}: {self.verdict}")


def rows() -> list[Row]:
    """The rows of the table, in its order.

    Raises:
        ValueError: If a verdict is none of `VERDICTS`.
    """
    return [Row(**row) for row in tomllib.loads(DATA.read_text("utf-8"))["row"]]


def cells() -> Iterator[list[str]]:
    """The cells of each row in Markdown: what is not reached is bold."""
    for row in rows():
        verdict = f"**{row.verdict}**" if row.verdict in BAD else row.verdict
        command = f"[`{row.command}`]({row.at})"
        yield [row.task, row.data, row.metric, row.peer, row.ours, verdict, command]
