"""The command `recipes`."""

from typing import Annotated

import typer

from zoo.cli.console import Json, show_json, show_table
from zoo.recipes import list_recipes, recipe


def recipes(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show the commands of this recipe.")
    ] = None,
    json: Json = False,
) -> None:
    """List training runs that reproduce published results, or show the commands of one.

    [bold]Examples[/bold]

    \b
      keras-attn recipes
      keras-attn recipes multi30k_transformer
    """
    chosen = list_recipes() if name is None else [recipe(name)]
    if json:
        show_json([vars(each) for each in chosen])
    elif name is None:
        rows = ([each.name, each.data, _metrics(each.expected), each.cost] for each in chosen)
        show_table(("recipe", "data", "expected", "cost"), rows)
    else:
        (one,) = chosen
        facts = {"paper": one.paper, "data": one.data, "cost": one.cost}
        show_table(("", ""), {**facts, "expected": _metrics(one.expected)}.items())
        for command in one.commands:
            print(f"\n{command}")


def _metrics(expected: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in expected.items())
