"""The reader of labeled texts and labeled pairs of texts."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from zoo.data.labels import LabelRows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.read_columns import TableData, read_columns, read_columns_in_pieces
from zoo.data.readers.roles import LABELED, WEIGHT, Role
from zoo.data.readers.row_weights import row_weights
from zoo.data.readers.text_columns import TextColumns
from zoo.data.readers.text_rows import TextRows
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError

FEW = 20  # number of rows up to which labels that occur only once are not reported


@dataclasses.dataclass(frozen=True)
class LabeledTexts(LabelRows, TextRows):
    """Texts or pairs of texts, with their labels.

    Args:
        labels: The labels.
        weights: The weight of each row in the loss; None if all weigh the same.
    """

    labels: list[str]
    weights: list[float] | None = None

    @property
    def statistics(self) -> Statistics:
        """Number of skipped rows, and of labels used only once."""
        once = sum(count == 1 for count in Counter(self.labels).values())
        rare = {"labels used only once": once if len(self.labels) > FEW else 0}
        return self.source.statistics + Statistics(rare)

    def texts_with_labels(self) -> tuple[list[str], list[str]]:
        """The texts, those of a pair joined by a space, and their labels."""
        return self.joined_texts(), self.labels

    def __str__(self) -> str:
        labels = counted(len(set(self.labels)), "labels")
        facts = f"{self.path}: {counted(len(self.texts), self.what)} with {labels}"
        cells = {**self.inputs, "label": self.labels}
        if self.weights is not None:
            cells["weight"] = [*map(str, self.weights)]
        rare = self.statistics - self.source.statistics
        return with_statistics(self.source.describe(facts, cells), rare)


def read_labeled(
    data: TableData, options: ReadOptions = DEFAULT, roles: Sequence[Role] = LABELED
) -> LabeledTexts:
    """Reads labeled texts, or pairs of texts; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, label) or (text, second text, label).
        options: How tables are read.
        roles: The roles of the columns.

    Returns:
        The `LabeledTexts`.

    Raises:
        DataError: If a row is invalid.
        UserError: If a file is missing, has an unknown format or contains no rows, or its columns
            are ambiguous.

    Example:
        >>> read_labeled([("a fine film", "good"), ("a dull one", "bad")]).labels
        ['good', 'bad']
    """
    if options.names.weight is not None:
        roles = (*roles, WEIGHT)
    columns = read_columns(data, roles, "labeled texts", options)
    if not columns.cells.get("label"):
        raise UserError(f"{columns.path} contains no labeled texts")
    return _labeled(columns)


def read_labeled_in_pieces(
    data: TableData, options: ReadOptions = DEFAULT
) -> Iterator[LabeledTexts]:
    """Reads labeled texts a piece at a time; see `read_columns_in_pieces`."""
    for columns in read_columns_in_pieces(data, LABELED, "labeled texts", options):
        if columns.cells.get("label"):
            yield _labeled(columns)


def _labeled(columns: TextColumns) -> LabeledTexts:
    cells = {role: [cell.strip() for cell in column] for role, column in columns.cells.items()}
    return LabeledTexts(
        columns.path,
        cells["text"],
        cells.get("second"),
        cells["label"],
        row_weights(cells.get(WEIGHT.name), columns.path),
        source=columns.source,
    )
