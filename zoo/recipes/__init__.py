"""How published results are reached with this library: data, commands, cost, what to expect."""

import tomllib
from dataclasses import dataclass
from importlib import resources

from zoo.errors import UserError


@dataclass(frozen=True)
class Recipe:
    """A training that was done, and can be done again.

    Args:
        name: What it is called.
        paper: Where model and settings come from.
        data: What it is trained on.
        commands: What to type, in order, in the folder of the data.
        cost: What it took, on which machine.
        expected: The metrics to expect, by name.
    """

    name: str
    paper: str
    data: str
    commands: list[str]
    cost: str
    expected: dict[str, float]


def list_recipes() -> list[Recipe]:
    """All recipes, by name.

    Example:
        >>> "multi30k_transformer" in [recipe.name for recipe in list_recipes()]
        True
    """
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml")]
    return [
        Recipe(file.name.removesuffix(".toml"), **tomllib.loads(file.read_text("utf-8")))
        for file in sorted(files, key=lambda file: file.name)
    ]


def recipe(name: str) -> Recipe:
    """One recipe.

    Raises:
        UserError: If there is none of that name; the message lists them.
    """
    found = {each.name: each for each in list_recipes()}
    if name not in found:
        raise UserError(f"unknown recipe {name!r}; choose from {', '.join(found)}")
    return found[name]
