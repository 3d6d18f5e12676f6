"""The command `models`."""

from zoo.cli.console import Json, show_json, show_table
from zoo.models.create import list_models


def models(json: Json = False) -> None:
    """List the models, with their presets, tasks and papers.

    [bold]Examples[/bold]

    \b
      keras-attn models
      keras-attn models --json
    """
    entries = list_models()
    if json:
        show_json([vars(entry) for entry in entries])
    else:
        rows = (
            [each.name, ", ".join(each.presets), ", ".join(each.tasks), each.paper]
            for each in entries
        )
        show_table(("model", "presets", "tasks", "paper"), rows)
