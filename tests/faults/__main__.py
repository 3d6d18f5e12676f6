"""`python -m tests.faults ACTION PLACE HOW STRIDE` stops an action at steps in the file system.

It is stopped at step 0, STRIDE, 2 STRIDE and so on, each time in a process and a folder of its own,
and started again in another process. A line of JSON is printed for each, and first for the action
that is not stopped.
"""

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.faults.actions import ACTIONS, epoch_of
from tests.faults.steps import Steps, lost
from zoo.errors import UserError

REPORTED = 3  # exit status: the error names a file


def forked(place: Path, action: Callable[[], None]) -> int:
    """Runs an action in a process of its own; returns its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 0
    try:
        action()
    except BaseException as error:
        status = REPORTED
        if not isinstance(error, UserError | OSError) or str(place) not in str(error):
            traceback.print_exc()
            status = 1
    sys.stderr.flush()
    os._exit(status)


def main(name: str, place: Path, how: str, stride: int) -> None:
    """Stops an action at steps, starts it again, and prints how it ends."""
    action, answer = ACTIONS[name], place / "answer.json"

    def stopped(folder: Path, at: int | None) -> None:
        action.prepare(folder, place)
        steps = Steps(folder, at, how)
        steps.install()
        action.act(folder, place)
        answer.write_text(json.dumps(steps.taken))

    def again(folder: Path) -> None:
        action.act(folder, place)
        answer.write_text(json.dumps(action.outcome(folder)))

    taken: list[str] = []
    at: int | None = None
    while at is None or at < len(taken):
        folder = place / f"at-{at}"
        status = forked(place, partial(stopped, folder, at))
        if at is None:
            taken = json.loads(answer.read_text())
        answer.unlink(missing_ok=True)
        if lost(folder).exists():
            shutil.rmtree(folder)
            lost(folder).rename(folder)
        line = {"step": None if at is None else f"{at} {taken[at]}", "status": status}
        line["epoch"] = epoch_of(folder)
        line["again"] = forked(place, partial(again, folder))
        print(json.dumps(line | json.loads(answer.read_text())), flush=True)
        shutil.rmtree(folder)
        at = 0 if at is None else at + stride


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
