import csv
import io
import itertools
import json
import re
import signal
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
from rich.console import Console

from tests.zoo.training.small_run import (
    BATCH,
    ROWS,
    STEPS,
    VALIDATION_ROWS,
    build_model,
    data,
    run,
    signalling_data,
    token_rows,
    train_with,
)
from zoo.errors import UserError
from zoo.options import options_of
from zoo.training import end_epoch, run_files, tensorboard
from zoo.training.interruption import Interruption
from zoo.training.options import SessionOptions
from zoo.training.plan import OptimizerPlan
from zoo.training.run_files import CHECKPOINTS
from zoo.training.watch_batches import WatchBatches


def values(model):
    return [weight.numpy() for weight in model.weights]


def assert_same_numbers(run_1, run_2):
    """Equal weights and an equal history, but for the seconds it took."""
    (model_1, history_1), (model_2, history_2) = run_1, run_2
    for now, then in zip(values(model_1), values(model_2), strict=True):
        np.testing.assert_array_equal(now, then)
    numbers_1 = {name: column for name, column in history_1.history.items() if name != "seconds"}
    numbers_2 = {name: column for name, column in history_2.history.items() if name != "seconds"}
    assert numbers_1 == numbers_2
    assert history_1.epoch == history_2.epoch
    assert (history_1.best_epoch, history_1.best_value) == (
        history_2.best_epoch,
        history_2.best_value,
    )


def plain_sgd(learning_rate):
    return OptimizerPlan(name="sgd", learning_rate=learning_rate, momentum=0.0)


@pytest.fixture(scope="module")
def uninterrupted():
    model = build_model()
    return model, run(model)


def test_training_learns_and_its_history_is_complete(uninterrupted):
    _, history = uninterrupted
    assert history.epoch == [1, 2, 3, 4]
    assert history.stopped == "finished"
    assert history.history["val_loss"][-1] < 0.5 * history.history["val_loss"][0]
    assert history.best_value == min(history.history["val_loss"])
    assert history.best_epoch == 1 + int(np.argmin(history.history["val_loss"]))
    assert history.history["tokens"] == [float(np.count_nonzero(token_rows()[1]))] * 4
    assert "val_tokens" not in history.history
    np.testing.assert_allclose(
        history.history["learning_rate"][1], 7**-0.5 * 17 * 20**-1.5, rtol=1e-6
    )


def test_the_model_ends_with_its_best_weights(uninterrupted):
    model, history = uninterrupted
    tokens, labels = (rows[:VALIDATION_ROWS] for rows in token_rows())
    measured = model.evaluate(tokens, {"logits": labels}, verbose=0, return_dict=True, batch_size=6)
    np.testing.assert_allclose(measured["loss"], history.best_value, rtol=1e-5)


@pytest.mark.thorough
def test_a_seed_fixes_the_run_and_another_changes_it(uninterrupted):
    model, other = build_model(), build_model()
    assert_same_numbers((model, run(model)), uninterrupted)
    assert run(other, seed=30).history["loss"] != uninterrupted[1].history["loss"]


def test_the_log_of_many_epochs_is_short_and_the_history_has_all(tmp_path, monkeypatch):
    monkeypatch.setattr(end_epoch, "LINES", 4)
    history = run(build_model(), epochs=11, folder=tmp_path)
    text = (tmp_path / "log.txt").read_text()
    assert [int(n) for n in re.findall(r" epoch (\d+)/11:", text)] == [1, 3, 6, 9, 11]
    assert history.epoch == [*range(1, 12)]
    assert len((tmp_path / "history.csv").read_text().split()) == 12


def test_a_resumed_run_has_the_numbers_of_an_uninterrupted_one(uninterrupted, tmp_path):
    run(build_model(), epochs=2, folder=tmp_path)
    model = build_model()
    history = run(model, folder=tmp_path, resume=True)
    assert_same_numbers((model, history), uninterrupted)
    with open(tmp_path / "history.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2", "3", "4"]
    assert [float(row["loss"]) for row in rows] == history.history["loss"]
    text = (tmp_path / "log.txt").read_text()
    assert "resuming after epoch 2" in text
    assert [text.count(f" epoch {n}/") for n in (1, 2, 3, 4)] == [1, 1, 1, 1]

    (tmp_path / "history.csv").unlink()  # killed between the checkpoint and the history
    again = build_model()  # nothing is left to train
    assert_same_numbers((again, run(again, folder=tmp_path, resume=True)), uninterrupted)
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 5


@pytest.mark.long
def test_a_plain_dataset_is_repeated_and_resumed(tmp_path):
    dataset = tf.data.Dataset.from_tensor_slices(token_rows()).batch(BATCH)
    whole = build_model()
    history = run(whole, dataset)
    run(build_model(), dataset, epochs=1, folder=tmp_path)
    model = build_model()
    assert_same_numbers(
        (model, run(model, dataset, folder=tmp_path, resume=True)), (whole, history)
    )


@pytest.mark.thorough
def test_resuming_what_has_not_begun_starts_it(uninterrupted, tmp_path):
    model = build_model()
    assert_same_numbers((model, run(model, folder=tmp_path, resume=True)), uninterrupted)


@pytest.mark.thorough
def test_a_folder_in_use_is_not_overwritten_nor_resumed_with_other_settings(tmp_path):
    run(build_model(), epochs=1, folder=tmp_path)
    before = (tmp_path / "checkpoints" / "last.weights.h5").read_bytes()
    with pytest.raises(UserError, match="already contains a training run: resume it"):
        run(build_model(), epochs=1, folder=tmp_path)
    with pytest.raises(UserError, match="has steps_per_epoch 8, not 9"):
        run(build_model(), folder=tmp_path, resume=True, steps_per_epoch=9)
    with pytest.raises(UserError, match="has monitor val_loss, not val_accuracy"):
        run(build_model(), folder=tmp_path, resume=True, monitor="val_accuracy", mode="max")
    assert (tmp_path / "checkpoints" / "last.weights.h5").read_bytes() == before


@pytest.mark.parametrize("step", [5, STEPS])
def test_a_loss_that_is_no_number_stops_at_once_and_keeps_the_checkpoint(tmp_path, step):
    x = np.ones((STEPS * 3, 2), "float32")
    x[STEPS + step - 1] = np.nan  # in epoch 2
    dataset = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(1)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    with pytest.raises(UserError, match=rf"The loss became nan at step {step} of epoch 2\. Try"):
        train_with(
            model,
            dataset,
            epochs=3,
            steps_per_epoch=STEPS,
            optimizer=plain_sgd(0.1),
            loss="mse",
            folder=tmp_path,
            verbose=False,
        )
    assert int(model.optimizer.iterations.numpy()) <= 2 * STEPS
    assert json.loads((tmp_path / "checkpoints" / "state.json").read_text())["epoch"] == 1
    model.load_weights(tmp_path / "checkpoints" / "last.weights.h5")
    assert all(np.all(np.isfinite(weight)) for weight in values(model))
    assert "stopped: The loss became nan" in (tmp_path / "log.txt").read_text()


@pytest.mark.thorough
def test_patience_stops_and_a_resume_does_not_train_on(tmp_path):
    scores = iter([3.0, 5.0, 4.0, 4.9, 9.0])
    settings = {
        "evaluate": lambda *_: {"bleu": next(scores)},
        "monitor": "bleu",
        "mode": "max",
        "patience": 2,
        "epochs": 5,
        "folder": tmp_path,
    }
    history = run(build_model(), **settings)
    assert history.history["bleu"] == [3.0, 5.0, 4.0, 4.9]
    assert (history.stopped, history.best_epoch, history.best_value) == ("patience", 2, 5.0)
    log = (tmp_path / "log.txt").read_text()
    assert "early stopping: bleu has not improved for 2 evaluations" in log
    again = run(build_model(), resume=True, **settings)
    assert (again.epoch, again.stopped) == ([1, 2, 3, 4], "patience")


class Ends:
    """A callback that ends the training after an epoch."""

    def __init__(self, after):
        self.after, self.results = after, []

    def on_epoch(self, result):
        self.results.append(result)
        return result.epoch == self.after


@pytest.mark.thorough
def test_a_callback_is_told_each_epoch_and_ends_the_training(tmp_path):
    scores = iter([3.0, 5.0, 4.0, 9.0])
    settings = {
        "evaluate": lambda *_: {"bleu": next(scores)},
        "monitor": "bleu",
        "mode": "max",
        "epochs": 4,
        "folder": tmp_path,
    }
    first, second = Ends(3), Ends(9)
    history = run(build_model(), callbacks=[first, second], **settings)
    assert (history.stopped, history.epoch, history.best_epoch) == ("callback", [1, 2, 3], 2)
    assert "ended by a callback after epoch 3" in (tmp_path / "log.txt").read_text()
    assert [each.monitored for each in second.results] == [3.0, 5.0, 4.0]
    assert [each.metrics["loss"] for each in first.results] == history.history["loss"]
    assert {(each.monitor, each.mode) for each in first.results} == {("bleu", "max")}
    third = Ends(9)
    again = run(build_model(), resume=True, callbacks=[third], **settings)
    assert (again.stopped, again.epoch) == ("finished", [1, 2, 3, 4])
    assert [each.epoch for each in third.results] == [4]


def test_the_loss_decides_between_epochs_of_the_same_accuracy(tmp_path):
    """The weights of the lower loss are kept, training does not stop, and an average has to win."""

    losses = iter([0.9, 0.5, 0.7, 0.6])
    scores = {
        "evaluate": lambda *_: {"bleu": 5.0, "val_loss": next(losses, 8.0)},
        "monitor": "bleu",
        "mode": "max",
        "validation": None,
    }
    model, seen = build_model(), []
    settings = {"epochs": 5, "patience": 2, "average": 2, "folder": tmp_path}
    history = run(model, saved=lambda: seen.append(values(model)), **settings, **scores)
    assert (history.stopped, history.best_epoch, history.averaged) == ("patience", 2, False)
    for kept, best in zip(values(model), seen[1], strict=True):
        np.testing.assert_array_equal(kept, best)


def test_evaluate_is_called_every_n_epochs_and_at_the_last():
    called = []

    def evaluate(model, _):
        called.append(int(model.optimizer.iterations.numpy()) // STEPS)
        return {"bleu": 1.0}

    history = run(build_model(), evaluate=evaluate, evaluate_every=3)
    assert called == [3, 4]
    assert history.history["bleu"] == [None, None, 1.0, 1.0]


@pytest.mark.thorough
def test_time_that_is_over_cuts_the_epoch_and_a_resume_goes_on_in_it(uninterrupted, tmp_path):
    """However often, and however short the time is."""
    for session in range(1, STEPS):
        history = run(build_model(), folder=tmp_path, max_minutes=1e-9, resume=session > 1)
        assert (history.stopped, history.epoch) == ("time", [1])
        cut = f"0 of 4, and {session + 1} of the {STEPS} batches of the next"
        assert history.how_far == (cut if session < STEPS - 1 else "1 of 4")
        state = json.loads((tmp_path / CHECKPOINTS / "state.json").read_text())
        assert (state["epoch"], state["step"]) == ((0, session) if session < STEPS - 1 else (1, 0))
    log = (tmp_path / "log.txt").read_text()
    assert "stopped after 2 of 8 batches" in log and "stopped after 1e-09 minutes" in log
    model = build_model()
    assert_same_numbers((model, run(model, folder=tmp_path, resume=True)), uninterrupted)


def test_a_limit_that_comes_before_the_last_epoch_is_said_once(tmp_path):
    enough = SimpleNamespace(on_epoch=lambda result: result.epoch == 3)
    for folder, limit in (("limited", {"max_minutes": 60}), ("unlimited", {})):
        history = run(
            build_model(), folder=tmp_path / folder, epochs=10**9, callbacks=(enough,), **limit
        )
        assert history.stopped == "callback"
        log = (tmp_path / folder / "log.txt").read_text()
        said = "at this speed, max_minutes ends the training after about "
        assert log.count(said) == len(limit)
        state = json.loads((tmp_path / folder / CHECKPOINTS / "state.json").read_text())
        assert (state["ends_at"] is None) == (not limit)


@pytest.mark.thorough
def test_epochs_that_were_put_off_are_saved_when_time_is_over(tmp_path, monkeypatch):
    """Their weights are those of the state that is written."""
    monkeypatch.setattr("zoo.training.end_epoch.FIRST", 0)
    longer = {"epochs": 5}
    whole = build_model()
    expected = run(whole, folder=tmp_path / "whole", **longer)
    on_epoch_end = WatchBatches.on_epoch_end

    def late(self, epoch, logs=None):
        on_epoch_end(self, epoch, logs)
        self.deadline = 0.0 if epoch == 2 else None

    monkeypatch.setattr(WatchBatches, "on_epoch_end", late)
    history = run(build_model(), folder=tmp_path / "run", max_minutes=60, **longer)
    assert (history.stopped, history.epoch) == ("time", [1, 2, 3, 4])
    state = json.loads((tmp_path / "run" / CHECKPOINTS / "state.json").read_text())
    assert (state["epoch"], state["step"]) == (3, 0)
    monkeypatch.setattr(WatchBatches, "on_epoch_end", on_epoch_end)
    model = build_model()
    again = run(model, folder=tmp_path / "run", resume=True, **longer)
    assert_same_numbers((model, again), (whole, expected))


@pytest.mark.thorough
def test_a_clock_that_is_set_back_changes_nothing(uninterrupted, tmp_path, monkeypatch):
    times = itertools.count(2e9, -3600)
    monkeypatch.setattr("time.time", lambda: next(times))
    model = build_model()
    history = run(model, folder=tmp_path, max_minutes=60, save_every="1m")
    assert_same_numbers((model, history), uninterrupted)
    assert history.stopped == "finished" and 0 < history.seconds < 3600


@pytest.fixture
def heard():
    """Ctrl-C is heard; a shell that starts the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.thorough
def test_ctrl_c_ends_the_epoch_early_and_a_resume_goes_on_in_it(uninterrupted, tmp_path, heard):
    interrupted = signalling_data(3 * STEPS - 3, signal.SIGINT)
    history = run(build_model(), interrupted, folder=tmp_path, average=2)
    assert (history.stopped, history.epoch, history.averaged) == ("interrupted", [1, 2, 3], False)
    assert np.isfinite(history.history["val_loss"][2])
    assert history.history["tokens"][2] < uninterrupted[1].history["tokens"][2]
    log = (tmp_path / "log.txt").read_text()
    assert "press Ctrl-C again to discard this epoch" in log
    assert "of 8 batches" in log and "interrupted after epoch 2; resume to continue" in log
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model = build_model()
    assert_same_numbers((model, run(model, folder=tmp_path, resume=True)), uninterrupted)


@pytest.mark.thorough
def test_a_second_ctrl_c_discards_the_epoch(uninterrupted, tmp_path, heard, monkeypatch):
    interrupted = signalling_data(3 * STEPS - 3, signal.SIGINT)
    on_test_begin = WatchBatches.on_test_begin

    def again(self, logs=None):
        if self.interruption.requested:
            signal.raise_signal(signal.SIGINT)
        on_test_begin(self, logs)

    monkeypatch.setattr(WatchBatches, "on_test_begin", again)
    history = run(build_model(), interrupted, folder=tmp_path)
    assert (history.stopped, history.epoch) == ("interrupted", [1, 2])
    monkeypatch.undo()
    model = build_model()
    assert_same_numbers((model, run(model, folder=tmp_path, resume=True)), uninterrupted)


def test_a_second_ctrl_c_that_a_library_turns_into_an_error_is_none(tmp_path, heard, monkeypatch):
    def fail(self, logs=None):
        signal.raise_signal(signal.SIGINT)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("unsupported operand types") from None

    monkeypatch.setattr(WatchBatches, "on_test_begin", fail)
    history = run(build_model(), folder=tmp_path)
    assert (history.stopped, history.epoch) == ("interrupted", [])


@pytest.mark.thorough
def test_ctrl_c_while_evaluating_keeps_the_epoch(tmp_path, heard):
    def evaluate(model, _):
        signal.raise_signal(signal.SIGINT)
        return {"bleu": 1.0}

    history = run(build_model(), folder=tmp_path, evaluate=evaluate, evaluate_every=2)
    assert (history.stopped, history.epoch) == ("interrupted", [1, 2])
    history = run(build_model(), evaluate=evaluate, epochs=1)  # nothing was left to do
    assert (history.stopped, history.epoch) == ("finished", [1])


def test_ctrl_c_that_is_handled_elsewhere_is_left_alone():
    def handle(number, frame):
        raise RuntimeError("of the user")

    before = signal.signal(signal.SIGINT, handle)
    try:
        with Interruption(), pytest.raises(RuntimeError, match="of the user"):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_data_that_end_early_are_an_error():
    def short(start):
        return data(start).take(STEPS + 3)

    with pytest.raises(UserError, match="ended after 3 of 8 batches in epoch 2"):
        run(build_model(), short)


@pytest.mark.thorough
def test_a_monitor_that_does_not_exist_is_an_error():
    with pytest.raises(UserError, match="monitor must be one of accuracy, loss, .*'val_los'"):
        run(build_model(), monitor="val_los")


def test_a_run_whose_monitor_is_never_a_number_keeps_its_newest_weights():
    model = build_model()
    scores = {"evaluate": lambda *_: {"bleu": float("nan")}, "monitor": "bleu", "mode": "max"}
    history = run(model, patience=2, average=2, **scores)
    assert (history.stopped, history.best_epoch, history.epoch) == ("patience", 0, [1, 2])
    assert int(model.optimizer.iterations.numpy()) == 2 * STEPS


@pytest.mark.long
def test_averaging_may_begin_with_a_resume(tmp_path):
    run(build_model(), epochs=2, folder=tmp_path)
    run(build_model(), epochs=4, folder=tmp_path, resume=True, average=3)
    text = (tmp_path / "log.txt").read_text()
    assert "mean weights of epochs 3, 4 " in text


def line_fit(factor, **settings):
    """One weight w, trained on (w - 1)^2 from w = 0: each epoch multiplies w - 1 by `factor`."""
    x = np.ones((4, 1), "float32")
    dataset = tf.data.Dataset.from_tensor_slices((x, x)).batch(4)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input((1,)), dense])
    history = train_with(
        model,
        dataset,
        steps_per_epoch=1,
        optimizer=plain_sgd((1 - factor) / 2),
        loss="mse",
        validation=dataset,
        jit_compile=False,
        verbose=False,
        **settings,
    )
    return float(dense.kernel.numpy()[0, 0]), history


def test_an_average_that_is_better_is_used(tmp_path):
    # w - 1 swings: 0.9, -0.81, 0.729, so the mean of the last two is far nearer to 1.
    weight, history = line_fit(-0.9, epochs=3, average=2, folder=tmp_path)
    np.testing.assert_allclose(weight, 1 + (0.729 - 0.81) / 2, rtol=1e-5)
    np.testing.assert_allclose(history.best_value, (weight - 1) ** 2, rtol=1e-4)
    assert history.averaged
    assert (tmp_path / "checkpoints" / "averaged.weights.h5").exists()
    assert "mean weights of epochs 2, 3 used" in (tmp_path / "log.txt").read_text()


@pytest.mark.thorough
def test_an_average_that_is_worse_is_not_used(tmp_path):
    weight, history = line_fit(0.5, epochs=3, average=2, folder=tmp_path)
    np.testing.assert_allclose(weight, 1 - 0.125, rtol=1e-5)
    assert (history.averaged, history.best_epoch) == (False, 3)
    assert "not used: val_loss" in (tmp_path / "log.txt").read_text()


@pytest.mark.thorough
def test_without_validation_the_last_weights_stay():
    model = build_model()
    history = run(model, validation=None, average=2)
    assert (history.monitor, history.best_epoch, history.averaged) == (None, 4, False)
    assert "val_loss" not in history.history


@pytest.mark.long
def test_float16_is_scaled_and_resumes_with_equal_numbers(tmp_path):
    def float16_model():
        keras.utils.set_random_seed(3)
        layers = [
            keras.layers.Dense(13, activation="relu"),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(1, dtype="float32"),
        ]
        policy = keras.DTypePolicy("mixed_float16")
        for layer in layers[:2]:
            layer.dtype_policy = policy
        return keras.Sequential([keras.Input((5,)), *layers])

    x = np.random.default_rng(1).normal(size=(ROWS, 5)).astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(BATCH)
    settings = {"loss": "mse", "metrics": None, "validation": None, "jit_compile": True}
    model = float16_model()
    history = run(model, dataset, **settings)
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert history.history["loss"][-1] < history.history["loss"][0]
    run(float16_model(), dataset, epochs=2, folder=tmp_path, **settings)
    resumed = float16_model()
    again = run(resumed, dataset, folder=tmp_path, resume=True, **settings)
    assert_same_numbers((resumed, again), (model, history))
    assert float(resumed.optimizer.dynamic_scale.numpy()) == float(
        model.optimizer.dynamic_scale.numpy()
    )


@pytest.mark.thorough
def test_tensorboard_gets_each_epoch_and_its_absence_is_said(tmp_path, monkeypatch):
    run(build_model(), epochs=1, folder=tmp_path / "with", tensorboard=True)
    events = list((tmp_path / "with" / "tensorboard").glob("events.*"))
    assert len(events) == 1
    actual = {
        value.tag: event.step
        for event in map(
            tf.compat.v1.Event.FromString,
            (record.numpy() for record in tf.data.TFRecordDataset(str(events[0]))),
        )
        for value in event.summary.value
    }
    assert actual["val_loss"] == actual["loss"] == 1
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    run(build_model(), epochs=1, folder=tmp_path / "without", tensorboard=True)
    log = (tmp_path / "without" / "log.txt").read_text()
    assert "no TensorBoard logs are written: tensorflow is not installed" in log


@pytest.mark.quick(1)
@pytest.mark.parametrize("terminal", [True, False])
def test_console_shows_a_line_an_epoch_and_on_a_terminal_a_bar(monkeypatch, terminal):
    screen = io.StringIO()
    monkeypatch.setattr(
        run_files,
        "console_of",
        lambda line: Console(file=screen, force_terminal=terminal, width=150),
    )
    run(build_model(), epochs=2, verbose=True, notes=["2 texts truncated to 5 tokens"])
    text = screen.getvalue()
    assert "2 texts truncated to 5 tokens" in text
    assert text.count("epoch 1/2: ") == text.count("epoch 2/2: ") == 1
    assert ("16/16" in text) == terminal
    assert ("\x1b[" in text) == terminal
    assert "tokens/s" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs must be 1 or more, got 0"),
        ({"average": 0}, "average must be 1 or more, got 0"),
        ({"patience": 0}, "patience must be 1 or more, got 0"),
        ({"mode": "best"}, '`mode` must be "min" or "max", got \'best\''),
        ({"validation": None, "patience": 2}, "patience requires validation data"),
    ],
)
def test_bad_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        run(build_model(), **change)


@pytest.mark.parametrize("minutes", [-1, float("nan")])
def test_a_time_limit_is_above_0(minutes):
    with pytest.raises(UserError, match=f"max_minutes must be a number above 0, got {minutes}"):
        options_of(SessionOptions, {"max_minutes": minutes})


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="of TensorFlow's functions")
@pytest.mark.parametrize("precision", ["float32", "mixed_float16"])
def test_a_step_is_traced_once(precision):
    """A second time would double what every run waits for first."""
    traced = []

    class Counted(keras.Model):
        def train_step(self, batch):
            traced.append(batch)
            return super().train_step(batch)

    inputs = keras.Input((3,))
    dense = keras.layers.Dense(2, dtype=precision)
    model = Counted(inputs, keras.layers.Activation("linear", dtype="float32")(dense(inputs)))
    batch = np.ones((5, 3), "float32"), np.ones((5, 2), "float32")
    data = tf.data.Dataset.from_tensors(batch).repeat()
    settings = {"optimizer": OptimizerPlan(), "loss": "mse", "jit_compile": False, "verbose": False}
    train_with(model, data, epochs=2, steps_per_epoch=3, **settings)
    assert len(traced) == 1
