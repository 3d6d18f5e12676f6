"""Recipes: each is whole, and its commands are commands that there are."""

import shlex

import pytest
import typer

from zoo.cli.app import app
from zoo.errors import UserError
from zoo.recipes import list_recipes, recipe

RECIPES = list_recipes()
PROGRAM = typer.main.get_command(app)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_its_commands_can_be_typed(recipe):
    assert recipe.commands and recipe.expected and recipe.paper and recipe.data and recipe.cost
    typed = [shlex.split(command) for command in recipe.commands]
    ours = [words[1:] for words in typed if words[0] == "keras-attn"]
    assert {words[0] for words in ours} >= {"train", "evaluate"}
    for name, *arguments in ours:
        command = PROGRAM.commands[name]
        parsed = command.make_context(name, arguments)  # refuses an option that there is not
        assert not parsed.args


def test_an_unknown_recipe_lists_the_others():
    with pytest.raises(UserError, match="unknown recipe 'x'; choose from .*multi30k_transformer"):
        recipe("x")
