"""One process at a time writes to a folder; the lock of one that was killed is gone."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from export import locking as export_locking
from zoo import locking
from zoo.errors import UserError
from zoo.locking import LOCK, locked

ROOT = Path(__file__).parents[2]

HOLD = """
import sys
from pathlib import Path
from zoo.locking import locked

with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    input()
"""


@pytest.fixture
def hold():
    """`hold(folder)` locks a folder in another process, until that gets a line or is killed."""
    processes = []

    def start(folder):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, folder],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        assert process.stdout.readline() == "locked\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_the_second_process_is_refused_until_the_first_ends(tmp_path, hold):
    folder = tmp_path / "runs" / "x"
    first = hold(folder)
    with pytest.raises(UserError, match="another process is writing to .*x: wait"), locked(folder):
        pass
    assert (folder / LOCK).exists()
    first.communicate("\n", timeout=60)
    assert not folder.exists()  # nothing was written
    with locked(folder):
        assert (folder / LOCK).exists()
        (folder / "a").touch()
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_the_lock_of_a_killed_process_is_gone(tmp_path, hold):
    first = hold(tmp_path)
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=60)
    assert (tmp_path / LOCK).exists()
    hold(tmp_path).communicate("\n", timeout=60)
    assert not (tmp_path / LOCK).exists()


def test_a_process_may_lock_again_what_it_has_locked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with locked(tmp_path):
        with locked(Path(".")):
            pass
        assert (tmp_path / LOCK).exists()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("module", [locking, export_locking])
def test_a_file_system_without_locks_can_be_used(tmp_path, monkeypatch, module):
    def refuse(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(module.fcntl, "flock", refuse)
    with module.locked(tmp_path / "run"):
        pass
    assert os.listdir(tmp_path) == []


def test_an_empty_folder_that_was_there_stays(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError
    assert tmp_path.exists()
