"""A folder that holds a trained task keeps it until newer training has a checkpoint there."""

import json

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.test_text_classifier import ROWS
from zoo.errors import UserError
from zoo.training.callbacks import WatchBatches

SIZES = {"embedding_dim": 7, "units": 5, "max_length": 11}


def make_task(**options):
    task = zoo.TextClassifier("rnn_classifier", "tiny", **{**SIZES, **options})
    task.adapt(ROWS)
    return task


def fit(task, epochs=1, **options):
    return task.fit(ROWS, epochs=epochs, xla=False, verbose=False, **options)


def weights(task):
    return [np.array(weight) for weight in task.model.weights]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def saved(tmp_path):
    """A task whose weights are not those of its best checkpoint, in a folder."""
    task = make_task()
    fit(task, validation_data=ROWS[:9], folder=tmp_path)
    for weight in task.model.weights:
        weight.assign(weight + 1)
    task.save(tmp_path)
    return tmp_path, weights(task)


def check_kept(folder, expected, before):
    now = files(folder)
    assert {name: now[name] for name in before if name != "log.txt"} == {
        name: content for name, content in before.items() if name != "log.txt"
    }
    for kept, weight in zip(expected, weights(zoo.load(folder)), strict=True):
        np.testing.assert_array_equal(kept, weight)


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        ({}, {}, "has monitor val_accuracy, not None"),  # the validation data forgotten
        ({"units": 6}, {"validation_data": ROWS[:9]}, "another model|does not fit"),
    ],
)
def test_training_that_is_refused_leaves_a_folder_as_it_was(saved, settings, options, message):
    folder, expected = saved
    before = files(folder)
    with pytest.raises(UserError, match=message):
        fit(make_task(**settings), 3, folder=folder, resume=True, **options)
    check_kept(folder, expected, before)


def test_training_stopped_before_its_first_checkpoint_leaves_it_too(tmp_path, monkeypatch):
    task = make_task()
    task.save(tmp_path)
    expected, before = weights(task), files(tmp_path)

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(WatchBatches, "on_train_batch_begin", stop)
    assert fit(zoo.load(tmp_path), folder=tmp_path).stopped == "interrupted"
    check_kept(tmp_path, expected, before)


def test_a_new_run_is_none_before_its_first_checkpoint(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(WatchBatches, "on_train_batch_begin", stop)
    fit(make_task(), folder=tmp_path)
    with pytest.raises(UserError, match="holds no config.json"):
        zoo.load(tmp_path)


def test_what_older_training_left_goes_with_the_first_checkpoint(saved):
    folder, old = saved
    (folder / "metrics.json").write_text('{"accuracy": 0.5}')
    task = zoo.load(folder)
    fit(task, 2, validation_data=ROWS[:9], folder=folder, resume=True)
    assert not {"metrics.json", "weights.weights.h5"} & set(files(folder))
    for before, weight in zip(old, weights(zoo.load(folder)), strict=True):
        assert np.abs(before - weight).max() > 0.1


def test_without_a_best_epoch_the_last_is_loaded(tmp_path):
    task = make_task()
    fit(task, folder=tmp_path)
    (tmp_path / "checkpoints" / "best.weights.h5").unlink()
    for kept, weight in zip(weights(task), weights(zoo.load(tmp_path)), strict=True):
        np.testing.assert_array_equal(kept, weight)


def test_without_weights_there_is_nothing_to_load(tmp_path):
    make_task().save(tmp_path)
    (tmp_path / "weights.weights.h5").unlink()
    with pytest.raises(UserError, match=r"holds no weights\.weights\.h5: restore it"):
        zoo.load(tmp_path)


def test_a_run_that_goes_on_keeps_the_options_that_are_not_given(tmp_path):
    fit(make_task(), learning_rate=3e-3, warmup=5, seed=7, folder=tmp_path)
    task = zoo.load(tmp_path)
    fit(task, 2, folder=tmp_path, resume=True)
    training = json.loads((tmp_path / "config.json").read_text())["training"]
    assert (training["learning_rate"], training["warmup"], training["seed"]) == (3e-3, 5, 7)
    assert training["epochs"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate must be above 0, got 0.0"),
        ({"learning_rate": -1.0}, "learning_rate must be above 0, got -1.0"),
        ({"warmup": 0}, "warmup must be at least 1 update, got 0"),
        ({"seed": -1}, "seed must be an integer from 0 to 4294967295, got -1"),
    ],
)
def test_rates_and_seeds_that_cannot_be_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        fit(make_task(), **options)
