"""`train`, with a subcommand for each task."""

import inspect
import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, arguments, load, show_json, show_table
from zoo.cli.derived import name_and_value, panel, parameters, parsed, takes
from zoo.cli.tasks import FILE, MULTI_TASK, files, files_or_share, takes_texts
from zoo.ctrl_c import INTERRUPTED
from zoo.data.shards.manifest import is_shards, read_shards
from zoo.errors import UserError
from zoo.locking import locked
from zoo.option_names import spelled
from zoo.registry import TASKS
from zoo.registry_rows import TaskRow, resolve
from zoo.tasks.config import is_run, to_resume
from zoo.tasks.folder import WEIGHTS
from zoo.tasks.options.columns import DATA
from zoo.tasks.options.common import MODEL, TEXT
from zoo.tasks.options.series_forecaster import FORECAST
from zoo.training.options import (
    AUGMENTATION,
    DURATION,
    FINE_TUNING,
    OPTIMIZATION,
    RUN,
    SessionOptions,
)

if TYPE_CHECKING:
    from zoo.tasks.task import Task

# The panels of `--help` in order, and the options that come first in their panels.
PANELS = (
    *(None, MODEL, TEXT, FORECAST, DATA),
    *(DURATION, OPTIMIZATION, AUGMENTATION, FINE_TUNING, RUN),
)
FIRST = ("data", "out", "validation", "model", "preset", "pretrained")
FIXED_BY_CHECKPOINTS = ("model", "preset", "tokenizer", "vocabulary_size")


train = typer.Typer(
    name="train",
    no_args_is_help=True,
    rich_markup_mode="rich",
    subcommand_metavar="TASK [OPTIONS]",
    help="Train a model on your own files; `keras-attn train TASK --help` lists the options.",
)


def command(row: TaskRow) -> Callable[..., Any]:
    """The subcommand of a task, with the options of this task only."""
    options = import_module(row.options)
    settings = parameters(options.Settings, skip=("seed",))
    training = parameters(options.Training, skip=("xla",))
    session = parameters(SessionOptions, skip=("folder", "verbose"))
    file = "NAME=FILE" if row.name == MULTI_TASK else FILE

    @takes("given", *settings, *training, *session, key=_help_order)
    def run(
        out: Annotated[
            Path,
            Option(metavar="FOLDER", help="Run folder for the model, the checkpoints and the log."),
        ],
        given: dict[str, Any],
        data: Annotated[
            list[str] | None,
            Option(
                metavar=file,
                help=f"Training data. {row.data} Repeatable.",
            ),
        ] = None,
        validation: Annotated[
            list[str] | None,
            Option(
                metavar=file,
                help="Validation data in the same format, or the fraction of the training data to "
                "hold out, such as 0.1. The weights of the best epoch are kept.",
            ),
        ] = None,
        pretrained: Annotated[
            str | None,
            Option(
                metavar="CHECKPOINT",
                help="Start from a pretrained model: another run folder, a folder with a Hugging "
                "Face checkpoint, or the name of a model on the hub.",
                rich_help_panel=FINE_TUNING,
            ),
        ] = None,
        dropout: Annotated[
            float | None,
            Option(
                help="Dropout rate of the model. Default: that of the preset.",
                rich_help_panel=MODEL,
            ),
        ] = None,
        option: Annotated[
            list[str] | None,
            Option(
                "--set",
                metavar="NAME=VALUE",
                help="Set any other option of the model; overrides the preset. Repeatable.",
                rich_help_panel=MODEL,
            ),
        ] = None,
        xla: Annotated[
            bool | None,
            Option(
                "--xla/--no-xla",
                help="Compile the training step with XLA. Default: what is faster on a CPU with "
                "TensorFlow, measured before a long training; otherwise true, except on PyTorch.",
                show_default=False,
                rich_help_panel=RUN,
            ),
        ] = None,
        json: Json = False,
    ) -> None:
        given = {"xla": xla, **given} if xla is not None else given
        model = dict(name_and_value("--set", text) for text in option or [])
        model |= {} if dropout is None else {"dropout": dropout}
        _train(row, data, out, validation, pretrained, model, given, json)

    run.__doc__ = f"{row.summary}\n\n{_HELP}\n\n[bold]Examples[/bold]\n\n\b\n{_examples(row)}"
    return run


_HELP = (
    "Ctrl-C stops training and keeps the best weights so far. --resume continues a stopped or "
    "crashed run after its last checkpoint, at the end of an epoch or of --save-every; options and "
    "data default to those of the run."
)


def _help_order(option: inspect.Parameter) -> tuple[int, int]:
    """Sort key of an option in the help: its panel, then its position in the panel."""
    first = FIRST.index(option.name) if option.name in FIRST else len(FIRST)
    return PANELS.index(panel(option)), first


def _examples(row: TaskRow) -> str:
    commands = (f"keras-attn train {row.name} {each}" for each in row.examples)
    return "\n".join(_wrapped(each) for each in commands)


def _wrapped(command: str) -> str:
    """An example on lines of at most 76 characters, wrapped before options."""
    first, *options = command.split(" --")
    lines = [f"  {first}"]
    for option in options:
        if len(lines[-1]) + len(option) > 71:
            lines[-1] += " \\"
            lines.append(f"      --{option}")
        else:
            lines[-1] += f" --{option}"
    return "\n".join(lines)


for each in TASKS.values():
    train.command(each.name, short_help=each.summary, rich_help_panel="Tasks")(command(each))


def _train(
    row: TaskRow,
    data: list[str] | None,
    out: Path,
    validation: list[str] | None,
    pretrained: str | None,
    model_options: dict[str, Any],
    given: dict[str, Any],
    json: bool,
) -> None:
    options = import_module(row.options)
    # Checked before TensorFlow is imported and a tokenizer is trained.
    settings, fitting = parsed(options.Settings, given), parsed(options.Training, given)
    of_session = parsed(SessionOptions, given)
    train_files = files(row.name, data) if data else None
    validation_files = files_or_share(row.name, validation)
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
    session = SessionOptions(folder=str(out), **of_session)
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
            task.adapt(train_files)
        history = task.fit(train_files, validation_files, folder=out, **fitting, **of_session)
        interrupted = history.stopped == "interrupted"
        # The first new checkpoint deletes the weights of an earlier training run. If they still
        # exist, there is no new checkpoint, and they are the best weights.
        if first and history.best_epoch and not (interrupted and (out / WEIGHTS).exists()):
            task.save(out)
        hosts.wait_for_all("saved")
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not first:
        return
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


def _next_commands(out: Path, task: "Task") -> str:
    """The commands that usually follow a training run."""
    run, name = shlex.quote(str(out)), shlex.quote(f"{out.name}.tflite")
    several = task.name == MULTI_TASK
    head = f" --head {next(iter(task.settings.labels))}" if several else ""
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
    names = import_module(row.options).Settings.names()
    known = {name: value for name, value in shards.settings.items() if name in names}
    if settings.get("model", known.get("model")) != known.get("model"):
        known.pop("preset", None)
    fixed = FIXED_BY_CHECKPOINTS if pretrained is not None else ()
    return {name: value for name, value in known.items() if name not in fixed}


def _check_same(
    out: Path, task: "Task", row: TaskRow, settings: dict[str, Any], model_options: dict[str, Any]
) -> None:
    """Refuses to resume a run with different settings."""
    before = {"task": task.name, **task.settings.values(), **task.model_options}
    for name, value in {"task": row.name, **settings, **model_options}.items():
        # The vocabulary may be smaller than the maximum that was given.
        if name not in ("vocabulary_size", "seed") and before.get(name) != value:
            raise UserError(f"the run in {out} has {name} {before.get(name)}, not {value}")
