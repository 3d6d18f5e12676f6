"""Recipes: each is complete, and its commands can be parsed."""

import shlex

import pytest

from tests.zoo.test_cli import parse
from zoo.errors import UserError
from zoo.recipes import list_recipes, recipe

RECIPES = list_recipes()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_its_commands_can_be_parsed(recipe):
    assert recipe.commands and recipe.expected and recipe.paper and recipe.data and recipe.cost
    typed = [shlex.split(command) for command in recipe.commands]
    ours = [words[1:] for words in typed if words[0] == "keras-attn"]
    assert {words[0] for words in ours} >= {"train", "evaluate"}
    for arguments in ours:
        parse(arguments)


def test_an_unknown_recipe_lists_the_others():
    with pytest.raises(UserError, match="unknown recipe 'x'; choose from .*multi30k_transformer"):
        recipe("x")


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("question-answering", ["--stride"]),
        ("text-pair-scorer", ["--batch-tokens"]),
        ("text-regressor", ["--validation"]),
        ("text-classifier", ["--multi-label", "--label-column", "--label-separator"]),
        ("text-classifier", ["--class-weight"]),
        ("multi-task", ["names=names.few.conll", "ratings=ratings.few.tsv"]),
    ],
)
def test_every_kind_of_answer_has_a_recipe(task, options):
    trained = [
        words
        for words in (shlex.split(command) for each in RECIPES for command in each.commands)
        if words[:3] == ["keras-attn", "train", task]
    ]
    assert any(words for words in trained if {*options} <= {*words})


def test_metrics_of_recipes_are_those_that_are_measured():
    for each in RECIPES:
        for command in each.commands:
            words = shlex.split(command)
            if "--metrics" in words:
                names = words[words.index("--metrics") + 1].split(",")
                assert {*names} <= {*each.expected}, each.name
