import errno
import os

import h5py
import numpy as np
import pytest

from tests.zoo.training.small_run import build_model, token_rows
from zoo import atomic
from zoo.errors import DiskFull, UserError
from zoo.training.checkpoint import Checkpoints
from zoo.training.compiling import compile_model
from zoo.training.optimizer import adam
from zoo.training.resume_group import read_progress
from zoo.training.state import TrainingState
from zoo.training.weights import seed_variables


@pytest.fixture(scope="module")
def trained():
    """A model after three updates: neither its optimizer nor its dropout is where it began."""
    model = compiled()
    tokens, labels = token_rows()
    for _ in range(3):
        model.train_on_batch(tokens, {"logits": labels})
    return model


def compiled():
    model = build_model()
    loss = {"logits": "sparse_categorical_crossentropy"}
    compile_model(model, adam(0.01), loss, jit_compile=False)
    return model


def save_epochs(model, checkpoints, *values):
    state = TrainingState(3, "val_loss")
    for epoch, value in enumerate(values, 1):
        best = state.record({"epoch": epoch, "val_loss": value}, checkpoints.keep)
        checkpoints.save(model, state, best)
    return state


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_weights_optimizer_and_random_states_come_back(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    state = save_epochs(trained, checkpoints, 2.0)
    assert checkpoints.read_state() == state
    model = compiled()
    checkpoints.restore(model)
    assert int(model.optimizer.iterations.numpy()) == 3
    for kind in (lambda m: m.weights, lambda m: m.optimizer.variables, seed_variables):
        for now, then in zip(kind(model), kind(trained), strict=True):
            np.testing.assert_array_equal(now.numpy(), then.numpy())
    assert [int(seed.numpy()[1]) for seed in seed_variables(model)] == [3, 3]


def test_only_the_best_epochs_keep_a_file(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    state = save_epochs(trained, checkpoints, 5.0, 3.0, 6.0, 4.0)
    assert names(tmp_path) == [
        "best.weights.h5",
        "epoch-0002.weights.h5",
        "epoch-0004.weights.h5",
        "last.weights.h5",
        "state.json",
    ]
    assert [path.name[:10] for path in checkpoints.kept(state)] == ["epoch-0002", "epoch-0004"]


def test_a_run_that_is_not_resumable_keeps_weights_only(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path, resumable=False)
    save_epochs(trained, checkpoints, 5.0, 3.0)
    assert names(tmp_path) == ["best.weights.h5"]
    assert not checkpoints.exists()


@pytest.mark.parametrize(("file", "epoch"), [("last.weights.h5", 1), ("state.json", 2)])
def test_stopped_while_committing(trained, tmp_path, monkeypatch, file, epoch):
    """Until the new weights are in place the old epoch holds; from then on the new one."""
    state = save_epochs(trained, Checkpoints(tmp_path), 2.0)
    replace = os.replace

    def stop(source, target):
        if target.name == file:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", stop)
    state.record({"epoch": 2, "val_loss": 1.0}, keep=0)
    with pytest.raises(KeyboardInterrupt):
        Checkpoints(tmp_path).save(trained, state, False)
    monkeypatch.undo()
    actual = Checkpoints(tmp_path).read_state()
    assert actual.epoch == len(actual.history) == epoch
    assert Checkpoints(tmp_path).read_state() == actual


def test_a_full_disk_leaves_the_checkpoints_before_it(trained, tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    class Full:
        free = 1000

    monkeypatch.setattr(atomic.shutil, "disk_usage", lambda path: Full)
    with pytest.raises(UserError, match=r"The disk is full: .*last\.weights\.h5 was not written"):
        save_epochs(trained, checkpoints, 1.0)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    monkeypatch.undo()

    def fill_up(path, *_, **__):
        with open(path, "wb") as file:
            file.write(b"half")
        raise OSError("write failed (errno = 28, error message = 'No space left on device')")

    monkeypatch.setattr(trained, "save_weights", fill_up)
    with pytest.raises(UserError, match="The disk is full.* The last checkpoint is intact"):
        save_epochs(trained, checkpoints, 3.0)
    empty = Checkpoints(tmp_path / "empty")  # here there is none
    with pytest.raises(DiskFull, match=r"Free some space, then try again\.$"):
        save_epochs(trained, empty, 3.0)
    assert not empty.exists()
    actual = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    actual.pop("pending.state.json")  # is of no weights
    assert actual == before
    assert checkpoints.read_state().epoch == len(checkpoints.read_state().history)


def test_another_failure_to_write_is_not_called_a_full_disk(trained, tmp_path, monkeypatch):
    def fail(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(trained, "save_weights", fail)
    with pytest.raises(PermissionError):
        save_epochs(trained, Checkpoints(tmp_path), 2.0)
    assert not Checkpoints(tmp_path).exists()


def test_a_failure_after_the_weights_were_renamed_can_be_resumed(trained, tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)

    def fail(path):
        if path == tmp_path and (tmp_path / "pending.state.json").exists() and renamed():
            raise OSError(errno.EIO, "Input/output error", str(path))

    def renamed():
        return read_progress(checkpoints.last)[0] == 2

    monkeypatch.setattr(atomic, "sync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        save_epochs(trained, checkpoints, 1.0, 0.5)
    monkeypatch.undo()
    assert Checkpoints(tmp_path).read_state().epoch == 2


def test_damaged_and_mismatched_files_are_named(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    text, weights = checkpoints.state.read_text(), checkpoints.last.read_bytes()

    checkpoints.last.write_bytes(weights[: len(weights) // 3])
    with pytest.raises(UserError, match=r"last\.weights\.h5 is damaged .*restore it from a backup"):
        checkpoints.read_state()
    checkpoints.last.unlink()
    with pytest.raises(
        UserError, match=r"state\.json is of epoch 1, step 0, but last\.weights\.h5 of"
    ):
        checkpoints.read_state()
    checkpoints.last.write_bytes(weights)
    checkpoints.state.unlink()
    assert checkpoints.exists()
    with pytest.raises(UserError, match=r"state\.json is missing"):
        checkpoints.read_state()
    checkpoints.state.write_text(text[:40])
    with pytest.raises(UserError, match=r"state\.json is not a valid state file"):
        checkpoints.read_state()
    checkpoints.state.write_text(text)
    assert checkpoints.read_state().epoch == 1
    build_model().save_weights(checkpoints.last)  # weights, but not of a checkpoint
    with pytest.raises(UserError, match=r"last\.weights\.h5 is damaged"):
        checkpoints.read_state()


def test_another_optimizer_does_not_fit(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    model = compiled()
    model.compile("sgd", "mse")
    with pytest.raises(UserError, match=r"last\.weights\.h5 does not fit this model: Skipping"):
        checkpoints.restore(model)


def test_a_changed_bit_of_the_optimizer_is_found(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path)
    save_epochs(trained, checkpoints, 2.0)
    with h5py.File(checkpoints.last, "r+") as file:
        variable = file["optimizer/vars/3"]
        variable[...] = np.asarray(variable) + 1
    with pytest.raises(UserError, match=r"last\.weights\.h5 is damaged .its weights are not those"):
        checkpoints.restore(compiled())
