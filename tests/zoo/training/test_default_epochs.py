"""The number of epochs of a training that is not told, whatever the size of its data."""

import pytest

from zoo.registry import TASKS
from zoo.tasks.load import task_class
from zoo.tasks.parts.recipe import EPOCHS, MAX_EPOCHS, MAX_STEPS

EARLY = {
    *("causal-lm", "denoising", "image-captioner", "masked-lm", "text-embedder", "text-to-text")
}


@pytest.mark.parametrize("name", sorted(TASKS))
def test_small_data_are_read_often_and_large_data_not_for_days(name):
    recipe = task_class(name).parts.recipe
    if name == "node-classifier":  # of one graph, until early stopping
        assert recipe.default_epochs(1) == 1000
        return
    assert recipe.default_epochs(1) == min(MAX_EPOCHS, recipe.min_steps)
    assert recipe.default_epochs(max(1, recipe.min_steps)) == EPOCHS
    assert recipe.default_epochs(MAX_STEPS // 4) == 4
    assert recipe.default_epochs(MAX_STEPS * 9) == 1
    assert recipe.default_epochs(7) * 7 >= recipe.min_steps


def test_every_task_takes_hundreds_of_steps():
    recipes = {name: task_class(name).parts.recipe for name in TASKS}
    assert [name for name, each in recipes.items() if each.min_steps < 300] == ["node-classifier"]


def test_other_tasks_do_not_stop_early():
    patience = {name: task_class(name).parts.recipe.default_patience(400) for name in TASKS}
    del patience["node-classifier"]
    assert {name for name, each in patience.items() if each is not None} == EARLY


@pytest.mark.parametrize("name", sorted(EARLY))
def test_training_stops_early(name):
    recipe = task_class(name).parts.recipe
    assert recipe.min_steps >= 300
    assert recipe.default_patience(4) == 3 and recipe.default_patience(400) == 100
