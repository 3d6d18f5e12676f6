"""One process at a time writes to a folder; the lock of one that was killed is gone."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from export import files
from export.files import locked_beside
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


@pytest.mark.parametrize("lock", [locked, locked_beside])
def test_a_file_system_without_locks_can_be_used(tmp_path, monkeypatch, lock):
    def refuse(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    with lock(tmp_path / "run"):
        pass
    assert os.listdir(tmp_path) == []


def test_an_empty_folder_that_was_there_stays(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError
    assert tmp_path.exists()


@pytest.mark.parametrize("name", ["run/.lock", ".run.lock"])
def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path, name):
    """It may lead to a file of another user."""
    other = tmp_path / "other"
    (tmp_path / "run").mkdir()
    (tmp_path / name).symlink_to(other)
    lock = locked if name.startswith("run/") else locked_beside
    with pytest.raises(ValueError, match="lock is a link: delete it"), lock(tmp_path / "run"):
        pass
    assert not other.exists()


def test_a_new_folder_that_stays_empty_is_removed_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path / "run"):
        raise RuntimeError
    assert os.listdir(tmp_path) == []


def test_an_export_waits_or_is_refused_while_another_one_has_the_path(tmp_path):
    with locked_beside(tmp_path / "a.tflite"):
        message = "Another process is exporting to .*a.tflite: wait until it ends"
        with pytest.raises(ValueError, match=message), locked_beside(tmp_path / "a.tflite"):
            pass
        assert os.listdir(tmp_path) == [".a.tflite.lock"]
    with locked_beside(tmp_path / "a.tflite", wait=True):
        pass
    assert os.listdir(tmp_path) == []
