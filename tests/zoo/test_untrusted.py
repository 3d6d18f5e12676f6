"""Special files in the place of each file of a run, and links out of it: refused, and at once."""

import os
import shutil
import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest

import zoo
from zoo.atomic import replacing
from zoo.data.readers.npz import read_arrays
from zoo.data.shards.shard import FACTS, finished
from zoo.errors import UserError
from zoo.locking import locked
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.config import is_run, to_resume
from zoo.training.hdf5 import check_plain
from zoo.training.run_log import RunLog
from zoo.training.seal import is_intact
from zoo.untrusted import open_regular, read_regular, sha256

ROWS = [(f"{word} film", label) for word, label in (("fine", "good"), ("dull", "bad"))] * 6
HOW = {"xla": False, "verbose": False, "warmup": 2}
SECONDS = 300  # after which a call hangs; it takes a second, if others let it


@contextmanager
def in_time() -> Iterator[None]:
    """Fails instead of waiting for a pipe that nobody writes to."""

    def late(*_):
        raise AssertionError(f"it hangs: no end after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def to_itself(path: Path) -> None:
    path.symlink_to(path.name)


SPECIAL = [pipe, endless, folder, to_itself]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("runs") / "run"
    task = zoo.TextClassifier("ngram_classifier", max_length=9)
    task.adapt(ROWS)
    task.fit(ROWS, ROWS, folder=place, epochs=1, **HOW)
    task.save(place)
    return place


def files(place: Path) -> list[str]:
    return sorted(x.relative_to(place).as_posix() for x in place.rglob("*") if x.is_file())


OPTIONAL = ("history.csv", "log.txt", "metrics.json")  # without which a run is loaded


@pytest.mark.quick(2)
@pytest.mark.parametrize("special", SPECIAL)
def test_in_the_place_of_each_file_of_a_run(run, special, tmp_path, attack):
    tried = attack("special files", "run")
    names = files(run)
    assert {"config.json", "weights.weights.h5", "tokenizer/tokenizer.json"} < {*names}
    assert any(name.endswith(".npz") for name in names)  # the baseline
    for number, name in enumerate(names):
        place = shutil.copytree(run, tmp_path / str(number))
        (place / name).unlink()
        special(place / name)
        for check_digests in (True, False):
            needed = not name.startswith("checkpoints/") and name not in OPTIONAL
            tried()
            with in_time():
                try:
                    zoo.load(place, check_digests=check_digests)
                    assert not needed or not check_digests
                except UserError as error:
                    assert needed and Path(name).name in str(error)
        with in_time():
            resumed(place)


def resumed(place: Path) -> None:
    """Goes on with a run, or is refused in a sentence."""
    try:
        task = zoo.load(to_resume(place))
        task.fit(ROWS, ROWS, folder=place, epochs=2, resume=True, **HOW)
    except (UserError, IsADirectoryError) as error:
        assert str(place) in str(error)


@pytest.mark.parametrize("special", SPECIAL)
def test_in_the_place_of_what_is_read_by_its_name(special, tmp_path):
    readers = [open_regular, lambda x: read_regular(x, 9), sha256, check_plain, is_intact]
    for number, read in enumerate([*readers, read_arrays]):
        special(tmp_path / f"{number}.npz")
        with in_time(), pytest.raises((OSError, ValueError)):
            read(tmp_path / f"{number}.npz")


def test_regular_files_are_read(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "link", 3) == b"abc"
    with pytest.raises(ValueError, match="it has more than 0 MB"):
        read_regular(path, 2)
    assert sha256(path).startswith("ba7816bf")
    np.savez(tmp_path / "a.npz", a=np.arange(3))
    assert read_arrays(tmp_path / "a.npz")["a"].tolist() == [0, 1, 2]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = 3
    check_plain(tmp_path / "a.h5")


def test_a_shard_with_a_pipe_in_it_is_written_again(tmp_path):
    (tmp_path / "shard-000000").mkdir()
    os.mkfifo(tmp_path / "shard-000000" / "a.npy")
    (tmp_path / "shard-000000" / FACTS).write_text('{"files": {"a.npy": "0"}}')
    with in_time():
        assert finished(tmp_path, 0) is None


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_in_the_place_of_a_file_of_a_checkpoint(name, special, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / name).unlink(missing_ok=True)
    special(tmp_path / name)
    with in_time(), pytest.raises(UserError, match=r"config.json|safetensors"):
        Checkpoint(tmp_path).shape("x")


# --- Writing: nothing outside of the folder is changed ---


@pytest.fixture
def victim(tmp_path):
    place = tmp_path / "home"
    (place / "start").mkdir(parents=True)
    for name in ("notes.txt", "config.json", "state.json", "start/notes.txt"):
        (place / name).write_text("mine")
    return place


def unchanged(victim: Path) -> bool:
    names = ["config.json", "notes.txt", "start/notes.txt", "state.json"]
    return files(victim) == names and {(victim / x).read_text() for x in names} == {"mine"}


def test_files_are_not_moved_out_of_a_folder_that_a_run_names_by_a_link(run, victim, tmp_path):
    place = shutil.copytree(run, tmp_path / "run")
    (place / ".committed").symlink_to(victim)
    assert is_run(place)
    zoo.load(place)
    assert unchanged(victim)


def test_files_behind_a_link_are_neither_deleted_nor_replaced(run, victim, tmp_path):
    place = shutil.copytree(run, tmp_path / "run")
    shutil.copytree(run, place / ".committed", ignore=shutil.ignore_patterns("checkpoints", "*.h5"))
    shutil.copy(place / ".committed" / "config.json", place / ".committed" / "notes.txt")
    shutil.rmtree(place / "tokenizer")
    (place / "tokenizer").symlink_to(victim)
    is_run(place)
    assert unchanged(victim)
    shutil.rmtree(place / "checkpoints")
    (place / "checkpoints").symlink_to(victim)
    is_run(place)
    assert unchanged(victim)


@pytest.mark.parametrize("name", ["checkpoints", "tensorboard"])
def test_a_training_does_not_write_behind_a_link(name, run, victim, tmp_path):
    place = shutil.copytree(run, tmp_path / "run")
    task = zoo.load(place)
    shutil.rmtree(place / name, ignore_errors=True)
    (place / name).symlink_to(victim)
    with pytest.raises(UserError, match=f"{name} is a link out of .*run"):
        task.fit(ROWS, ROWS, folder=place, epochs=2, resume=True, **HOW)
    assert unchanged(victim)


def test_logs_locks_and_partial_files_are_no_links(victim, tmp_path):
    target = victim / "notes.txt"
    (tmp_path / "log.txt").symlink_to(target)
    RunLog(tmp_path / "log.txt", None)("epoch 1")
    (tmp_path / "partial.a.json").symlink_to(target)
    with replacing(tmp_path / "a.json") as partial:
        partial.write_text("new")
    assert (tmp_path / "a.json").read_text() == "new"
    (tmp_path / ".lock").symlink_to(victim / "made.txt")
    with pytest.raises(UserError, match=".lock is a link: delete it"), locked(tmp_path):
        pass
    assert unchanged(victim)
    os.mkfifo(tmp_path / "pipe.txt")
    with in_time():
        RunLog(tmp_path / "pipe.txt", None)("epoch 1")


def test_reading_a_small_file_takes_little_memory(tmp_path):
    """However large a file may be."""
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    tracemalloc.start()
    assert read_regular(path, 1 << 30) == b"abc"
    assert tracemalloc.get_traced_memory()[1] < 1 << 16
    tracemalloc.stop()
