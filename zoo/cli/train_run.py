"""A training run from the command line: a new or a resumed one."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
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


def train_run(
    row: TaskRow,
    data: list[str] | None,
    out: Path,
    validation: list[str] | None,
    pretrained: str | None,
    model_options: dict[str, Any],
    given: dict[str, Any],
    json: bool | None,
    callbacks: "Sequence[EpochCallback]" = (),
) -> "History":
    """Trains a new task, or resumes the run in `out`, and shows the outcome.

    Args:
        row: The task.
        data: Training data; None to take those of the run.
        out: The run folder.
        validation: Validation data, or the fraction to hold out.
        pretrained: A checkpoint to start from.
        model_options: Options of the model.
        given: The other options that were given.
        json: Whether to print JSON; None to print no outcome.
        callbacks: Told the metrics of each epoch.

    Returns:
        The `History` of the run.

    Raises:
        UserError: If the options contradict each other or the run.
    """
    options = import_module(row.options)
    # Checked before TensorFlow is imported and a tokenizer is trained.
    settings, fitting = parsed(options.Settings, given), parsed(options.Training, given)
    of_session = parsed(SessionOptions, given)
    train_files = files(row.name, data) if data else None
    validation_files = files_or_part(row.name, validation)
    resume = bool(of_session.get("resume"))
    there = is_run(out)
    if there and not resume:
        raise UserError(
            f"{out} already contains a run: continue it with --resume, or choose another --out"
        )
    if not (data or there):
        what = f"{out} contains no run to resume" if resume else "no training data"
        raise UserError(f"{what}: give --data")
    if resume and not there:
        print(f"{out} contains no run to resume: a new one begins", file=sys.stderr)
        of_session["resume"] = False
    zoo = load("zoo")
    session = options_of(SessionOptions, {"folder": str(out), **of_session})
    load("zoo.training.session").check_session(session, fitting.get("xla", "auto"))
    hosts = load("zoo.training.hosts")
    first = hosts.writes()  # of several processes
    ends_at_once = load("zoo.training.termination").ends_at_once
    with ends_at_once(), arguments(), locked(out) if first else nullcontext():
        if there:
            task = zoo.load(to_resume(out))
            _check_same(out, task, row, settings, model_options)
        else:
            if isinstance(train_files, Path) and is_shards(train_files):
                settings = {**_prepared_with(train_files, row, settings, pretrained), **settings}
            task = _new(zoo, row, settings, model_options, pretrained)
        given = {**fitting, **of_session, **({"callbacks": callbacks} if callbacks else {})}
        history: History = task.fit(
            train_files, validation_files, adapt=not there, folder=out, **given
        )
        interrupted = history.stopped == "interrupted"
        # The first new checkpoint deletes the weights of an earlier training run. If they still
        # exist, there is no new checkpoint, and they are the best weights.
        if first and history.best_epoch and not (interrupted and (out / WEIGHTS).exists()):
            task.save(out)
        hosts.wait_for_all("saved")
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not first or json is None:
        return history
    outcome = {
        "run": str(out),
        "epochs": len(history.epoch),
        "best_epoch": history.best_epoch,
        **({history.monitor: history.best_value} if history.monitor else {}),
        "stopped": history.stopped,
        "seconds": history.seconds,
    }
    if json:
        show_json(outcome)
    else:
        show_table(("", ""), outcome.items())
        print(_next_commands(out, task))
    return history


def _next_commands(out: Path, task: "Task") -> str:
    """The commands that usually follow a training run."""
    run, name = shlex.quote(str(out)), shlex.quote(f"{out.name}.tflite")
    several = task.name == MULTI_TASK
    names = [*task.settings.kinds, *task.settings.labels] if several else []
    head = f" --head {names[0]}" if several else ""
    data = "NAME=TEST_FILE" if several else "TEST_FILE"
    texts = several or takes_texts(task)  # which can be typed at the prompt
    commands = [
        f"evaluate {run} --data {data}",
        f"predict {run}{head}{'' if texts else ' FILE'}",
        f"report {run} --data {data}",
        f"export {run}{head} --format litert --out {name}",
    ]
    return "\n".join(["", "next:", *(f"  keras-attn {each}" for each in commands)])


def _new(
    zoo: ModuleType,
    row: TaskRow,
    settings: dict[str, Any],
    model_options: dict[str, Any],
    pretrained: str | None,
) -> Any:
    """A new task, from a checkpoint or untrained."""
    if pretrained is not None:
        fixed = [name for name in FIXED_BY_CHECKPOINTS if name in settings]
        if fixed:
            raise UserError(
                f"--pretrained determines the {fixed[0].replace('_', ' ')}: "
                f"leave out {spelled(fixed[0])}"
            )
        return zoo.from_pretrained(pretrained, row.name, **settings, **model_options)
    return resolve(row.path)(**settings, **model_options)


def _prepared_with(
    folder: Path, row: TaskRow, settings: dict[str, Any], pretrained: str | None
) -> dict[str, Any]:
    """The settings that data was prepared with; not the preset of another model."""
    shards = read_shards(folder)
    if shards.task != row.name:
        raise UserError(f"{folder} is prepared for {shards.task}, not for {row.name}")
    names = names_of(import_module(row.options).Settings)
    known = {name: value for name, value in shards.settings.items() if name in names}
    if settings.get("model", known.get("model")) != known.get("model"):
        known.pop("preset", None)
    fixed = FIXED_BY_CHECKPOINTS if pretrained is not None else ()
    return {name: value for name, value in known.items() if name not in fixed}


def _check_same(
    out: Path, task: "Task", row: TaskRow, settings: dict[str, Any], model_options: dict[str, Any]
) -> None:
    """Refuses to resume a run with different settings."""
    before = {"task": task.name, **values_of(task.settings), **task.model_options}
    for name, value in {"task": row.name, **settings, **model_options}.items():
        # The vocabulary may be smaller than the maximum that was given.
        if name not in ("vocabulary_size", "seed") and before.get(name) != value:
            raise UserError(f"the run in {out} has {name} {before.get(name)}, not {value}")
