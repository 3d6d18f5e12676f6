"""Rows of JSON files: a list of objects, or an object on each line."""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from zoo.data.readers.annotations import rows_of
from zoo.data.readers.coco import coco_rows
from zoo.data.readers.files import opened_text
from zoo.data.readers.json_columns import rows_by_column
from zoo.data.readers.rows import Names, Row
from zoo.data.readers.squad import squad_rows
from zoo.data_statistics import counted, warn_once
from zoo.errors import UserError
from zoo.json_file import parse_json

COCO = "the categories of an image are its labels; boxes and outlines are not read"
GRAPH = (
    "a graph in a format that is not read: write its nodes and its edges as two tables in a "
    "folder, nodes.csv with columns id and label, and edges.csv with columns source and target"
)
SAMPLE = 1000  # number of objects whose keys are the columns
LISTED = 10  # maximum number of keys that a message lists
# Texts as Python prints them, and lists of them; those of NumPy have no commas.
PYTHON_TEXT = re.compile(r"""'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*\"""")
PYTHON_LIST = re.compile(
    rf"\[\s*(?:{PYTHON_TEXT.pattern})(?:(?:\s*,\s*|\s+)(?:{PYTHON_TEXT.pattern}))*\s*,?\s*\]"
)
ESCAPED = re.compile(r"""\\(['"\\])""")


def read_jsonl(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of a `.jsonl` file."""

    def objects() -> Iterator[tuple[int, Any]]:
        with opened_text(path, encoding) as file:
            for number, line in enumerate(file.stream, 1):
                yield number, file.problem(line, number) or _parsed(line)

    return _objects(path, objects)


def read_json(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of a `.json` file: a list of objects, an object on each line, or SQuAD's or COCO's
    format.

    Raises:
        UserError: If it has no list of objects. Of an object, the message lists the keys.
    """
    with opened_text(path, encoding, newline="") as file:
        text = file.stream.read()
        file.check(text, 1)
    document = _parsed(text)
    if (questions := squad_rows(document)) is not None:
        document = questions
    elif (images := coco_rows(document)) is not None:
        document = images
        if images and "label" in images[0]:
            warn_once(f"{path}: {COCO}")
    elif (table := rows_by_column(document)) is not None:
        document = table
    if isinstance(document, dict):
        if "nodes" in document and ("links" in document or "edges" in document):
            raise UserError(f"{path} is {GRAPH}")
        keys = ", ".join(f'"{key}"' for key in list(document)[:LISTED])
        more = ", …" if len(document) > LISTED else ""
        rows = next((key for key, x in document.items() if isinstance(x, list)), None)
        instead = (
            f'write the list under "{rows}"' if rows is not None else "write a list of its rows"
        )
        raise UserError(
            f"{path} holds an object with the keys {keys}{more}; expected a list of objects, one "
            f"for each row: {instead} to a file"
        )
    if not isinstance(document, list):
        if isinstance(_parsed(text.strip().partition("\n")[0]), dict):
            return read_jsonl(path, encoding)
        raise UserError(f"{path}: expected a list of objects; found {document}")
    return _objects(path, lambda: enumerate(document, 1))


def _parsed(text: str) -> Any:
    """Parses JSON. Returns a string if it is invalid, the reason, and None for a blank line."""
    if not text.strip():
        return None
    try:
        value = parse_json(text)
    except ValueError as error:
        return f"not JSON: {error}"
    return value if isinstance(value, dict | list) else "expected an object"


def _objects(
    path: Path, objects: Callable[[], Iterable[tuple[int, Any]]]
) -> tuple[Names, Iterator[Row]]:
    """The rows of JSON objects; the columns are the keys of the first objects."""
    first = [record for _, record in itertools.islice(objects(), SAMPLE)]
    convert = rows_of(first) or dict
    names: dict[str, None] = {}
    for record in first:
        names |= dict.fromkeys((convert(record) or ()) if isinstance(record, dict) else ())

    def rows() -> Iterator[Row]:
        left_out = 0
        for number, record in objects():
            if record is None:
                yield Row(number, [])
            elif isinstance(record, str):
                yield Row(number, [], record)
            elif not isinstance(record, dict):
                yield Row(number, [], "expected an object")
            elif (row := convert(record)) is None:
                left_out += 1
            else:
                cells = [_json_text(row.get(name)) for name in names]
                yield Row(number, cells, None, _problems(row, names))
        if left_out:
            records = counted(left_out, "records")
            warn_once(f"{path}: {records} nobody labeled or accepted, and not read")

    return list(names), rows()


def _problems(cells: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Why cells are invalid, by the name of their column."""
    problems: dict[str, str] = {}
    if any(name not in cells for name in names):
        keys = ", ".join(f'"{key}"' for key in cells)
        problems = {x: f'no "{x}"; the keys are {keys}' for x in names if x not in cells}
    for name, value in cells.items():
        if isinstance(value, dict | list):
            problems[name] = f'"{name}" is not a string'
    return problems


def _json_text(value: Any) -> str:
    if value is None or value != value:  # NaN, which some write for a missing value
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def texts_of(cell: str) -> list[str] | None:
    """The texts of a cell that is a list of them, in JSON or as Python prints it; None for another.

    Example:
        >>> texts_of('["a hat", "a cap"]'), texts_of("['a hat']"), texts_of("[a hat]")
        (['a hat', 'a cap'], ['a hat'], None)
    """
    if not cell.startswith("["):
        return None
    try:
        array = parse_json(cell)
    except ValueError:
        if not PYTHON_LIST.fullmatch(cell):
            return None
        quoted = (each[0][1:-1] for each in PYTHON_TEXT.finditer(cell))
        array = [ESCAPED.sub(r"\1", each) for each in quoted]
    texts = isinstance(array, list) and all(isinstance(x, str) and x.strip() for x in array)
    return array if texts and array else None
