"""The command `models`."""

from typing import Annotated

from typer import Argument

from zoo.cli.console import Json, load, show_json, show_table
from zoo.models.create import list_models


def models(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="A model, whose options are listed.")
    ] = None,
    json: Json = False,
) -> None:
    """List the models, with their presets, tasks and papers, or the options of one.

    `train --set NAME=VALUE` sets an option.

    [bold]Examples[/bold]

    \b
      keras-attn models
      keras-attn models transformer
      keras-attn models --json
    """
    if name is not None:
        _show_options(name, json)
        return
    entries = list_models()
    if json:
        show_json([vars(entry) for entry in entries])
    else:
        rows = (
            [each.name, ", ".join(each.presets), ", ".join(each.tasks), each.paper]
            for each in entries
        )
        show_table(("model", "presets", "tasks", "paper"), rows)


def _show_options(name: str, json: bool) -> None:
    load("zoo")
    from zoo.models.described import describe_options

    options = describe_options(name)
    if json:
        show_json([vars(option) for option in options])
    else:
        rows = ([each.name, each.default, each.about] for each in options)
        show_table(("option", "default", "description"), rows)
