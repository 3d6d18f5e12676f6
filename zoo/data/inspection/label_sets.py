"""Recognition of tables whose texts have several labels at once."""

from collections.abc import Iterator, Sequence

from zoo.data.inspection.results import ColumnFacts, Options
from zoo.data.readers.label_sets import labels_of
from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.profile import ENOUGH, Profile, is_flag
from zoo.data.readers.table import Table

SEPARATORS = ("|", ";", ",")
SEVERAL = 0.05  # least share of cells with several labels
REPEATED = 3  # least number of cells for each label, on average


def label_set_options(
    tables: Sequence[Table], facts: Sequence[ColumnFacts], given: Options
) -> Iterator[Options]:
    """Options of a text classifier of several labels: for columns of yes and no, or one of lists.

    Args:
        tables: The table, or the tables of several files with the same columns.
        facts: The facts about its columns.
        given: Options that name columns. A column of labels is tried as the only one.
    """
    wanted = given.get("label_column")
    flags = [each.name for each in facts if _has_flags(each)]
    if wanted is None and len(flags) > 1 and not any("," in name for name in flags):
        yield {"multi_label": True, "label_column": ",".join(flags)}
    for each in facts:
        if wanted in (None, each.name):
            places = [(table, table.names.index(each.name)) for table in tables]
            cells = [cell for table, place in places for cell in table.texts(place)]
            separator = _separator(cells)
            if separator is not None:
                chosen = {} if separator == SEPARATORS[0] else {"label_separator": separator}
                yield {"multi_label": True, "label_column": each.name, **chosen}


def _has_flags(facts: ColumnFacts) -> bool:
    """Whether a column has 0 and 1, or words for no and yes, only."""
    return facts.distinct <= 2 and bool(facts.values) and all(map(is_flag, facts.values))


def _separator(cells: Sequence[str]) -> str | None:
    """What separates the labels of the cells; None if they are no labels."""
    if len(cells) < ENOUGH:
        return None
    for separator in SEPARATORS:
        if separator == "," and is_numeric(cells):  # numbers with decimal commas
            continue
        rows = [labels_of(cell, separator) for cell in cells]
        labels = [label for row in rows for label in row]
        several = sum(len(row) > 1 for row in rows) >= SEVERAL * len(rows)
        if several and Profile.of(labels).is_categorical:
            if len(labels) >= REPEATED * len({*labels}):
                return separator
    return None
