"""The command `new`."""

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from zoo.cli.column_options import COLUMNS
from zoo.cli.console import load
from zoo.cli.derived import takes
from zoo.cli.image_sizes import smaller_size
from zoo.cli.inspecting import hints, inspected
from zoo.cli.new_recipe import new_recipe
from zoo.cli.phases import phases
from zoo.cli.tasks import files, files_or_part
from zoo.cli.trial import try_out
from zoo.errors import UserError
from zoo.nearest import offered
from zoo.option_names import option_name
from zoo.recipes.recipe_file import SUFFIX

if TYPE_CHECKING:
    from zoo.data.inspection.results import Fit, Inspection

SECONDS = 20.0
HELD_OUT = "0.1"


@takes("columns", *COLUMNS)
def new(
    data: Annotated[str, typer.Argument(metavar="FILE", help="A data file, folder or pattern.")],
    columns: dict[str, Any],
    out: Annotated[
        Path | None,
        Option(metavar="FILE", help="The recipe to write. Default: NAME.toml of the data NAME."),
    ] = None,
    task: Annotated[
        str | None,
        Option(metavar="TASK", help="The task. Default: the likeliest one that fits the data."),
    ] = None,
    validation: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help=f"Validation data, or the fraction to hold out. Default: {HELD_OUT}.",
        ),
    ] = None,
    seconds: Annotated[
        float,
        Option(
            min=0,
            help="Number of seconds to train, to see what to expect; twice if images are so large "
            f"that a smaller size is tried, too. 0 trains nothing. Default: {SECONDS:g}.",
            show_default=False,
        ),
    ] = SECONDS,
) -> None:
    """Look at a data file, try a model on it, and write a recipe for `train`.

    Says what the file contains, which task and model fit, how long a training takes and how good
    the model is after some seconds, beside baselines. The recipe is a TOML file with comments;
    change it, and run it with `keras-attn train NAME.toml`.

    [bold]Examples[/bold]

    \b
      keras-attn new reviews.csv
      keras-attn new photos/ --task image-classifier --seconds 60
      keras-attn new sales.csv --out sales-weekly.toml --seconds 0
    """
    inspection = inspected(data, None, columns)
    fit = _chosen(inspection, task)
    path = out or Path(f"{_name(data)}{SUFFIX}")
    if path.suffix != SUFFIX:
        raise UserError(f"--out must end in {SUFFIX}, got {path}")
    if path.exists():
        raise UserError(f"{path} exists: remove it, choose another --out, or train with it")
    held = None if inspection.has_validation else validation or HELD_OUT
    part = files_or_part(fit.task, None if held is None else [held])
    print("\n".join([inspection.understood, *hints(inspection)]))
    others = [*dict.fromkeys(each.task for each in inspection.fits if each.task != fit.task)]
    also = f" (also fit: {', '.join(others)})" if others else ""
    print(f"\ntask: {fit.task}{also}", *_other_columns(inspection, fit), sep="\n", flush=True)
    expected: list[str] = []
    if seconds:
        fit, expected = _tried(fit, data, part, seconds)
        print("\n".join(expected))
    text = new_recipe(fit.task, data, held, f"runs/{path.stem}", fit.options, expected)
    with load("zoo.atomic", tensorflow=False).replacing(path) as partial:
        partial.write_text(text, "utf-8")
    command = f"keras-attn train {shlex.quote(str(path))}"
    print(f"\nwrote {path}, which you can change\n\nnext:\n  {command}")


def _tried(fit: "Fit", data: str, part: Any, seconds: float) -> tuple["Fit", list[str]]:
    """A task with the options to propose after a trial of it, and what to expect, in sentences.

    Images that are so large that training takes long are tried in a smaller size, too.
    """
    try:
        with phases() as phase:
            read = files(fit.task, [data])
            trial = try_out(fit.task, fit.options, read, part, seconds, phase)
            size = trial.settings.get("image_size")
            smaller = None if size is None else smaller_size(size, trial.whole or math.inf)
            if smaller is None:
                return fit, trial.lines()
            phase(f"trying {smaller} instead of {size}")
            told = f"{trial.lines()[0]} That is with images of {size}; of {smaller}:"
            fit = replace(fit, options={**fit.options, "image_size": smaller})
            trial = try_out(fit.task, fit.options, read, part, seconds, phase)
    except UserError as error:
        raise UserError(f"{fit.task} cannot be trained on {data}: {error}") from None
    return fit, [told, *trial.lines()]


def _chosen(inspection: "Inspection", task: str | None) -> "Fit":
    """The task that was asked for, or the likeliest one."""
    fits = {fit.task: fit for fit in reversed(inspection.fits)}  # the first of each task
    if not fits:
        raise UserError(f"no task can read {inspection.path} as it is: {inspection.understood}")
    if task is not None and task not in fits:
        raise UserError(
            f"{task!r} does not fit {inspection.path}; {offered(task, fits)}, or name its columns "
            "with the options that `--help` lists"
        )
    return fits[task] if task is not None else inspection.fits[0]


def _other_columns(inspection: "Inspection", fit: "Fit") -> list[str]:
    """The other columns that the task could learn, in a line for each option that names them."""
    lines = []
    for option, chosen in fit.options.items():
        known = (each.options.get(option) for each in inspection.fits if each.task == fit.task)
        others = [*dict.fromkeys(name for name in known if name not in (None, chosen))]
        if others and option.endswith("_column"):
            role = option.removesuffix("_column")
            listed = ", ".join(map(str, others))
            lines.append(f"{role}: {chosen} (choose another with {option_name(option)}: {listed})")
    return lines


def _name(data: str) -> str:
    """The name of the recipe for some data, as that of the run that `inspect` proposes."""
    return Path(data).name.split(".")[0].replace("*", "") or "data"
