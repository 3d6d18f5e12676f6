"""`models` and `train`, which has a subcommand for each task."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, arguments, load, show_json, show_table
from zoo.cli.derived import name_and_value, parameters, parsed, takes
from zoo.cli.tasks import files
from zoo.errors import UserError
from zoo.options import Options
from zoo.registry import TASKS
from zoo.rows import TaskRow, resolve
from zoo.tasks.folder import CONFIG, WEIGHTS
from zoo.training.options import RUN, SessionOptions

MODEL, PRETRAINED = "Model", "Fine-tuning"
FIXED_BY_CHECKPOINTS = ("model", "preset", "tokenizer", "vocabulary_size")


def models(json: Json = False) -> None:
    """List the models of the zoo, with their presets.

    [bold]Examples[/bold]

    \b
      keras-attn models
      keras-attn models --json
    """
    found = load("zoo").list_models()
    if json:
        show_json([vars(entry) for entry in found])
    else:
        rows = (
            [each.name, ", ".join(each.presets), ", ".join(each.tasks), each.paper]
            for each in found
        )
        show_table(("model", "presets", "task", "paper"), rows)


train = typer.Typer(
    name="train",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Train a model on files of your own; `train TASK --help` shows the options of a task.",
)


def command(row: TaskRow) -> Callable[..., Any]:
    """The subcommand of a task, with the options that it takes and no others."""
    options = import_module(row.options)
    settings = parameters(options.Settings, skip=("seed",))
    training = parameters(options.Training)
    session = parameters(SessionOptions, skip=("folder", "verbose", "xla"))

    @takes("given", *settings, *training, *session)
    def run(
        data: Annotated[list[str], Option(help=f"Training data. {row.data}")],
        out: Annotated[Path, Option(help="Run folder to write.")],
        given: dict[str, Any],
        validation: Annotated[
            list[str] | None,
            Option(help="Data to choose the best epoch by."),
        ] = None,
        pretrained: Annotated[
            str | None,
            Option(
                help="Start from a run folder, or from a Hugging Face checkpoint: a folder or a "
                "name on the hub.",
                rich_help_panel=PRETRAINED,
            ),
        ] = None,
        dropout: Annotated[
            float | None, Option(help="Dropout rate of the model.", rich_help_panel=MODEL)
        ] = None,
        option: Annotated[
            list[str] | None,
            Option(
                "--set",
                metavar="NAME=VALUE",
                help="Another option of the model. Repeatable.",
                rich_help_panel=MODEL,
            ),
        ] = None,
        xla: Annotated[
            bool | None,
            Option(
                "--xla/--no-xla", help="Compile the training step with XLA.", rich_help_panel=RUN
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
    "Ctrl-C keeps the best epoch so far. With --resume the run in --out continues after the last "
    "complete epoch, also after a crash; options that are not given stay as they were."
)


def _examples(row: TaskRow) -> str:
    commands = row.examples or (f"--data {row.name}.tsv --out runs/{row.name}",)
    return "\n".join(f"  keras-attn train {row.name} {each}" for each in commands)


for each in TASKS.values():
    train.command(each.name, short_help=each.summary)(command(each))


def _train(
    row: TaskRow,
    data: list[str],
    out: Path,
    validation: list[str] | None,
    pretrained: str | None,
    model_options: dict[str, Any],
    given: dict[str, Any],
    json: bool,
) -> None:
    options = import_module(row.options)
    # Checked before anything that takes time: importing TensorFlow, training a tokenizer.
    settings = _checked(options.Settings, given, row.name)
    fitting = _checked(options.Training, given, row.name)
    of_session = _checked(SessionOptions, given, "fit")
    train_files = files(row.name, data)
    validation_files = validation and files(row.name, validation)
    resume = bool(of_session.get("resume"))
    there = (out / CONFIG).exists()
    if there and not resume:
        raise UserError(f"{out} holds a run: continue it with --resume, or choose another --out")
    zoo = load("zoo")
    with arguments():
        if there:
            task = zoo.load(out)
            _check_same(out, task, row, settings, model_options)
        else:
            task = _new(zoo, row, settings, model_options, pretrained)
            task.adapt(train_files)
        history = task.fit(train_files, validation_files, folder=out, **fitting, **of_session)
    interrupted = history.stopped == "interrupted"
    # Earlier weights are removed with the first new checkpoint: as long as they are there, they
    # are the best.
    if history.best_epoch and not (interrupted and (out / WEIGHTS).exists()):
        task.save(out)
    if interrupted:
        raise typer.Exit(130)
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


def _checked(options: type[Options], given: dict[str, Any], what: str) -> dict[str, Any]:
    """Those of the values that are of these options."""
    found = parsed(options, {name: given[name] for name in options.names() if name in given})
    options.of(found, what)
    return found


def _new(
    zoo: ModuleType,
    row: TaskRow,
    settings: dict[str, Any],
    model_options: dict[str, Any],
    pretrained: str | None,
) -> Any:
    """A new task, or one that starts from a checkpoint."""
    if pretrained is not None:
        fixed = [name for name in FIXED_BY_CHECKPOINTS if name in settings]
        if fixed:
            raise UserError(f"--pretrained fixes the {fixed[0].replace('_', ' ')}: leave it out")
        return zoo.from_pretrained(pretrained, row.name, **settings, **model_options)
    return resolve(row.path)(**settings, **model_options)


def _check_same(
    out: Path, task: Any, row: TaskRow, settings: dict[str, Any], model_options: dict[str, Any]
) -> None:
    """Refuses to resume a run with other settings than it has."""
    before = {"task": task.name, **task.settings.values(), **task.model_options}
    for name, value in {"task": row.name, **settings, **model_options}.items():
        # A tokenizer may have learned fewer tokens than were asked for.
        if name not in ("vocabulary_size", "seed") and before.get(name) != value:
            raise UserError(f"the run in {out} has {name} {before.get(name)}, not {value}")
