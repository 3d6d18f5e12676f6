"""Files of text pairs: TSV, CSV and JSON lines."""

import dataclasses
import os
import pathlib

from zoo.data.rows import read_rows
from zoo.errors import UserError
from zoo.notes import Lost, with_lost

FORM = ("source", "target")


@dataclasses.dataclass(frozen=True)
class Pairs:
    """The pairs of a file, in its order, and what was left out.

    Args:
        path: the file.
        sources: the texts to read.
        targets: the texts to write.
        blank_lines: how many lines without text were skipped.
    """

    path: str
    sources: list[str]
    targets: list[str]
    blank_lines: int

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def lost(self) -> Lost:
        """What was left out."""
        return Lost({"blank lines skipped": self.blank_lines})

    def __str__(self) -> str:
        return with_lost(f"{self.path}: {len(self)} pairs", self.lost)


def read_pairs(path: str | os.PathLike) -> Pairs:
    """Reads a UTF-8 file of text pairs; its name tells the format.

    `.tsv`: source, tab, target on each line; quotation marks mean nothing.
    `.csv`: two columns, quoted where need be, with a header `source,target` or without; with one,
    other columns may stand beside them.
    `.jsonl`: an object with the texts "source" and "target" on each line.

    Lines without text are skipped and counted; a byte order mark is ignored.

    Args:
        path: the file.

    Returns:
        The pairs.

    Raises:
        DataError: at the first row that is not a pair, or not UTF-8.
        UserError: if the file is missing, of another format, or holds no pair.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "train.tsv").write_text("a red hat\\tein roter Hut\\n")
        >>> read_pairs(folder / "train.tsv").targets
        ['ein roter Hut']
    """
    path = pathlib.Path(path)
    rows = list(read_rows(path, [FORM], "pairs"))
    pairs = [cells for _, cells in rows if cells]
    if not pairs:
        raise UserError(f"{path} holds no pairs")
    sources, targets = (list(column) for column in zip(*pairs, strict=True))
    return Pairs(str(path), sources, targets, blank_lines=len(rows) - len(pairs))
