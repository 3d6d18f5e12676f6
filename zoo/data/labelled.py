"""Files of labelled texts: TSV, CSV and JSON lines."""

import dataclasses
import os
import pathlib
from collections.abc import Sequence

from zoo.data.rows import given_rows, read_rows
from zoo.errors import DataError, UserError
from zoo.notes import Lost, with_lost

FORMS = [("text", "second", "label"), ("text", "label")]
Labelled = str | os.PathLike | Sequence[tuple[str, ...]]


@dataclasses.dataclass(frozen=True)
class LabelledTexts:
    """Texts, or pairs of texts, and what they are.

    Args:
        path: where they come from.
        texts: the texts.
        seconds: the second text of each, or None where there is one text only.
        labels: their labels.
        blank_lines: how many lines without text were skipped.
    """

    path: str
    texts: list[str]
    seconds: list[str] | None
    labels: list[str]
    blank_lines: int = 0

    @property
    def lost(self) -> Lost:
        """What was left out."""
        return Lost({"blank lines skipped": self.blank_lines})

    def __str__(self) -> str:
        what = "texts" if self.seconds is None else "pairs of texts"
        facts = f"{self.path}: {len(self.texts)} {what} with {len(set(self.labels))} labels"
        return with_lost(facts, self.lost)


def read_labelled(data: Labelled) -> LabelledTexts:
    """Reads a UTF-8 file of labelled texts; its name tells the format.

    The columns are text and label, or text, second text and label, in that order or as a header
    of a CSV file (`text`, `second`, `label`) or the keys of JSON lines say; see `read_rows`.

    Args:
        data: the file, or a list of (text, label) or (text, second text, label).

    Raises:
        DataError: at the first row that is none, has no label, or has other columns than the first.
        UserError: if the file is missing, of another format, or holds no row.

    Example:
        >>> read_labelled([("a fine film", "good"), ("a dull one", "bad")]).labels
        ['good', 'bad']
    """
    if isinstance(data, (str, os.PathLike)):
        path = str(data)
        found = list(read_rows(pathlib.Path(data), FORMS, "labelled texts"))
    else:
        path = "rows in memory"
        found = given_rows(data, path, FORMS)
    rows = [(number, cells) for number, cells in found if cells]
    if not rows:
        raise UserError(f"{path} holds no labelled texts")
    columns = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != columns:
            raise DataError(path, number, f"expected {columns} columns, found {len(cells)}")
    texts, *seconds, labels = ([cells[i].strip() for _, cells in rows] for i in range(columns))
    return LabelledTexts(
        path, texts, seconds[0] if seconds else None, labels, len(found) - len(rows)
    )
