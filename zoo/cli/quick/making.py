"""The making of the LiteRT file of a run, by a process in the background.

The file is exported, which verifies it, beside its place; then it answers what the run answers,
and only if all answers are equal it is moved into place, in one step. A run that cannot have such a
file gets a note in its place, so that this is tried once for each state of the run.
"""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from export.files import locked_file
from zoo.cli.console import load
from zoo.cli.quick.place import FILE, FOLDER, NONE, OF, identity, is_decided, open_file
from zoo.errors import UserError, reason_of
from zoo.json_file import write_json
from zoo.tasks.config import read_config, weights_file

if TYPE_CHECKING:
    from zoo.tasks.task import Task

LARGEST = 1 << 28  # bytes of weights; with larger ones, not the import takes the time
PRIORITY = 10  # is added to the niceness: whoever works here goes first
LOCK = f"keras-attn-{os.getuid()}.lock"  # one process at a time makes files


def main(run: Path) -> None:
    """Makes the file of a run, unless another process makes one now.

    Args:
        run: The run folder.
    """
    os.nice(PRIORITY)
    with suppress(UserError, OSError, ValueError):  # an own lock is held, or the folder is gone
        with locked_file(Path(tempfile.gettempdir()) / LOCK):
            make(run)


def make(run: Path) -> bool:
    """Makes the file of a run, if it has none.

    Args:
        run: The run folder.

    Returns:
        Whether it has one now.

    Raises:
        UserError: If the run is damaged, or cannot be written to.
    """
    of = identity(run)
    if not of or is_decided(run, of):
        return False
    if open_file(run, of) is not None:
        return True
    from export.staging import Staging, replace

    with Staging(run / FOLDER) as staging:
        reason = _refusal(run) or _made(run, of, staging.folder)
        if reason:
            write_json(staging.folder / NONE, {OF: of, "reason": reason})
        if identity(run) != of:  # it was replaced meanwhile
            return False
        replace(staging.folder, staging.destination)
    return not reason


def _refusal(run: Path) -> str:
    """Why it is not tried; empty if it is."""
    if weights_file(run, read_config(run)).stat().st_size > LARGEST:
        return f"the weights have more than {LARGEST:,} bytes"
    return ""


def _made(run: Path, of: str, folder: Path) -> str:
    """Writes the file of a run to a folder; returns why it cannot be used, or nothing."""
    task: Task = load("zoo").load(run)
    from zoo.cli.quick.exporting import QuickTask, refusal
    from zoo.cli.quick.sameness import difference

    if reason := refusal(task):
        return reason
    exporter = load("export")
    try:
        exporter.litert(QuickTask(task, of), folder / FILE, text=QuickTask.text_of(task))
    except (exporter.VerificationError, ValueError) as error:
        for path in folder.iterdir():
            path.unlink()
        return reason_of(error)
    if reason := difference(task, folder / FILE):
        for path in folder.iterdir():
            path.unlink()
    return reason


if __name__ == "__main__":
    main(Path(sys.argv[1]))
