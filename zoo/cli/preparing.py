"""The command `prepare`, with a subcommand for each task whose data may be larger than memory."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, arguments, load, show_json
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.tasks import FILE, files
from zoo.cli.train_run import FIXED_BY_CHECKPOINTS
from zoo.ctrl_c import INTERRUPTED
from zoo.errors import UserError
from zoo.options import facts_of, names_of
from zoo.registry import PREPARED, TASKS
from zoo.registry_rows import TaskRow, resolve
from zoo.tasks.options.common import TEXT
from zoo.tasks.options.table_columns import DATA

prepare = typer.Typer(
    name="prepare",
    no_args_is_help=True,
    rich_markup_mode="rich",
    subcommand_metavar="TASK [OPTIONS]",
    help="Tokenize data that is larger than memory; `keras-attn prepare TASK --help` lists the "
    "options.",
)


def command(row: TaskRow) -> Callable[..., Any]:
    """The subcommand of a task, with the settings that prepared data depend on."""
    options = import_module(row.options)
    names = ("model", "preset", *_depends(options.Settings))

    @takes("given", *parameters(options.Settings, only=names))
    def run(
        data: Annotated[
            list[str],
            Option(metavar=FILE, help=f"The data. {row.data} Repeatable; may be a glob pattern."),
        ],
        out: Annotated[Path, Option(metavar="FOLDER", help="Folder to write.")],
        given: dict[str, Any],
        like: Annotated[
            Path | None,
            Option(
                metavar="FOLDER",
                help="Use the settings, the vocabulary and the labels of other prepared data, or "
                "of a run; as for validation data.",
            ),
        ] = None,
        pretrained: Annotated[
            str | None,
            Option(
                metavar="CHECKPOINT",
                help="Use the vocabulary of a pretrained model, which `train` then starts from.",
            ),
        ] = None,
        processes: Annotated[
            int | None,
            Option(min=1, help="Number of processes. Default: the number of cores."),
        ] = None,
        json: Json = False,
    ) -> None:
        settings, paths = parsed(options.Settings, given), files(row.name, data)
        load("zoo")
        with arguments():
            task = _task(row, settings, like, pretrained)
            try:
                rows = task.prepare(paths, out, processes)
            except KeyboardInterrupt:
                print("interrupted; the same command continues after the last shard")
                raise typer.Exit(INTERRUPTED) from None
        if json:
            show_json({"folder": str(out), "rows": rows})
        else:
            print(f"{out}: {rows} rows\n\nnext:\n  keras-attn train {row.name} --data {out}")

    run.__doc__ = (
        f"Prepare data for {row.name}, which `train` then reads with little memory.\n\n"
        "A preparation that was stopped continues, if the same command is given again.\n\n"
        f"[bold]Examples[/bold]\n\n\b\n  keras-attn prepare {row.name} --data 'corpus/*.gz' "
        "--out shards/\n"
        f"  keras-attn prepare {row.name} --data test.gz --like shards/ --out test-shards/\n"
        f"  keras-attn train {row.name} --data shards/ --validation test-shards/ --out run/"
    )
    return run


def _depends(settings: Any) -> list[str]:
    """The settings of texts and of how tables are read."""
    groups = (TEXT, DATA)
    skipped = ("embeddings", "max_new_tokens", "max_sentence_length")
    names = (name for name in names_of(settings) if facts_of(settings, name)["group"] in groups)
    return [name for name in names if name not in skipped]


def _task(row: TaskRow, settings: dict[str, Any], like: Path | None, pretrained: str | None) -> Any:
    if like is not None and pretrained is not None:
        raise UserError("--like and --pretrained cannot be combined")
    if like is None and pretrained is None:
        return resolve(row.path)(**settings)
    fixed = [name for name in FIXED_BY_CHECKPOINTS if name in settings]
    if fixed:
        option = "--like" if like is not None else "--pretrained"
        raise UserError(f"{option} determines the {fixed[0].replace('_', ' ')}: leave it out")
    if pretrained is not None:
        return load("zoo").from_pretrained(pretrained, row.name, **settings)
    task = load("zoo.tasks.prepared").like(like)
    if task.name != row.name:
        raise UserError(f"{like} is of {task.name}, not of {row.name}")
    for name, value in settings.items():
        setattr(task.settings, name, value)
    return task


for each in PREPARED:
    prepare.command(each, short_help=f"Prepare data for {each}.")(command(TASKS[each]))
