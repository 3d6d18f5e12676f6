"""Edges in lists: as SNAP, NetworkX, KONECT and Matrix Market write them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from zoo.data.readers.files import format_of, read_lines
from zoo.data.readers.row_tables import table_of_rows
from zoo.data.readers.rows import Row
from zoo.data.readers.table import Table

NEIGHBORS, MATRIX, KONECT = ".adjlist", ".mtx", "out."
EDGE_LISTS = (".edgelist", ".edges", ".txt", NEIGHBORS, MATRIX)  # formats of edges beside tables
SURE = (".edgelist", ".edges", NEIGHBORS, MATRIX)  # that have nothing else
COMMENTS = ("#", "%")
HEADER = "%%matrixmarket"


def is_edge_list(path: Path, encoding: str | None = None) -> bool:
    """Whether a file is a list of edges by its name, or a table that begins with a comment.

    Example:
        >>> is_edge_list(Path("karate.edgelist")), is_edge_list(Path("out.karate"))
        (True, True)
    """
    if format_of(path) in EDGE_LISTS or path.name.startswith(KONECT):
        return True
    if format_of(path) not in (".csv", ".tsv", ".tab") or not path.is_file():
        return False
    return next(iter(read_lines(path, encoding)), "").startswith(COMMENTS)


def edges_beside(folder: Path) -> Path | None:
    """The only list of edges in a folder, whatever its name."""
    files = [x for x in folder.iterdir() if x.is_file()]
    lists = [x for x in files if format_of(x) in SURE or x.name.startswith(KONECT)]
    return lists[0] if len(lists) == 1 else None


def read_edge_list(path: Path, encoding: str | None = None) -> Table:
    """The edges of a list: two ids with spaces, tabs or a comma between, maybe weights.

    Lines that start with "#" or "%" are comments; the attributes of NetworkX, `{...}`, are ignored.
    In an adjacency list, a node has its neighbors behind it. Of a Matrix Market file, the line of
    sizes is no edge.

    Args:
        path: The file.
        encoding: Its encoding, by default UTF-8.
    """
    rows = [*_rows(path, encoding)]
    width = 2 if format_of(path) == NEIGHBORS else 0
    width = width or max((len(row.cells) for row in rows), default=0)
    names = [str(number) for number in range(1, width + 1)]
    for index, row in enumerate(rows):
        if row.cells and len(row.cells) != width:
            reason = f"expected {width} columns, found {len(row.cells)}"
            rows[index] = row._replace(reason=reason)
    return table_of_rows(str(path), names, rows, header=False)


def counted_like(ids: Sequence[str], ends: Sequence[list[str]]) -> list[list[str]]:
    """The ends of the edges of a Matrix Market file, which count from 1, as nodes from 0 are named.

    Args:
        ids: The ids of the nodes.
        ends: The ids at both ends of the edges.

    Example:
        >>> counted_like(["0", "1"], [["1"], ["2"]]), counted_like(["1", "2"], [["1"], ["2"]])
        ([['0'], ['1']], [['1'], ['2']])
    """
    from_0 = {str(number) for number in range(len(ids))} == {*ids}
    if not from_0 or "0" in {*ends[0], *ends[1]}:
        return list(ends)
    return [[str(int(name) - 1) if name.isdigit() else name for name in part] for part in ends]


def _rows(path: Path, encoding: str | None) -> Iterator[Row]:
    is_matrix = False
    for number, line in enumerate(read_lines(path, encoding), 1):
        is_matrix |= number == 1 and line.lower().startswith(HEADER)
        text = line.partition("{")[0].strip()
        cells = [] if text.startswith(COMMENTS) else text.replace(",", " ").split()
        if is_matrix and cells:
            is_matrix = False  # these are the sizes
        elif format_of(path) == NEIGHBORS:
            yield from (Row(number, [cells[0], other]) for other in cells[1:])
        else:
            yield Row(number, cells)
