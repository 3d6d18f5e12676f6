"""Recipes: how to reproduce published results, with data, commands, cost and results."""

import tomllib
from dataclasses import dataclass
from importlib import resources

from zoo.errors import UserError
from zoo.nearest import offered


@dataclass(frozen=True)
class TrainingRecipe:
    """A tested training run.

    Args:
        name: Name of the recipe.
        paper: Source of the model and the settings.
        data: The data, with its format.
        commands: Commands to run, in order, in the folder of the data.
        cost: Training time, and the machine.
        expected: The resulting metrics by name.
    """

    name: str
    paper: str
    data: str
    commands: list[str]
    cost: str
    expected: dict[str, float]


def list_recipes() -> list[TrainingRecipe]:
    """All recipes, by name.

    Example:
        >>> "multi30k_transformer" in [recipe.name for recipe in list_recipes()]
        True
    """
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml")]
    return [
        TrainingRecipe(file.name.removesuffix(".toml"), **tomllib.loads(file.read_text("utf-8")))
        for file in sorted(files, key=lambda file: file.name)
    ]


def recipe(name: str) -> TrainingRecipe:
    """One recipe.

    Raises:
        UserError: If the name is unknown; the message lists the names.
    """
    recipes = {each.name: each for each in list_recipes()}
    if name not in recipes:
        raise UserError(f"unknown recipe {name!r}; {offered(name, recipes)}")
    return recipes[name]
