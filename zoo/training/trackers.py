"""Callbacks that log the metrics of each epoch to MLflow or to Weights & Biases."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from zoo.ctrl_c import INTERRUPTED
from zoo.errors import UserError
from zoo.json_file import read_json, write_json
from zoo.nearest import offered
from zoo.training.callbacks import EpochCallback, EpochResult

MLFLOW, WANDB = "mlflow", "wandb"
TRACKERS = (MLFLOW, WANDB)
PROJECT = "keras-attn"  # the experiment or the project, unless the environment names another
FILE = "tracking.json"  # of a run folder: the ids that the run has elsewhere
LONGEST = 500  # characters of an option, as MLflow takes them


class Ended(Enum):
    """How a training ended, in the words of MLflow."""

    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


EXIT_STATUS = {Ended.FINISHED: 0, Ended.FAILED: 1, Ended.KILLED: INTERRUPTED}


class Tracked:
    """The callbacks of trackers, which are told how the training ended."""

    def __init__(self) -> None:
        self.callbacks: list[EpochCallback] = []
        self.interrupted = False  # whether Ctrl-C ended it, in order

    def how(self, error: type[BaseException] | None) -> Ended:
        """How it ended.

        Args:
            error: What it raised, if anything.
        """
        if error is None:
            return Ended.KILLED if self.interrupted else Ended.FINISHED
        killed = issubclass(error, (KeyboardInterrupt, SystemExit))  # Ctrl-C, SIGTERM
        return Ended.KILLED if killed else Ended.FAILED


class MLflowCallback:
    """Logs to MLflow, at `MLFLOW_TRACKING_URI` or where MLflow keeps its data by default.

    Args:
        run_id: The run that goes on; None for a new one.
        name: The name of the run.
        options: What is logged as its parameters.
    """

    def __init__(self, run_id: str | None, name: str, options: Mapping[str, Any]) -> None:
        mlflow = _imported(MLFLOW)
        from mlflow.exceptions import MlflowException

        try:
            self._client = mlflow.MlflowClient()
            if run_id is None:
                experiment = os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT)
                known = self._client.get_experiment_by_name(experiment)
                number = (
                    known.experiment_id if known else self._client.create_experiment(experiment)
                )
                run_id = self._client.create_run(number, run_name=name).info.run_id
                for key, value in options.items():
                    self._client.log_param(run_id, key, str(value)[:LONGEST])
            else:
                self._client.update_run(run_id, status="RUNNING")
            self.id: str = self._client.get_run(run_id).info.run_id
        except MlflowException as error:
            first, _, _ = str(error).partition("\n")
            raise UserError(f"MLflow cannot log the run: {first}") from None

    def on_epoch(self, result: EpochResult) -> None:
        for name, value in result.metrics.items():
            if value is not None:
                self._client.log_metric(self.id, name, value, step=result.epoch)

    def close(self, how: Ended) -> None:
        """Ends the run."""
        self._client.set_terminated(self.id, how.value)


class WandbCallback:
    """Logs to Weights & Biases, offline unless `WANDB_MODE` says otherwise.

    Args:
        run_id: The run that goes on; None for a new one.
        name: The name of the run.
        options: What is logged as its config.
        folder: The folder in which the folder `wandb` is made; `wandb sync` uploads from there.
    """

    def __init__(
        self, run_id: str | None, name: str, options: Mapping[str, Any], folder: Path
    ) -> None:
        wandb = _imported(WANDB)
        try:
            self._run = wandb.init(
                project=os.environ.get("WANDB_PROJECT", PROJECT),
                name=name,
                id=run_id,
                resume=None if run_id is None else "allow",
                dir=str(folder),
                mode=os.environ.get("WANDB_MODE", "offline"),
                config=dict(options),
                settings=wandb.Settings(console="off", silent=True),
            )
        except (wandb.Error, wandb.errors.UsageError) as error:
            raise UserError(f"Weights & Biases cannot log the run: {error}") from None
        self.id: str = self._run.id

    def on_epoch(self, result: EpochResult) -> None:
        metrics = {name: x for name, x in result.metrics.items() if x is not None}
        self._run.log(metrics, step=result.epoch)

    def close(self, how: Ended) -> None:
        """Ends the run; one that was killed has the exit status of Ctrl-C."""
        self._run.finish(exit_code=EXIT_STATUS[how])


def _imported(package: str) -> Any:
    """A package of an extra."""
    try:
        return __import__(package)
    except ImportError:
        raise UserError(
            f"--track {package} requires {package}: pip install 'keras-attn[{package}]'"
        ) from None


def check_trackers(names: Sequence[str]) -> None:
    """Raises a `UserError` unless all trackers are known and installed.

    Example:
        >>> check_trackers(["paper"])
        Traceback (most recent call last):
        ...
        zoo.errors.UserError: unknown tracker 'paper'; choose from mlflow, wandb
    """
    for name in names:
        if name not in TRACKERS:
            raise UserError(f"unknown tracker {name!r}; {offered(name, TRACKERS)}")
        _imported(name)


@contextmanager
def tracked(names: Sequence[str], folder: Path, options: Mapping[str, Any]) -> Iterator[Tracked]:
    """Context with the callbacks of trackers; a resumed run goes on under the same ids.

    A run that Ctrl-C or SIGTERM ends is killed, rather than failed.

    Args:
        names: Some of "mlflow" and "wandb".
        folder: The run folder.
        options: What is logged as the parameters of the run.
    """
    path, ids = folder / FILE, {}
    if names and path.exists():
        ids = {str(key): str(value) for key, value in read_json(path, dict).items()}
    known = Tracked()
    with ExitStack() as stack:
        for name in names:
            callback: MLflowCallback | WandbCallback
            if name == MLFLOW:
                callback = MLflowCallback(ids.get(name), folder.name, options)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                callback = WandbCallback(ids.get(name), folder.name, options, folder)
            stack.push(lambda kind, error, trace, each=callback: each.close(known.how(kind)))
            ids[name] = callback.id
            known.callbacks.append(callback)
        if names:
            write_json(path, ids)
        yield known
