"""Files and folders that no task reads as they are, and what to do with them."""

from collections import Counter
from itertools import islice
from pathlib import Path

from zoo.data.graphs.edge_lists import KONECT, SURE
from zoo.data.graphs.paths import AS_TABLES
from zoo.data.images.folders import is_image
from zoo.data.images.recognition import has_images
from zoo.data.readers.files import format_of
from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.table import Table
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.errors import UserError

GRAPH = f"a graph in a format that is not read: {AS_TABLES}"
LABELS = (
    "has the edges of a graph: write labels.csv beside it, with columns id and label, for a "
    "node-classifier"
)
TABLE = "a table in a format of its own: write its rows as CSV"
MARKUP = "text with marks: write the plain text to a .txt file, or a table to a .csv file"
NUMBERS = (
    "its rows have numbers, and neither texts nor times: no task reads such rows; use a model of "
    "tables, such as HistGradientBoostingClassifier of scikit-learn, or name the columns of series "
    "with --time-column and --series-column"
)
# Text files that are no plain text, by their suffix.
OTHERS = {".gml": GRAPH, ".graphml": GRAPH, ".gexf": GRAPH, ".net": GRAPH, ".arff": TABLE}
OTHERS |= {".ts": TABLE, ".xml": MARKUP, ".html": MARKUP, ".htm": MARKUP}
LOOKED_AT = 10_000  # maximum number of files of a folder
LINES = 200  # first rows that show whether a table has numbers only
LISTED = 3  # maximum number of parts of a folder that a message names


def refuse_other_formats(path: Path) -> None:
    """Refuses a text file that has no plain text, by its suffix.

    Raises:
        UserError: If it has a graph, a table or marks; the message says what to write instead.
    """
    if what := OTHERS.get(format_of(path)):
        raise UserError(f"{path} is {what}")
    if format_of(path) in SURE or path.name.startswith(KONECT):
        raise UserError(f"{path} {LABELS}")


def note_of_numbers(table: Table) -> str:
    """What to do with a table that has columns of numbers beside at most one of names; else empty.

    Example:
        >>> from zoo.data.readers.tables import open_table
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("width,length,kind\\n" + "1.5,3,a\\n2.5,4,b\\n" * 9)
        >>> note_of_numbers(open_table(path, "data").sample)[:22]
        'its rows have numbers,'
    """
    table = table.head(LINES)
    numeric = [is_numeric(table.texts(index)) for index in range(len(table.names))]
    return NUMBERS if sum(numeric) >= max(2, len(numeric) - 1) else ""


def refuse_folder(folder: Path) -> None:
    """Refuses a folder without `.txt` files, and says which part of it can be read.

    Raises:
        UserError: If it is a folder without such files.
    """
    if any(folder.glob("*.txt*")):
        return
    files = list(islice((each for each in folder.rglob("*") if each.is_file()), LOOKED_AT))
    parts = sorted(each for each in folder.iterdir() if each.is_dir())
    if inner := [str(part) for part in parts if has_images(part)]:
        raise UserError(
            f"{folder} has images in folders of its folders: inspect a part of it, such as "
            f"{', '.join(inner[:LISTED])}, or move its images to one folder for each label"
        )
    images = [each for each in files if is_image(each)]
    if len(images) > len(files) / 2:
        raise UserError(
            f"{folder} has images, but no folder for each label: move each image to a folder "
            f"whose name is its label, such as {folder / 'cat' / images[0].name}"
        )
    if table := next((each for each in sorted(files) if format_of(each) in TABLE_FORMATS), None):
        raise UserError(f"{folder} is a folder of tables and other files: inspect one, {table}")
    counts = Counter(format_of(each) or "nameless" for each in files).most_common(3)
    kinds = ", ".join(f"{count} {suffix}" for suffix, count in counts) or "nothing"
    raise UserError(f"{folder} has no files that a task reads: found {kinds}")
