"""Recognition of tables of recordings by what they have."""

from pathlib import Path

from zoo.data.audio.decode import SUFFIXES
from zoo.data.audio.paths import are_recordings
from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.profile import Profile
from zoo.data.readers.roles import LABEL
from zoo.data.readers.table import as_texts
from zoo.data.readers.tables import TABLE_FORMATS, is_table, open_table
from zoo.errors import UserError
from zoo.option_names import option_name


def has_recordings(path: str | Path, encoding: str | None = None) -> bool:
    """Whether a file is a table with a column of the paths or names of sound files.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.tsv").write_text("path\\ttext\\nclips/0.wav\\tthree eight one\\n")
        >>> has_recordings(folder / "a.tsv")
        True
    """
    first = paths_of(path)[0]
    if first.is_dir() or not is_table(first, encoding):
        return False
    columns = zip(*open_table(first, "recordings", encoding=encoding).sample.rows(), strict=True)
    return any(are_recordings(first.parent, cells) for cells in columns)


def refuse_recordings(path: Path) -> None:
    """Refuses a sound file, or a folder of them: it lacks the transcripts.

    Raises:
        UserError: If it is one; the message says what a speech recognizer is trained on.
    """
    folder = path.is_dir()
    sounds = path.rglob("*") if folder else [path]
    if any(each.suffix.lower() in SUFFIXES for each in sounds):
        tables = sorted({*path.glob("*"), *path.glob("*/*")}) if folder else []
        for table in (each for each in tables if format_of(each) in TABLE_FORMATS):
            if table.is_file() and has_recordings(table):
                raise UserError(f"{path} is a folder of recordings and tables: take one, {table}")
        what = "is a folder of recordings" if folder else "is a recording"
        raise UserError(
            f"{path} {what}, without transcripts: speech-recognizer is trained on a table with a "
            "column of the paths of recordings and a column of their transcripts"
        )


def refuse_labels(columns: ColumnFinder) -> None:
    """Refuses a table whose recordings have labels instead of transcripts.

    Raises:
        UserError: If it is one.
    """
    names = [x for x, own in columns.left.items() if x.strip().lower() in LABEL.names]
    if any(Profile.of(as_texts(columns.left[name])).is_categorical for name in names):
        raise UserError(
            f"{columns.path} has labels of recordings ({', '.join(names)}), and no transcripts: no "
            "task classifies sounds; write their spectrograms as images for an image-classifier, "
            f"or name a column of transcripts with {option_name('text_column')}"
        )
