import json
import signal

import pytest

from tests.zoo.training.small_run import STEPS, build_model, data, run, signalling_data
from tests.zoo.training.test_trainer import assert_same_numbers
from zoo.errors import UserError
from zoo.training import trainer
from zoo.training.checkpoint import Checkpoints
from zoo.training.save_every import SaveEvery
from zoo.training.save_steps import SaveSteps


def from_step(epoch=0, step=0):
    return data(epoch).skip(step)


@pytest.fixture(scope="module")
def uninterrupted():
    model = build_model()
    return model, run(model, from_step)


def stop(folder, batch, **options):
    """Trains until a batch is asked for, which fails as if the process ended there."""

    def failing(epoch=0, step=0):
        def check(number, pair):
            if number + epoch * STEPS + step >= batch:
                raise InterruptedError("no more batches")
            return pair

        import tensorflow as tf

        batches = [*from_step(epoch, step).take(40).as_numpy_iterator()]

        def generate():
            for number, pair in enumerate(batches):
                yield check(number, pair)

        spec = tf.TensorSpec(batches[0][0].shape, tf.int32)
        return tf.data.Dataset.from_generator(generate, output_signature=(spec, spec))

    with pytest.raises(Exception, match="no more batches"):
        run(build_model(), failing, folder=folder, **options)


@pytest.mark.parametrize("batch", [5, 14])
def test_a_run_resumed_in_the_middle_of_an_epoch_has_the_same_numbers(
    uninterrupted, tmp_path, batch
):
    stop(tmp_path, batch, save_every=2)
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert (state["epoch"], state["step"]) == (batch // STEPS, batch % STEPS // 2 * 2)
    model = build_model()
    history = run(model, from_step, folder=tmp_path, resume=True)
    assert_same_numbers((model, history), uninterrupted)
    assert f"and {state['step']} batches" in (tmp_path / "log.txt").read_text()


def test_saving_changes_no_number_and_the_last_are_kept(uninterrupted, tmp_path):
    model = build_model()
    history = run(model, from_step, folder=tmp_path, save_every=3, keep=3)
    assert_same_numbers((model, history), uninterrupted)
    kept = sorted(path.name for path in (tmp_path / "checkpoints").glob("step-*"))
    assert kept == [
        f"step-{step:09d}.{ending}"
        for step in (3 * STEPS + 3, 3 * STEPS + 6)
        for ending in ("state.json", "weights.h5")
    ]
    for ending in ("weights.h5", "state.json"):  # goes back to an earlier one, as documented
        name = "last.weights.h5" if ending == "weights.h5" else ending
        place = tmp_path / "checkpoints"
        (place / f"step-{3 * STEPS + 3:09d}.{ending}").replace(place / name)
    again = build_model()
    assert_same_numbers((again, run(again, from_step, folder=tmp_path, resume=True)), uninterrupted)


def test_ctrl_c_saves_where_it_stops(uninterrupted, tmp_path):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # even with nohup
    try:
        run(build_model(), signalling_data(5, signal.SIGINT), folder=tmp_path, save_every="1h")
    finally:
        signal.signal(signal.SIGINT, before)
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert state["epoch"] == 0 and 0 < state["step"] < STEPS
    model = build_model()
    history = run(model, from_step, folder=tmp_path, resume=True)
    assert_same_numbers((model, history), uninterrupted)


@pytest.mark.parametrize("given", ["", "0", "m", "10 m", "1.5h", -3, 0, True, "1d"])
def test_what_is_no_time_is_refused(given):
    with pytest.raises(UserError, match="save_every must be a number of steps"):
        SaveEvery(given)


class Clock:
    """Seconds that pass when it is told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("given", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200)])
def test_a_time_is_due_when_it_has_passed_since_the_last_one(given, seconds):
    clock = Clock()
    every = SaveEvery(given, clock)
    due = []
    for clock.now in (1, seconds - 0.5, seconds, seconds + 1, 2 * seconds - 0.5, 5 * seconds + 3):
        if every.due(7):
            due.append(clock.now)
    assert due == [seconds, 5 * seconds + 3]
    assert not every.due(7)


def test_a_run_saves_when_the_time_has_passed(uninterrupted, tmp_path, monkeypatch):
    """With 3 minutes before each batch, "10m" have passed before every fourth one."""
    clock, saved = Clock(), []
    monkeypatch.setattr(trainer, "SaveEvery", lambda given: SaveEvery(given, clock))
    begin, save = SaveSteps.on_train_batch_begin, Checkpoints.save_step

    def takes_minutes(self, batch, logs=None):
        clock.now += 180
        begin(self, batch, logs)

    def watched(self, model, state):
        saved.append((state.epoch, state.step))
        save(self, model, state)

    monkeypatch.setattr(SaveSteps, "on_train_batch_begin", takes_minutes)
    monkeypatch.setattr(Checkpoints, "save_step", watched)
    model = build_model()
    history = run(model, from_step, folder=tmp_path, save_every="10m", keep=9)
    assert_same_numbers((model, history), uninterrupted)
    assert saved == [(epoch, step) for epoch in range(4) for step in (3, 7)]
