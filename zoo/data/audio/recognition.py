"""Recognition of tables of recordings by what they have."""

from pathlib import Path

from zoo.data.audio.decode import SUFFIXES
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.tables import TABLE_FORMATS, open_table


def has_recordings(path: str | Path, encoding: str | None = None) -> bool:
    """Whether a file is a table with a column of the paths of sound files.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.tsv").write_text("path\\ttext\\nclips/0.wav\\tthree eight one\\n")
        >>> has_recordings(folder / "a.tsv")
        True
    """
    first = paths_of(path)[0]
    if first.is_dir() or format_of(first) not in TABLE_FORMATS:
        return False
    columns = zip(*open_table(first, "recordings", encoding=encoding).sample.rows(), strict=True)
    return any(all(Path(cell).suffix.lower() in SUFFIXES for cell in cells) for cells in columns)
