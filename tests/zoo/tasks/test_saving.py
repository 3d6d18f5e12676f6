"""A run folder holds one run, whenever the process that replaces it is killed."""

import errno
import json
import os

import pytest

from tests.faults.steps import Steps
from zoo.errors import DiskFull
from zoo.locking import locked
from zoo.tasks.folder import CONFIG, DIGESTS, METRICS, OWN_DIGEST, START, STATE, WEIGHTS
from zoo.tasks.provenance import sha256, sha256_of_config
from zoo.tasks.saving import NEW, recover, replacing_run

OLD = {WEIGHTS: "old", "tokenizer/tokenizer.json": "old", "baseline.npz": "old"}
FRESH = {"tokenizer/tokenizer.json": "new", "images/sample.npz": "new"}
FRESH_WITH_WEIGHTS = {**FRESH, WEIGHTS: "new"}


def save(folder, files, name):
    with replacing_run(folder, {"task": name}) as new:
        for path, content in files.items():
            (new / path).parent.mkdir(exist_ok=True)
            (new / path).write_text(content)


def contents(folder):
    """What is in a folder, but for the config."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {name: path.read_text() for name, path in files.items() if path.is_file()} | {CONFIG: ""}


def config(folder):
    return json.loads((folder / CONFIG).read_text())


@pytest.mark.parametrize("files", [FRESH, FRESH_WITH_WEIGHTS])
def test_what_the_new_run_lacks_is_deleted_with_the_old_one(tmp_path, files):
    save(tmp_path, OLD, "old")
    (tmp_path / METRICS).write_text("{}")
    (tmp_path / "log.txt").write_text("of the user")
    save(tmp_path, files, "new")
    assert contents(tmp_path) == {**files, CONFIG: "", "log.txt": "of the user"}
    digests = {name: sha256(tmp_path / name) for name in files}
    expected = {"task": "new", DIGESTS: digests}
    assert config(tmp_path) == {**expected, OWN_DIGEST: sha256_of_config(expected)}


@pytest.mark.thorough
def test_killed_at_any_step_it_is_the_old_run_or_the_new_one(tmp_path, monkeypatch):
    """In a process that is killed before each rename, deletion, synchronization, and so on."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # which takes long
    actual, step = [], 0
    while True:
        folder = tmp_path / str(step)
        save(folder, OLD, "old")
        child = os.fork()
        if not child:  # it neither returns to pytest nor uses its threads
            Steps(folder, step).install()
            save(folder, FRESH, "new")
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        recover(folder)
        name = config(folder)["task"]
        kept = {**(OLD if name == "old" else FRESH), CONFIG: ""}
        left = {n: x for n, x in contents(folder).items() if not n.startswith(NEW)}
        assert left == kept, step
        save(folder, FRESH, "newer")  # over what the killed process has left
        assert contents(folder) == {**FRESH, CONFIG: ""}
        actual.append(name)
        if status == 0:
            break
        step += 1
    assert actual == sorted(actual, reverse=True) and set(actual) == {"old", "new"}
    assert len(actual) > 15


def test_the_start_of_a_training_goes_with_its_first_checkpoint(tmp_path):
    save(tmp_path / START, OLD, "start")
    (tmp_path / STATE).write_text("{}")  # of an epoch that was cut short: it is repeated
    save(tmp_path, FRESH, "cut")
    assert config(tmp_path / START)["task"] == "start"
    (tmp_path / "checkpoints" / "last.weights.h5").write_text("x")
    save(tmp_path, FRESH, "whole")
    assert not (tmp_path / START).exists()


@pytest.mark.parametrize("is_new", [True, False])
def test_a_full_disk_leaves_what_was_there(tmp_path, is_new):
    folder = tmp_path / "run"
    if not is_new:
        save(folder, OLD, "old")
    message = "The disk is full: .*run was not written. Free some space, then try again"
    with pytest.raises(DiskFull, match=message), locked(folder):
        with replacing_run(folder, {"task": "new"}) as new:
            (new / WEIGHTS).write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")
    assert folder.exists() != is_new
    if not is_new:
        assert contents(folder) == {**OLD, CONFIG: ""}


def test_a_config_cannot_name_files_outside_of_its_folder(tmp_path):
    """Else they would be deleted with the run."""
    (tmp_path / "kept.txt").write_text("kept")
    save(tmp_path / "run", OLD, "old")
    names = ["../kept.txt", str(tmp_path / "kept.txt")]
    (tmp_path / "run" / CONFIG).write_text(json.dumps({DIGESTS: dict.fromkeys(names, "")}))
    save(tmp_path / "run", FRESH, "new")
    assert (tmp_path / "kept.txt").exists()
