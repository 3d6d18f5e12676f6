"""The replacement of the files of a run folder in one step.

The new files are written to a folder in the run folder, which is then renamed: this is the commit.
From then on the new files count, and are moved to their places. If the process is killed meanwhile,
the next one that reads the run folder moves the others.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from export.files import sync
from zoo.atomic import reporting_full_disk
from zoo.errors import UserError
from zoo.json_file import read_json
from zoo.locking import locked
from zoo.tasks.folder import (
    CONFIG,
    DIGESTS,
    LAST,
    METRICS,
    OWN_DIGEST,
    START,
    STATE,
    WEIGHTS,
)
from zoo.tasks.provenance import sha256_of_config
from zoo.untrusted import check_inside, sha256

NEW, COMMITTED = ".new", ".committed"


@contextmanager
def replacing_run(folder: Path, config: dict[str, Any]) -> Iterator[Path]:
    """Context manager that replaces the files of a run only if the block succeeds.

    Files of the earlier run that the new one lacks are deleted.

    Args:
        folder: The run folder; created if it is missing.
        config: The content of `config.json`, to which the digests of the files are added.

    Yields:
        A folder to write the files to.

    Raises:
        DiskFull: If the disk is full. The files in the folder are unchanged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _finish(folder)
    new = folder / NEW
    with reporting_full_disk(folder):
        try:
            shutil.rmtree(new, ignore_errors=True)  # of a process that was killed
            new.mkdir()
            yield new
            digests = {name: sha256(path) for name, path in _files(new).items()}
            content = {**config, DIGESTS: digests}
            content[OWN_DIGEST] = sha256_of_config(content)
            text = json.dumps(content, indent=2, ensure_ascii=False)
            (new / CONFIG).write_text(text + "\n", "utf-8")
            for path in [*new.rglob("*"), new]:
                sync(path)
            os.replace(new, folder / COMMITTED)
            sync(folder)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    _finish(folder)


def recover(folder: Path) -> None:
    """Finishes what a process that was killed has committed to a run folder."""
    folders = [each for each in (folder, folder / START) if (each / COMMITTED).is_dir()]
    if folders:
        with suppress(UserError), locked(folder):  # unless its process lives, and does so itself
            for each in folders:
                _finish(each)


def _finish(folder: Path) -> None:
    """Moves the committed files to their places, the config last, and deletes outdated files."""
    committed = folder / COMMITTED
    if not committed.is_dir():
        return
    check_inside(committed, folder)
    new = _files(committed)
    if CONFIG in new:  # otherwise only empty folders are left
        for name in {WEIGHTS, METRICS, *_digests(folder)} - _digests(committed).keys():
            check_inside((folder / name).parent, folder)
            (folder / name).unlink(missing_ok=True)
        if (folder / LAST).exists() or not (folder / STATE).exists():
            # Otherwise the first epoch was cut short, and is repeated when the run is resumed.
            check_inside((folder / START).parent, folder)
            (folder / START / CONFIG).unlink(missing_ok=True)  # first: then it is no run folder
            shutil.rmtree(folder / START, ignore_errors=True)
    for name in sorted(new, key=lambda name: name == CONFIG):
        target = folder / name
        check_inside(target.parent, folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(new[name], target)
        sync(target.parent)
    shutil.rmtree(committed)
    sync(folder)


def _files(folder: Path) -> dict[str, Path]:
    """The files below a folder by their path in it."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path for path in paths}


def is_inside(name: str) -> bool:
    """Whether a path in a config stays in the folder of the config.

    Example:
        >>> is_inside("tokenizer/tokenizer.json"), is_inside("../config.json")
        (True, False)
    """
    path = PurePosixPath(name)
    return path.parts != () and not path.is_absolute() and ".." not in path.parts


def _digests(folder: Path) -> dict[str, str]:
    """The digests in a config, of files in its folder; none if it is missing or damaged."""
    try:
        digests = read_json(folder / CONFIG, dict)[DIGESTS]
        return {name: digests[name] for name in digests if is_inside(name)}
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return {}
