"""Reading pairs of a source and a target text."""

import dataclasses
import os
from collections.abc import Sequence

from zoo.data.readers.tables import name_of, read_rows
from zoo.data_statistics import Statistics, with_statistics
from zoo.errors import UserError

FORM = ("source", "target")
PairData = str | os.PathLike | Sequence[tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Pairs:
    """Pairs of a source and a target text.

    Args:
        path: Path of the data, for messages.
        sources: The source texts.
        targets: The target texts.
        blank_lines: Number of blank lines that were skipped.
    """

    path: str
    sources: list[str]
    targets: list[str]
    blank_lines: int = 0

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        return {"text": self.sources}

    @property
    def statistics(self) -> Statistics:
        """Number of skipped lines."""
        return Statistics({"blank lines skipped": self.blank_lines})

    def __str__(self) -> str:
        return with_statistics(f"{self.path}: {len(self)} pairs", self.statistics)


def read_pairs(data: PairData) -> Pairs:
    """Reads pairs of texts; see `read_rows` for the formats.

    Args:
        data: A UTF-8 file, `.tsv`, `.csv` or `.jsonl`, with the columns source and target; or a
            list of (source, target).

    Returns:
        The `Pairs`.

    Raises:
        DataError: If a row is not a pair or not valid UTF-8.
        UserError: If the file is missing, has an unknown format, or contains no pairs.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "train.tsv").write_text("a red hat\\tein roter Hut\\n")
        >>> read_pairs(folder / "train.tsv").targets
        ['ein roter Hut']
    """
    sources, targets, blank = [], [], 0
    for _, cells in read_rows(data, [FORM], "pairs"):
        if not cells:
            blank += 1
            continue
        sources.append(cells[0])
        targets.append(cells[1])
    if not sources:
        raise UserError(f"{name_of(data)} contains no pairs")
    return Pairs(name_of(data), sources, targets, blank)
