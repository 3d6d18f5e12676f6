"""MLflow and Weights & Biases: the metrics of each epoch, offline, and of a run that goes on."""

import json
import signal

import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.training import session, trackers
from zoo.training.trackers import FILE, Ended, check_trackers, tracked

ROWS = [(f"a {'fine' if n % 2 else 'dull'} film {n}", "ab"[n % 2]) for n in range(40)]


@pytest.fixture(autouse=True)
def ctrl_c():
    """Handles Ctrl-C as a terminal's programs do; a shell lets programs behind it ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def trained(folder, names, epochs=2, **options):
    task = zoo.load(folder) if options.get("resume") else zoo.TextClassifier(num_buckets=64)
    told = {"xla": False, "verbose": False, "track": names, "folder": folder}
    history = task.fit(ROWS, ROWS, epochs=epochs, learning_rate=1.0, **told, **options)
    task.save(folder)
    return history


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")  # of packages that it imports
def test_mlflow_has_each_epoch_and_a_resumed_run_goes_on(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'mlflow.db'}")
    folder = tmp_path / "reviews"
    history = trained(folder, ["mlflow"])
    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name("keras-attn")
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.info.run_name == "reviews" and run.info.status == "FINISHED"
    assert run.data.params["task"] == "text-classifier"
    assert float(run.data.params["learning_rate"]) == 1.0 and run.data.params["epochs"] == "2"
    for name in ("loss", "val_loss", "val_accuracy"):
        logged = client.get_metric_history(run.info.run_id, name)
        assert [each.step for each in logged] == [1, 2]
        np.testing.assert_allclose([each.value for each in logged], history.history[name])
    trained(folder, ["mlflow"], epochs=4, resume=True, callbacks=[CtrlC()])
    assert client.get_run(run.info.run_id).info.status == "KILLED"
    trained(folder, ["mlflow"], epochs=4, resume=True)
    (again,) = client.search_runs([experiment.experiment_id])
    assert again.info.status == "FINISHED"
    assert again.info.run_id == run.info.run_id
    steps = [each.step for each in client.get_metric_history(run.info.run_id, "loss")]
    assert [*dict.fromkeys(steps)] == [1, 2, 3, 4]


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")  # of packages that it imports
def test_weights_and_biases_logs_offline(tmp_path, monkeypatch):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    folder = tmp_path / "reviews"
    trained(folder, ["wandb"])
    (logged,) = (folder / "wandb").glob("offline-run-*/run-*.wandb")
    name = json.loads((folder / FILE).read_text())["wandb"]
    assert name in logged.name
    content = logged.read_bytes()
    for word in (b"val_accuracy", b"text-classifier", b"learning_rate"):
        assert word in content
    trained(folder, ["wandb"], epochs=3, resume=True)
    assert json.loads((folder / FILE).read_text())["wandb"] == name


class Recorded:
    """A stand-in for a tracker."""

    def __init__(self, run_id, name, options, *folder):
        self.id, self.options, self.closed = run_id or f"new-{name}", options, None
        Recorded.last = self

    def on_epoch(self, result):
        pass

    def close(self, how):
        self.closed = how


def test_ids_are_kept_and_a_failure_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(trackers, "MLflowCallback", Recorded)
    with tracked(["mlflow"], tmp_path / "a", {"units": 3}) as known:
        assert known.callbacks == [Recorded.last] and Recorded.last.options == {"units": 3}
    assert Recorded.last.closed is Ended.FINISHED
    assert json.loads((tmp_path / "a" / FILE).read_text()) == {"mlflow": "new-a"}
    (tmp_path / "a" / FILE).write_text('{"mlflow": "old", "wandb": "x"}')
    with pytest.raises(ZeroDivisionError), tracked(["mlflow"], tmp_path / "a", {}):
        _ = 1 / 0
    assert (Recorded.last.id, Recorded.last.closed) == ("old", Ended.FAILED)
    assert json.loads((tmp_path / "a" / FILE).read_text()) == {"mlflow": "old", "wandb": "x"}
    with tracked([], tmp_path / "b", {}) as known:
        assert known.callbacks == [] and not (tmp_path / "b").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_a_run_that_a_signal_ends_is_killed(error, tmp_path, monkeypatch):
    """The second Ctrl-C and SIGTERM raise; after the first, the training ends in order."""
    monkeypatch.setattr(trackers, "MLflowCallback", Recorded)
    with pytest.raises(error), tracked(["mlflow"], tmp_path / "a", {}):
        raise error
    assert Recorded.last.closed is Ended.KILLED


class CtrlC:
    """Asks for the end of the training, as Ctrl-C does, after the first epoch that it sees."""

    def __init__(self):
        self.asked = False  # a second Ctrl-C would raise

    def on_epoch(self, result):
        if not self.asked:
            self.asked = True
            signal.raise_signal(signal.SIGINT)


def test_a_run_that_ctrl_c_ends_in_order_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(trackers, "MLflowCallback", Recorded)
    monkeypatch.setattr(session, "check_trackers", lambda names: None)
    history = trained(tmp_path / "a", ["mlflow"], epochs=29, callbacks=[CtrlC()])
    assert history.stopped == "interrupted"
    assert Recorded.last.closed is Ended.KILLED


def test_what_is_refused(tmp_path, monkeypatch):
    task = zoo.TextClassifier(num_buckets=64)
    with pytest.raises(UserError, match="track requires a folder for the run"):
        task.fit(ROWS, track=["mlflow"], verbose=False)
    with pytest.raises(UserError, match="unknown tracker 'paper'; choose from mlflow, wandb"):
        task.fit(ROWS, track=["paper"], folder=tmp_path / "x", verbose=False)
    monkeypatch.setitem(__import__("sys").modules, "wandb", None)
    with pytest.raises(UserError, match=r"pip install 'keras-attn\[wandb\]'"):
        check_trackers(["wandb"])
    assert not (tmp_path / "x").exists()
