"""The command `train`, with a subcommand for each task."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json
from zoo.cli.derived import name_and_value, panel, parameters, takes
from zoo.cli.recipe_arguments import TrainGroup
from zoo.cli.tasks import FILE, MULTI_TASK
from zoo.cli.train_run import TrainCommand
from zoo.cli.train_several import TRIALS, repeat, search_best
from zoo.errors import UserError
from zoo.registry import TASKS
from zoo.registry_rows import TaskRow
from zoo.tasks.options.common import MODEL, TEXT
from zoo.tasks.options.series_forecaster import FORECAST
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import (
    AUGMENTATION,
    DURATION,
    FINE_TUNING,
    OPTIMIZATION,
    RUN,
    SessionOptions,
)

# The panels of `--help` in order, and the options that come first in their panels.
PANELS = (
    *(None, MODEL, TEXT, FORECAST, DATA),
    *(DURATION, OPTIMIZATION, AUGMENTATION, FINE_TUNING, RUN),
)
FIRST = ("data", "out", "validation", "model", "preset", "pretrained")


train = typer.Typer(
    name="train",
    cls=TrainGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    subcommand_metavar="TASK|FILE.toml [OPTIONS]",
    help="Train a model on your own files; `keras-attn train TASK --help` lists the options.\n\n"
    "A recipe file, which `keras-attn new FILE` writes, contains a task with its options; options "
    "after the file override them. `--recipe NAME` trains like one of `keras-attn recipes`, with "
    "your own --data and --out.",
)


def command(row: TaskRow) -> Callable[..., Any]:
    """The subcommand of a task, with the options of this task only."""
    options = import_module(row.options)
    settings = parameters(options.Settings, skip=("seed",))
    training = parameters(options.Training, skip=("xla",))
    session = parameters(SessionOptions, skip=("folder", "verbose"))
    own = {each.name for each in (*settings, *training)}
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
                help="Set any other option of the model, such as position=rotary; overrides the "
                "preset. `keras-attn models MODEL` lists them. Repeatable.",
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
        seeds: Annotated[
            int | None,
            Option(
                metavar="NUMBER",
                help="Train with this number of seeds, from --seed on, in the folders seed-0, "
                "seed-1 and so on of --out, and print the mean and the standard deviation of the "
                "metric.",
                rich_help_panel=RUN,
            ),
        ] = None,
        folds: Annotated[
            int | None,
            Option(
                metavar="NUMBER",
                help="Cross-validation with this number of folds: train in the folders fold-1, "
                "fold-2 and so on of --out, each time with another part of the data as validation "
                "data, and print the mean and the standard deviation of the metric.",
                rich_help_panel=RUN,
            ),
        ] = None,
        search: Annotated[
            list[str] | None,
            Option(
                metavar="NAME=VALUES",
                help="Search for the best options: NAME=LOW..HIGH, such as "
                "learning-rate=1e-4..1e-2, or NAME=VALUE,VALUE, such as dropout=0,0.1. Each trial "
                "is a run in trial-1, trial-2 and so on of --out; those that are worse than the "
                "median end early. Requires --validation and the extra `search`. Repeatable.",
                rich_help_panel=RUN,
            ),
        ] = None,
        trials: Annotated[
            int | None,
            Option(
                metavar="NUMBER",
                min=2,
                help=f"Number of trials of --search. Default: {TRIALS}.",
                rich_help_panel=RUN,
            ),
        ] = None,
        json: Json = False,
    ) -> None:
        given = {"xla": xla, **given} if xla is not None else given
        model = dict(name_and_value("--set", text) for text in option or [])
        model |= {} if dropout is None else {"dropout": dropout}
        asked = TrainCommand(row, data, validation, pretrained, model, given)
        if trials is not None and not search:
            raise UserError("--trials requires --search")
        if search and (seeds is not None or folds is not None):
            raise UserError("--search cannot be combined with --seeds or --folds")
        if search:
            search_best(asked, search, trials, own, out, json)
        elif not repeat(asked, seeds, folds, out, json):
            asked.run(out, json)

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
