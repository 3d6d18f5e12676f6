"""Tables of edges by their contents, whatever the name of their file."""

from pathlib import Path

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.files import format_of
from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.profile import Profile
from zoo.data.readers.table import Table, as_texts
from zoo.data.readers.tables import TABLE_FORMATS, open_table
from zoo.errors import UserError

SOURCE = (
    *("source", "src", "from", "source_id", "src_id", "from_id", "from_node", "from_node_id"),
    *("node1", "node_1", "citing", "follower"),
)
TARGET = (
    *("target", "dst", "to", "target_id", "dst_id", "to_id", "to_node", "to_node_id"),
    *("node2", "node_2", "cited", "followee"),
)
KINDS = {"directed", "undirected", "mutual"}  # of edges, as Gephi names them
FEWEST = 3  # rows that tell
SHARED = 0.3  # share of the ids of one end that are also ids of the other end
WORDS = 3  # maximum of the mean number of words of each column


def is_edge_table(path: Path, encoding: str | None = None) -> bool:
    """Whether a file is a table of edges by its contents.

    Args:
        path: The file.
        encoding: The encoding of its texts, by default UTF-8.

    Example:
        >>> path = getfixture("tmp_path") / "friends.csv"
        >>> _ = path.write_text("from,to\\nAnn,Bob\\nBob,Cy\\nCy,Ann\\n")
        >>> is_edge_table(path)
        True
    """
    if format_of(path) not in TABLE_FORMATS or not path.is_file():
        return False
    try:
        return has_edges(open_table(path, "edges", [*SOURCE, *TARGET], encoding).sample)
    except UserError:
        return False


def has_edges(table: Table) -> bool:
    """Whether the rows of a table join things of one kind: ids of one end are ids of the other.

    Its columns have usual names of both ends and no column of texts, or it has no names and no
    other columns than two ends and a weight. Rows that have the same on both sides do not count:
    two columns of texts may have some in common.

    Args:
        table: The table, or its first rows.

    Example:
        >>> from zoo.data.readers.row_tables import table_of_rows
        >>> from zoo.data.readers.rows import Row
        >>> rows = [Row(2, ["good day", "guten Tag"]), Row(3, ["water", "Wasser"])] * 9
        >>> has_edges(table_of_rows("a.csv", ["source", "target"], rows, header=True))
        False
    """
    ends = _ends(table)
    if ends is None:
        return False
    sides = (table.texts(column) for column in ends)
    pairs = [(a.strip(), b.strip()) for a, b in zip(*sides, strict=True)]
    pairs = [(a, b) for a, b in pairs if a and b and a != b]
    if len(pairs) < FEWEST:
        return False
    columns = [table.texts(column) for column in range(len(table.names))]
    if any(Profile.of(cells).words > WORDS for cells in columns):
        return False
    one, other = ({pair[side] for pair in pairs} for side in (0, 1))
    return len(one & other) >= SHARED * min(len(one), len(other))


def columns_of_gephi(finder: ColumnFinder) -> list[str]:
    """The columns that Gephi writes beside the two ends of an edge, and that are no features.

    Args:
        finder: The columns without the ends.
    """
    kind = finder.named("Type")
    if kind is None or not {x.strip().lower() for x in as_texts(finder.left[kind])} <= KINDS:
        return []
    return [kind, *finder.with_names(("id", "label", "timeset"))]


def _ends(table: Table) -> tuple[int, int] | None:
    """The columns of both ends; None if no columns can be."""
    if table.header:
        names = [name.strip().lower() for name in table.names]
        columns = [[n for n, x in enumerate(names) if x in known] for known in (SOURCE, TARGET)]
        return (columns[0][0], columns[1][0]) if all(len(each) == 1 for each in columns) else None
    texts = [table.texts(column) for column in range(len(table.names))]
    numeric = [is_numeric(each) for each in texts]
    return (0, 1) if numeric in ([False, False], [False, False, True]) else None
