"""The options of the models in words."""

import pytest

from zoo.errors import UserError
from zoo.models.described import describe_options
from zoo.models.options import model_options
from zoo.models.transformer_options import TransformerOptions
from zoo.registry import MODELS


@pytest.mark.parametrize("name", MODELS)
def test_every_option_is_described(name):
    described = {each.name: each for each in describe_options(name)}
    assert [each.name for each in described.values() if not each.about] == []
    options = {}
    for task in MODELS[name].tasks:
        options |= model_options(MODELS[name], task)
    assert described.keys() <= options.keys()
    for each in described.values():
        assert each.default == options[each.name].default


def test_the_options_of_a_group_are_listed_one_by_one():
    rows = {each.name: each for each in describe_options("bert")}
    assert set(TransformerOptions().names()) < set(rows) >= {"head_activation", "num_segments"}
    assert rows["position"].default == "learned" and "rotary" in rows["position"].about
    assert "vocabulary_size" not in rows and "dtype" not in rows
    assert {each.name: each.default for each in describe_options("transformer")}["position"] == (
        "sinusoidal"
    )
    with pytest.raises(UserError, match="bird"):
        describe_options("bird")
