"""The files of recordings that a table names: by a path, or as LJSpeech and Common Voice do."""

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from zoo.data.audio.decode import SUFFIXES
from zoo.errors import UserError
from zoo.untrusted import check_inside

FOLDERS = ("", "wavs", "clips", "wav", "audio")  # beside a table, for names without a folder
MOST = 20  # other folders beside it that are looked into
OTHERS = (".mp3", ".m4a", ".aac", ".opus", ".wma", ".sph")  # recordings that are not read
LOOKED_AT = 20  # number of first cells that say whether a column has recordings


def recording_at(folder: Path, name: str) -> Path:
    """The file of a recording in the folder of its table.

    It has this path; or else it is in a folder beside the table, such as `wavs` or `clips`, or the
    name lacks the suffix of a format that is read.

    Args:
        folder: The folder of the table.
        name: What the table has.

    Raises:
        ValueError: If it is empty or leads elsewhere, or the file has a format that is not read.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> (folder / "wavs").mkdir()
        >>> _ = (folder / "wavs" / "LJ001-0001.wav").write_bytes(b"RIFF")
        >>> recording_at(folder, "LJ001-0001").relative_to(folder).as_posix()
        'wavs/LJ001-0001.wav'
    """
    if not name:
        raise ValueError("the path is empty")
    given = _inside(folder, name)
    audio = next((path for path in _candidates(folder, name) if path.is_file()), given)
    if (suffix := audio.suffix.lower()) in OTHERS:
        raise ValueError(
            f"{suffix} files are not read: write {', '.join(SUFFIXES)} files beside them, which "
            f"the table need not name: ffmpeg -i {audio.name} {audio.stem}.wav"
        )
    return audio


def _candidates(folder: Path, name: str) -> Iterator[Path]:
    """The paths that may be meant, all inside of the folder."""
    bare = Path(name).suffix.lower() not in SUFFIXES
    suffixes = ["", *SUFFIXES] if bare else [""]
    plain = "/" not in name and "\\" not in name
    stem = name.removesuffix(Path(name).suffix) if Path(name).suffix.lower() in OTHERS else name
    for suffix in (*suffixes[1:], suffixes[0]):
        file = f"{stem}{suffix}" if suffix else name
        for part in FOLDERS if plain else FOLDERS[:1]:
            yield _inside(folder / part, file)
        for part in _others(folder) if plain else ():
            yield _inside(folder / part, file)


def _others(folder: Path) -> tuple[str, ...]:
    """The names of some other folders in a folder, in order; none that is a link."""
    return _folders(folder, folder.stat().st_mtime_ns) if folder.is_dir() else ()


@lru_cache(maxsize=8)
def _folders(folder: Path, changed: int) -> tuple[str, ...]:
    with os.scandir(folder) as entries:
        names = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))
    return tuple(islice((name for name in names if name not in FOLDERS), MOST))


def _inside(folder: Path, name: str) -> Path:
    """A path in a folder.

    Raises:
        ValueError: If it is elsewhere.
    """
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(os.path.normpath(folder)):
        raise ValueError(f"it leads out of {folder}")
    try:
        check_inside(path, folder)
    except UserError as error:
        raise ValueError(str(error)) from None
    return path


def are_recordings(folder: Path, cells: Sequence[str]) -> bool:
    """Whether the cells of a column name recordings: by their suffixes, or by files that are there.

    Args:
        folder: The folder of the table.
        cells: The cells of the column.
    """
    if not cells:
        return False
    if all(Path(cell).suffix.lower() in (*SUFFIXES, *OTHERS) for cell in cells):
        return True
    return all(cell and " " not in cell and _is_there(folder, cell) for cell in cells[:LOOKED_AT])


def _is_there(folder: Path, name: str) -> bool:
    try:
        files = [path for path in _candidates(folder, name) if path.is_file()]
    except ValueError:
        return False
    return bool(files) and files[0].suffix.lower() in SUFFIXES
