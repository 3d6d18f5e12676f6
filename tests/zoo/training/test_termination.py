"""SIGTERM saves a checkpoint and ends the process: of one, and of several that train together."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.zoo.training.small_run import build_model, data, run
from tests.zoo.training.test_hosts import one, same, started, trained
from tests.zoo.training.test_trainer import assert_same_numbers
from zoo.training.termination import TERMINATED, Termination
from zoo.training.watch_batches import WatchBatches

__all__ = ["one"]  # a fixture
ROOT = Path(__file__).parents[3]
SECONDS = 30  # in which a process has to end; it takes a second or two, if others let it


def from_step(epoch=0, step=0):
    return data(epoch).skip(step)


@pytest.fixture(scope="module")
def uninterrupted():
    model = build_model()
    return model, run(model, from_step)


def told(monkeypatch, method, epoch, batch=0):
    """Sends SIGTERM to this process when a method of a callback is called."""
    call = getattr(WatchBatches, method)

    def tell(self, *args, **named):
        if self._epoch == epoch and (method == "on_test_begin" or args[0] == batch):
            os.kill(os.getpid(), signal.SIGTERM)
        return call(self, *args, **named)

    monkeypatch.setattr(WatchBatches, method, tell)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("method", "epoch", "batch", "place"),
    [
        ("on_train_batch_begin", 2, 4, (1, 4)),
        ("on_train_batch_begin", 2, 0, (1, 0)),  # the checkpoint of the epoch is enough
        ("on_train_batch_begin", 1, 2, (0, 2)),
        ("on_train_batch_begin", 4, 7, (3, 7)),
        ("on_test_begin", 2, None, (1, 8)),  # the epoch is to be validated
        ("on_test_begin", 4, None, (3, 8)),
    ],
)
def test_it_goes_on_where_it_was(
    monkeypatch, tmp_path, attack, uninterrupted, method, epoch, batch, place
):
    tried = attack("SIGTERM", "training")
    told(monkeypatch, method, epoch, batch)
    with pytest.raises(SystemExit) as ended:
        run(build_model(), from_step, folder=tmp_path)
    tried()
    monkeypatch.undo()
    assert ended.value.code == TERMINATED == 143
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert (state["epoch"], state["step"]) == place
    log = (tmp_path / "log.txt").read_text()
    batches = f" and {place[1]} batches" if place[1] else ""
    assert f"ended by SIGTERM after epoch {place[0]}{batches}; resume to continue" in log
    model = build_model()
    history = run(model, from_step, folder=tmp_path, resume=True)
    assert_same_numbers((model, history), uninterrupted)


def test_an_evaluation_is_left_before_its_next_batch(tmp_path, attack):
    """Such as that of translations, which may take longer than who sends SIGTERM waits."""
    tried, steps = attack("SIGTERM", "evaluation"), []

    def evaluate(model, _):
        return {"bleu": 3.0}

    def told_in_it(model, before_batch):
        for batch in range(3):
            before_batch()
            steps.append(batch)
            if len(steps) == 5:
                os.kill(os.getpid(), signal.SIGTERM)
        return evaluate(model, before_batch)

    with pytest.raises(SystemExit) as ended:
        run(build_model(), from_step, folder=tmp_path, evaluate=told_in_it)
    tried()
    assert (ended.value.code, steps) == (TERMINATED, [0, 1, 2, 0, 1])
    state = json.loads((tmp_path / "checkpoints" / "state.json").read_text())
    assert (state["epoch"], state["step"]) == (1, 8)
    model, other = build_model(), build_model()
    history = run(model, from_step, folder=tmp_path, evaluate=evaluate, resume=True)
    assert history.history["bleu"] == [3.0] * 4
    assert_same_numbers((model, history), (other, run(other, from_step, evaluate=evaluate)))


def test_without_a_folder_nothing_is_saved(monkeypatch):
    told(monkeypatch, "on_train_batch_begin", 2, 4)
    monkeypatch.setattr("zoo.training.checkpoint.Checkpoints.save_step", lambda *_: 1 / 0)
    with pytest.raises(SystemExit):
        run(build_model(), from_step)


def test_other_handlers_stay():
    for handler in (signal.SIG_IGN, lambda *_: None):
        before = signal.signal(signal.SIGTERM, handler)
        try:
            with Termination() as termination:
                termination.arm()
                assert signal.getsignal(signal.SIGTERM) is handler
            assert signal.getsignal(signal.SIGTERM) is handler
        finally:
            signal.signal(signal.SIGTERM, before)


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_a_program_ends_in_time_and_is_resumed(backend, tmp_path):
    (tmp_path / "train.tsv").write_text("a fine film\tgood\na dull one\tbad\n" * 200)
    out, script = tmp_path / "run", "from zoo.cli import main; main()"
    command = [sys.executable, "-c", script, "train", "text-classifier", "--no-xla"]
    command += ["--data", str(tmp_path / "train.tsv"), "--out", str(out), "--batch-tokens", "60"]
    command += ["--model", "ngram_classifier", "--resume"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": backend}
    for epochs in (99, 1):
        with subprocess.Popen(
            [*command, "--epochs", str(epochs)], cwd=ROOT, env=env, stderr=subprocess.PIPE
        ) as process:
            if epochs == 99:
                wait_for(out / "checkpoints" / "state.json", process)
                process.terminate()
                _, errors = process.communicate(timeout=SECONDS)
                assert process.returncode == TERMINATED, errors
                assert b"Traceback" not in errors
                assert b"ended by SIGTERM after epoch" in errors
            else:
                assert process.wait(timeout=120) == 0


def wait_for(path, *processes):
    end = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < end and all(each.poll() is None for each in processes)
        time.sleep(0.05)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("batch", [3, 0])  # of training, of validation
def test_of_two_processes_one_is_told_and_both_end(one, tmp_path, batch, attack):
    tried = attack("SIGTERM", "training of two processes" if batch else "their validation")
    folder = tmp_path / "run"
    both = started(2, folder, 2, batch, 1, "TERM")
    for process in both:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == TERMINATED, errors[-3000:]
        assert "Traceback" not in errors
    tried()
    state = json.loads((folder / "checkpoints" / "state.json").read_text())
    assert 1 <= state["epoch"] < 3
    if not batch:
        assert (state["epoch"], state["step"]) == (1, state["steps_per_epoch"])
    same(trained(1, folder), folder, one)


@pytest.mark.thorough
def test_two_processes_end_at_once_before_their_first_batch(tmp_path):
    """JAX's own handler of SIGTERM, of which it installs one, would only tell the others."""
    both = started(2, tmp_path / "run", 1, 1, 0, "WAIT")
    for process in both:
        assert process.stdout.readline() == "joined\n"
    for process in both:
        process.terminate()
    for process in both:
        process.communicate(timeout=SECONDS)
        assert process.returncode == -signal.SIGTERM
