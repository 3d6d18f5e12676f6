"""A training run from the command line: a new or a resumed one."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from zoo.cli.console import arguments, load, show_json, show_table
from zoo.cli.derived import parsed
from zoo.cli.tasks import MULTI_TASK, files, files_or_part, takes_texts
from zoo.ctrl_c import INTERRUPTED
from zoo.data.shards.manifest import is_shards, read_shards
from zoo.errors import UserError
from zoo.locking import locked
from zoo.option_names import spelled
from zoo.options import names_of, options_of, values_of
from zoo.registry_rows import TaskRow, resolve
from zoo.tasks.config import is_run, to_resume
from zoo.tasks.folder import WEIGHTS
from zoo.training.options import SessionOptions

if TYPE_CHECKING:
    from zoo.tasks.task import Task
    from zoo.training.callbacks import EpochCallback
    from zoo.training.history import History

FIXED_BY_CHECKPOINTS = ("model", "preset", "tokenizer", "vocabulary_size")


@dataclass(frozen=True)
class TrainCommand:
    """The arguments of a command of `train`, but for its folder.

    Args:
        row: The task.
        data: Training data; None to take those of the run.
        validation: Validation data, or the part to hold out.
        pretrained: A checkpoint to start from.
        model: Options of the model.
        given: The other options that were given.
    """

    row: TaskRow
    data: list[str] | None
    validation: list[str] | None
    pretrained: str | None
    model: Mapping[str, Any]
    given: Mapping[str, Any]

    def run(
        self, out: Path, json: bool | None, callbacks: "Sequence[EpochCallback]" = ()
    ) -> "History":
        """Trains a new task, or resumes the run in `out`, and shows the outcome.

        Args:
            out: The run folder.
            json: Whether to print JSON; None to print no outcome.
            callbacks: Told the metrics of each epoch.

        Returns:
            The `History` of the run.

        Raises:
            UserError: If the options contradict each other or the run.
        """
        options, values = import_module(self.row.options), dict(self.given)
        # Checked before TensorFlow is imported and a tokenizer is trained.
        settings, fitting = parsed(options.Settings, values), parsed(options.Training, values)
        of_session = parsed(SessionOptions, values)
        train_files = files(self.row.name, self.data) if self.data else None
        validation_files = files_or_part(self.row.name, self.validation)
        there, resume = is_run(out), bool(of_session.get("resume"))
        self._check_folder(out, there, resume)
        of_session |= {"resume": there} if resume else {}
        zoo = load("zoo")
        session = options_of(SessionOptions, {"folder": str(out), **of_session})
        load("zoo.training.session").check_session(session, fitting.get("xla", "auto"))
        hosts = load("zoo.training.hosts")
        first = hosts.writes()  # of several processes
        ends_at_once = load("zoo.training.termination").ends_at_once
        with ends_at_once(), arguments(), locked(out) if first else nullcontext():
            if there:
                task = zoo.load(to_resume(out))
                self._check_same(out, task, settings)
            else:
                task = self._new(zoo, train_files, settings)
            fitting |= {**of_session, **({"callbacks": callbacks} if callbacks else {})}
            history: History = task.fit(
                train_files, validation_files, adapt=not there, folder=out, **fitting
            )
            interrupted = history.stopped == "interrupted"
            # The first new checkpoint deletes the weights of an earlier training run. If they still
            # exist, there is no new checkpoint, and they are the best weights.
            if first and history.best_epoch and not (interrupted and (out / WEIGHTS).exists()):
                task.save(out)
            hosts.wait_for_all("saved")
        if interrupted:
            raise typer.Exit(INTERRUPTED)
        if first and json is not None:
            _show(out, task, history, json)
        return history

    def _check_folder(self, out: Path, there: bool, resume: bool) -> None:
        """Refuses to overwrite a run, and to train without data."""
        if there and not resume:
            raise UserError(
                f"{out} already contains a run: continue it with --resume, or choose another --out"
            )
        if not (self.data or there):
            what = f"{out} contains no run to resume" if resume else "no training data"
            raise UserError(f"{what}: give --data")
        if resume and not there:
            print(f"{out} contains no run to resume: a new one begins", file=sys.stderr)

    def _check_same(self, out: Path, task: "Task", settings: Mapping[str, Any]) -> None:
        """Refuses to resume a run with different settings."""
        before = {"task": task.name, **values_of(task.settings), **task.model_options}
        for name, value in {"task": self.row.name, **settings, **self.model}.items():
            # The vocabulary may be smaller than the maximum that was given.
            if name not in ("vocabulary_size", "seed") and before.get(name) != value:
                raise UserError(f"the run in {out} has {name} {before.get(name)}, not {value}")

    def _new(self, zoo: ModuleType, data: Any, settings: dict[str, Any]) -> "Task":
        """A new task, from a checkpoint or untrained."""
        if isinstance(data, Path) and is_shards(data):
            settings = {**self._prepared_with(data, settings), **settings}
        if self.pretrained is None:
            new: Task = resolve(self.row.path)(**settings, **self.model)
            return new
        for name in FIXED_BY_CHECKPOINTS:
            if name in settings:
                what = name.replace("_", " ")
                raise UserError(f"--pretrained determines the {what}: leave out {spelled(name)}")
        return zoo.from_pretrained(self.pretrained, self.row.name, **settings, **self.model)

    def _prepared_with(self, folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings that data was prepared with; not the preset of another model."""
        shards = read_shards(folder)
        if shards.task != self.row.name:
            raise UserError(f"{folder} is prepared for {shards.task}, not for {self.row.name}")
        names = names_of(import_module(self.row.options).Settings)
        known = {name: value for name, value in shards.settings.items() if name in names}
        if settings.get("model", known.get("model")) != known.get("model"):
            known.pop("preset", None)
        fixed = FIXED_BY_CHECKPOINTS if self.pretrained is not None else ()
        return {name: value for name, value in known.items() if name not in fixed}


def _show(out: Path, task: "Task", history: "History", json: bool) -> None:
    """Prints the outcome of a training run."""
    outcome = {
        "run": str(out),
        "epochs": len(history.epoch),
        "best_epoch": history.best_epoch,
        **({history.monitor: history.best_value} if history.monitor else {}),
        "stopped": history.stopped,
        "seconds": history.seconds,
    }
    if json:
        show_json({**outcome, "advice": [*history.advice]})
        return
    show_table(("", ""), {**outcome, "epochs": history.how_far}.items())
    print(_next_commands(out, task))


def _next_commands(out: Path, task: "Task") -> str:
    """The commands that usually follow a training run."""
    run, name = shlex.quote(str(out)), shlex.quote(f"{out.name}.tflite")
    several = task.name == MULTI_TASK
    names = [*task.settings.kinds, *task.settings.labels] if several else []
    head = f" --head {names[0]}" if several else ""
    data = "NAME=TEST_FILE" if several else "TEST_FILE"
    texts = several or takes_texts(task)  # which can be typed at the prompt
    in_bytes = " --text bytes" if texts and not several else ""  # with the tokenizer inside
    commands = [
        f"evaluate {run} --data {data}",
        f"predict {run}{head}{'' if texts else ' FILE'}",
        f"report {run} --data {data}",
        *([] if several else [f"serve {run}"]),
        f"export {run}{head} --format litert{in_bytes} --out {name}",
    ]
    return "\n".join(["", "next:", *(f"  keras-attn {each}" for each in commands)])
