"""A folder that holds a trained task keeps it until newer training has a checkpoint there."""

import json
import os
import shutil
import stat
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import export
import zoo
from export import processes
from tests.zoo.tasks.test_text_classifier import ROWS
from zoo.errors import UserError
from zoo.tasks.config import to_resume
from zoo.tasks.fit import fit_options
from zoo.tasks.folder import START
from zoo.training.watch_batches import WatchBatches

SIZES = {"embedding_dim": 7, "units": 5, "max_length": 11}


def make_task(rows=ROWS, **options):
    task = zoo.TextClassifier("rnn_classifier", "tiny", **{**SIZES, **options})
    task.adapt(rows)
    return task


def fit(task, epochs=1, rows=ROWS, **options):
    return task.fit(rows, epochs=epochs, xla=False, verbose=False, **options)


def weights(task):
    return [np.array(weight) for weight in task.model.weights]


def same_weights(actual, expected):
    for ours, theirs in zip(weights(actual), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def files(folder):
    """What is in a folder, but for the log, which a refused run may write to."""
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "log.txt"
    }


def test_who_may_read_files_is_for_the_user_to_say(tmp_path):
    """Of a run with its checkpoints, and of artifacts."""
    umask = 0o037
    processes._server.stop()  # it would keep its umask
    before = os.umask(umask)
    try:
        task = make_task()
        fit(task, validation_data=ROWS[:9], folder=tmp_path / "run")
        task.save(tmp_path / "run")
        export.saved_model(task, tmp_path / "saved")
        export.litert(task, tmp_path / "a.tflite")
    finally:
        processes._server.stop()
        os.umask(before)
    actual = {str(path.relative_to(tmp_path)): path.stat().st_mode for path in tmp_path.rglob("*")}
    assert {"run/config.json", "run/checkpoints/last.weights.h5", "a.tflite"} <= {*actual}
    for name, mode in actual.items():
        most = 0o777 if stat.S_ISDIR(mode) else 0o666
        assert stat.S_IMODE(mode) == most & ~umask, name


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A task whose weights are not those of its best checkpoint, in a folder."""
    folder, task = tmp_path_factory.mktemp("trained"), make_task()
    fit(task, validation_data=ROWS[:9], folder=folder, learning_rate=3e-3, warmup=5, seed=7)
    for weight in task.model.weights:
        weight.assign(weight + 1)
    task.save(folder)
    return folder, weights(task)


@pytest.fixture
def saved(trained, tmp_path):
    """The same in a folder to do harm to."""
    return shutil.copytree(trained[0], tmp_path / "run"), trained[1]


def check_kept(folder, expected, before):
    assert files(folder) == before
    same_weights(zoo.load(folder), expected)


FEW = [("un deux", "bad"), ("deux trois", "good"), ("quatre", "odd")]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("rows", "settings", "options", "message"),
    [
        (ROWS, {}, {"resume": True}, "validation data of text-classifier was in memory: pass it"),
        (ROWS, {"units": 6}, {"resume": True, "validation_data": ROWS[:9]}, "does not fit"),
        (FEW, {}, {"resume": True, "validation_data": FEW}, "has another vocabulary"),
        (ROWS, {}, {"validation_data": ROWS[:9]}, "already contains a training run"),
    ],
)
def test_training_that_is_refused_leaves_all_as_it_was(saved, rows, settings, options, message):
    folder, expected = saved
    before = files(folder)
    with pytest.raises(UserError, match=message):
        fit(make_task(rows, **settings), 3, rows, folder=folder, **options)
    check_kept(folder, expected, before)


def stop(*_, **__):
    raise KeyboardInterrupt


def test_training_stopped_before_its_first_checkpoint_leaves_it_too(tmp_path, monkeypatch):
    task = make_task()
    task.save(tmp_path)
    expected, before = weights(task), files(tmp_path)
    monkeypatch.setattr(WatchBatches, "on_train_batch_begin", stop)
    assert fit(zoo.load(tmp_path), folder=tmp_path).stopped == "interrupted"
    kept = {path: x for path, x in files(tmp_path).items() if tmp_path / START not in path.parents}
    assert kept == before
    same_weights(zoo.load(tmp_path), expected)


OPTIONS = {"learning_rate": 3e-3, "warmup": 5, "seed": 7, "validation_data": ROWS[:9]}


@pytest.mark.long
def test_stopped_before_its_first_checkpoint_it_is_resumed_as_it_began(tmp_path, monkeypatch):
    """With its options, its vocabulary and its initial weights, though none of them is given."""
    whole = make_task(units=6)
    for weight in whole.model.weights:  # not those that a seed gives
        weight.assign(weight + 0.1)
    began = weights(whole)
    expected = fit(whole, 2, folder=tmp_path / "whole", **OPTIONS)
    stopped = make_task(units=6)
    for weight, value in zip(stopped.model.weights, began, strict=True):
        weight.assign(value)
    run = tmp_path / "run"
    monkeypatch.setattr(WatchBatches, "on_train_batch_begin", stop)
    fit(stopped, 2, folder=run, **OPTIONS)
    monkeypatch.undo()
    with pytest.raises(UserError, match="its first epoch did not end: continue with --resume, or"):
        zoo.load(run)
    with pytest.raises(UserError, match=r"has another vocabulary: resume zoo.load\('.*start'\)"):
        fit(make_task(FEW), 2, FEW, folder=run, resume=True, validation_data=FEW)

    again = zoo.load(to_resume(run))
    assert again.model_options["units"] == 6
    history = again.fit(ROWS, ROWS[:9], folder=run, resume=True, verbose=False)
    assert history.history["loss"] == expected.history["loss"]
    same_weights(again, weights(whole))
    same_weights(zoo.load(run), weights(whole))
    configs = [json.loads((each / "config.json").read_text()) for each in (run, tmp_path / "whole")]
    assert configs[0] == configs[1]
    assert not (run / START).exists()


@pytest.mark.long
def test_an_epoch_that_was_cut_short_is_repeated_from_where_it_began(tmp_path):
    """Also if it is the first one."""
    expected = fit(make_task(), 2, folder=tmp_path / "whole", **OPTIONS)
    run = tmp_path / "run"
    cut = make_task()
    fit(cut, 2, folder=run, max_minutes=1e-9, **OPTIONS)
    cut.save(run)
    same_weights(zoo.load(run), weights(cut))
    again = zoo.load(to_resume(run))
    history = again.fit(ROWS, ROWS[:9], folder=run, resume=True, verbose=False)
    assert history.history["loss"] == expected.history["loss"]


@pytest.mark.parametrize("there", [False, True])
def test_without_a_run_to_resume_a_new_one_begins(tmp_path, caplog, there):
    folder = tmp_path / "run"
    if there:
        (folder / "tokenizer").mkdir(parents=True)
    task = make_task()
    fit(task, folder=folder, resume=True)
    assert f"{folder} contains no run to resume: a new one begins" in caplog.text
    same_weights(zoo.load(folder), weights(task))


def test_a_resumed_run_is_compiled_as_before(saved, monkeypatch):
    """XLA computes other numbers."""
    folder, _ = saved
    compiled = []

    def stand_in(model, data, plan, *_):
        compiled.append(plan.jit_compile)
        raise InterruptedError

    monkeypatch.setattr("zoo.tasks.training_run.train", stand_in)
    options = {"validation_data": ROWS[:9], "epochs": 3, "verbose": False}
    for given in ({}, {"xla": True}):
        with pytest.raises(InterruptedError):
            zoo.load(folder).fit(ROWS, folder=folder, resume=True, **given, **options)
    assert compiled == [False, True]


def test_another_run_that_is_saved_in_the_folder_takes_its_place(saved, monkeypatch):
    """Its vocabulary comes with its weights, or not at all."""
    folder, expected = saved
    other = make_task(FEW)
    with pytest.raises(UserError, match="contains checkpoints of another run, which would be res"):
        other.save(folder)
    shutil.rmtree(folder / "checkpoints")
    replace = os.replace

    def stop_before(name, source, target):
        if Path(target).name == name:
            raise KeyboardInterrupt
        replace(source, target)

    old = (zoo.load(folder).tokenizer.vocabulary, expected)
    new = (other.tokenizer.vocabulary, weights(other))
    assert old[0] != new[0]
    for name, kept in ((".committed", old), ("config.json", new)):  # before the commit, and after
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(os, "replace", partial(stop_before, name))
            other.save(folder)
        actual = zoo.load(folder)
        assert actual.tokenizer.vocabulary == kept[0]
        same_weights(actual, kept[1])


@pytest.mark.parametrize("name", ["weights.weights.h5", "tokenizer/tokenizer.json", "baseline.npz"])
def test_a_file_of_another_run_is_refused(saved, name):
    folder, _ = saved
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(UserError, match=f"{name} is damaged, or of another run"):
        zoo.load(folder)
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"{name} is missing"):
        zoo.load(folder)


@pytest.mark.parametrize("section", ["settings", "model_options", "training"])
def test_another_value_in_the_config_is_found(saved, section):
    folder, _ = saved
    path = folder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config))  # with another layout
    zoo.load(folder)
    name, value = next((n, v) for n, v in config[section].items() if type(v) in (int, float, str))
    config[section][name] = f"{value}a" if isinstance(value, str) else value + 1
    path.write_text(json.dumps(config))
    with pytest.raises(UserError, match="config.json"):
        zoo.load(folder)


def test_digests_need_not_be_checked(saved):
    folder, _ = saved
    config = json.loads((folder / "config.json").read_text())
    config["digests"]["weights.weights.h5"] = config["sha256"] = "0" * 64
    (folder / "config.json").write_text(json.dumps(config))
    same_weights(zoo.load(folder, check_digests=False), saved[1])
    del config["digests"], config["sha256"]  # of a run of an earlier version
    (folder / "config.json").write_text(json.dumps(config))
    same_weights(zoo.load(folder), saved[1])
    config["digests"] = {"../weights": "0"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match="config.json is damaged .'digests'"):
        zoo.load(folder)


@pytest.mark.long
def test_what_older_training_left_goes_with_the_first_checkpoint(saved):
    folder, old = saved
    (folder / "metrics.json").write_text('{"accuracy": 0.5}')
    task = zoo.load(folder)
    fit(task, 2, validation_data=ROWS[:9], folder=folder, resume=True)
    assert not {"metrics.json", "weights.weights.h5"} & {path.name for path in files(folder)}
    for before, weight in zip(old, weights(zoo.load(folder)), strict=True):
        assert np.abs(before - weight).max() > 0.1


@pytest.mark.thorough
def test_the_best_epoch_is_kept_and_loaded(tmp_path, monkeypatch):
    """Neither the last nor the first."""
    accuracies, seen = iter([0.25, 0.75, 0.5]), []

    def validation(self, batches, fitted):
        def evaluate(model, check):
            seen.append([np.array(weight) for weight in model.weights])
            return {"val_accuracy": next(accuracies)}

        return evaluate

    monkeypatch.setattr(type(zoo.TextClassifier.parts.recipe), "validation", validation)
    task = make_task()
    history = fit(task, 3, validation_data=ROWS[:9], folder=tmp_path)
    assert (history.best_epoch, history.best_value) == (2, 0.75)
    same_weights(task, seen[1])
    assert any((a != b).any() for a, b in zip(seen[1], seen[2], strict=True))
    assert not (tmp_path / "weights.weights.h5").exists()
    same_weights(zoo.load(tmp_path), seen[1])
    # Without it there is still the last one.
    (tmp_path / "checkpoints" / "best.weights.h5").unlink()
    same_weights(zoo.load(tmp_path), seen[2])


def test_a_task_that_is_saved_twice_is_the_same_twice(tmp_path):
    task = make_task()
    scores = task.evaluate(ROWS[:9])
    task.save(tmp_path / "once")
    assert json.loads((tmp_path / "once" / "metrics.json").read_text()) == scores
    zoo.load(tmp_path / "once").save(tmp_path / "twice")
    once, twice = (tmp_path / name for name in ("once", "twice"))
    tokenizers = [folder / "tokenizer" / "tokenizer.json" for folder in (once, twice)]
    assert tokenizers[0].read_bytes() == tokenizers[1].read_bytes()
    configs = [json.loads((folder / "config.json").read_text()) for folder in (once, twice)]
    for config in configs:
        del config["digests"], config["sha256"]
    assert configs[0] == configs[1]


def test_a_run_that_continues_keeps_the_options_that_are_not_given(saved):
    folder, _ = saved
    task, given = zoo.load(folder), {"folder": folder, "epochs": 2}
    training, _ = fit_options(task, {**given, "resume": True})
    assert (training.learning_rate, training.warmup, training.seed) == (3e-3, 5, 7)
    assert training.epochs == 2 and task.training["epochs"] == 1
    training, _ = fit_options(task, given)  # one that begins anew does not
    assert (training.learning_rate, training.warmup, training.seed) == (None, None, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0, got 0.0"),
        ({"learning_rate": -1.0}, "learning_rate must be a number above 0, got -1.0"),
        ({"warmup": 0}, "warmup must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0 and below 4294967296, got -1"),
        ({"layer_decay": 0.0}, "layer_decay must be"),
        ({"accumulate": 1000}, "accumulate must be at most the number of batches, .*, got 1000"),
        ({"distribute": "data"}, "distribute requires the backend jax, not tensorflow"),
        ({"folder": None, "resume": True}, "resume"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        fit(make_task(), **options)


def test_data_in_memory_have_to_be_given_again(saved):
    folder, _ = saved
    with pytest.raises(UserError, match="data of text-classifier was in memory: pass it again"):
        zoo.load(folder).fit(folder=folder, resume=True, epochs=3, verbose=False)
    with pytest.raises(UserError, match="the training data of text-classifier is missing"):
        make_task().fit(epochs=3, verbose=False)


def test_damaged_names_of_files_are_refused(saved):
    folder, _ = saved
    config = json.loads((folder / "config.json").read_text())
    for names in ([], "a.tsv", [3], {"x": 5}):
        config["files"] = {"data": names}
        (folder / "config.json").write_text(json.dumps(config))
        with pytest.raises(UserError, match="the names of the data files are damaged"):
            zoo.load(folder, check_digests=False).fit(folder=folder, resume=True, verbose=False)
