"""Reading labeled texts and labeled pairs of texts."""

import dataclasses
import os
from collections.abc import Sequence

from zoo.data.readers.tables import name_of, read_rows
from zoo.data_statistics import Statistics, with_statistics
from zoo.errors import DataError, UserError

FORMS = [("text", "second", "label"), ("text", "label")]
LabeledData = str | os.PathLike | Sequence[tuple[str, ...]]


@dataclasses.dataclass(frozen=True)
class LabeledTexts:
    """Texts or pairs of texts, with their labels.

    Args:
        path: Path of the data, for messages.
        texts: The texts.
        seconds: The second text of each pair, or None for single texts.
        labels: The labels.
        blank_lines: Number of blank lines that were skipped.
    """

    path: str
    texts: list[str]
    seconds: list[str] | None
    labels: list[str]
    blank_lines: int = 0

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        return {"text": self.texts} | ({} if self.seconds is None else {"second": self.seconds})

    @property
    def statistics(self) -> Statistics:
        """Number of skipped lines."""
        return Statistics({"blank lines skipped": self.blank_lines})

    def __str__(self) -> str:
        what = "texts" if self.seconds is None else "pairs of texts"
        facts = f"{self.path}: {len(self.texts)} {what} with {len(set(self.labels))} labels"
        return with_statistics(facts, self.statistics)


def read_labeled(data: LabeledData) -> LabeledTexts:
    """Reads labeled texts; see `read_rows` for the formats.

    The columns are `text`, `label` or `text`, `second`, `label`, in this order unless the header of
    a CSV file or the keys of JSON lines name them.

    Args:
        data: A UTF-8 file, or a list of (text, label) or (text, second text, label).

    Returns:
        The `LabeledTexts`.

    Raises:
        DataError: If a row is not valid, or has another number of columns than the first row.
        UserError: If the file is missing, has an unknown format, or contains no rows.

    Example:
        >>> read_labeled([("a fine film", "good"), ("a dull one", "bad")]).labels
        ['good', 'bad']
    """
    rows: list[list[str]] = []
    blank = 0
    for number, cells in read_rows(data, FORMS, "labeled texts"):
        if not cells:
            blank += 1
            continue
        if rows and len(cells) != len(rows[0]):
            reason = f"expected {len(rows[0])} columns, found {len(cells)}"
            raise DataError(name_of(data), number, reason)
        rows.append([cell.strip() for cell in cells])
    if not rows:
        raise UserError(f"{name_of(data)} contains no labeled texts")
    texts, *seconds, labels = (list(column) for column in zip(*rows, strict=True))
    return LabeledTexts(name_of(data), texts, seconds[0] if seconds else None, labels, blank)
