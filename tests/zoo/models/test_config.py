"""Configs of models, derived from the signatures of their constructors."""

import json
from pathlib import Path

import keras
import numpy as np
import pytest

import zoo  # noqa: F401  (registers the models)
from zoo.models.config import config_of
from zoo.models.gpt import GPT
from zoo.registry import MODELS
from zoo.registry_rows import resolve

# Of a small model of each class, as written when the configs were still listed by hand.
SAVED = json.loads(
    (Path(__file__).parents[2] / "references" / "model_configs.json").read_text("utf-8")
)


def classes():
    paths = {row.path(task) for row in MODELS.values() for task in [None, *row.tasks]}
    return {resolve(path).__name__ for path in paths}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", SAVED)
def test_configs_that_were_saved_before_still_load(name):
    classes()  # imports them all
    model = keras.saving.deserialize_keras_object(SAVED[name])
    assert type(model).__name__ == name
    config = model.get_config()
    for option, value in SAVED[name]["config"].items():
        if not isinstance(value, dict) or "class_name" not in value:
            assert config[option] == value, option
    assert type(model).from_config(config).get_config() == config
    json.dumps(config)


def test_every_model_has_a_saved_config():
    assert set(SAVED) >= classes()


def test_what_is_in_a_config():
    class Tiny:
        def __init__(self, backbone, sizes=((1, 2), [3]), by_name=None, dtype=None, name="a", **kw):
            self._config = config_of(Tiny, locals())

    backbone = keras.Model()
    assert Tiny(backbone)._config == {"sizes": [[1, 2], [3]], "by_name": None, "dtype": None}
    sizes, names = [5], {"b": (7,)}
    tiny = Tiny("conv", sizes, names, keras.dtype_policies.DTypePolicy("mixed_bfloat16"))
    sizes.append(6)
    names["c"] = 8
    assert tiny._config == {
        "backbone": "conv",
        "sizes": [5],
        "by_name": {"b": [7]},
        "dtype": "mixed_bfloat16",
    }
    assert Tiny(backbone, np.ones((1, 2)))._config["sizes"] == [[1.0, 1.0]]


def test_an_option_outside_of_its_group_is_refused():
    with pytest.raises(TypeError, match=r"GPT takes 'attention' in its options: TransformerOpt"):
        GPT(23, num_layers=1, hidden_dim=8, num_heads=2, attention="linear")
