"""Recognition of tables of questions and of queries by the names of their columns."""

from pathlib import Path

from zoo.data.readers.answers import problem
from zoo.data.readers.roles import ANSWER, ANSWER_START, PASSAGE, QUESTION, Role
from zoo.data.readers.table import Table
from zoo.data.readers.tables import open_table

QUERIES = ("query", "anchor")
RANKED = ("passage", "positive", "document")


def has_answers(path: Path, encoding: str | None = None) -> bool:
    """Whether a table has questions, passages, and answers that are mostly in their passages.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("question,context,answer\\nWho sings?,Ann sings.,Ann\\n")
        >>> has_answers(path)
        True
    """
    sample = open_table(path, "data", encoding=encoding).sample
    cells = {}
    for role in (QUESTION, PASSAGE, ANSWER, ANSWER_START):
        index = _named(sample, role)
        if index is not None:
            cells[role.name] = sample.texts(index)
        elif role.required:
            return False
    columns = zip(*cells.values(), strict=True)
    rows = [dict(zip(cells, row, strict=True)) for row in columns]
    return sum(problem(row) is None for row in rows) > len(rows) / 2


def has_queries(path: Path, encoding: str | None = None) -> bool:
    """Whether a table has queries and passages, by the names that only these have.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("query,passage,score\\na hat,the red hat,1\\n")
        >>> has_queries(path)
        True
    """
    sample = open_table(path, "data", encoding=encoding).sample
    names = {name.strip().lower() for name in sample.names}
    return bool(names & set(QUERIES)) and bool(names & set(RANKED))


def _named(sample: Table, role: Role) -> int | None:
    """The column with a usual name of a role; the name of the role itself comes first."""
    names = [name.strip().lower() for name in sample.names]
    return next((names.index(name) for name in role.names if name in names), None)
