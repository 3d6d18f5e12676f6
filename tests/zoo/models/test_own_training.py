"""The examples of docs/reference/models.md that train models with code of one's own."""

from pathlib import Path

import keras
import numpy as np
import pytest

import zoo
from tests.pages import blocks
from zoo.registry import MODELS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "models.md"
EXAMPLES = [example for example in blocks(PAGE, "python") if "model.fit(" in example]
STEPS = "range(5)"


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_loop_and_fit_make_the_loss_smaller(number):
    keras.utils.set_random_seed(number)
    first, loop = EXAMPLES[number].split("\nfor step in")
    names = {}
    exec(first, names)
    fitted = names["model"].evaluate  # `fit` has compiled the model with losses by name
    assert callable(fitted)
    loop = f"values = []\nfor step in{loop}    values.append(float(value))\n"
    exec(loop.replace(STEPS, "range(30)"), names)
    values = names["values"]
    assert len(values) == 30 and np.isfinite(values).all()
    assert np.mean(values[-5:]) < np.mean(values[:5])


def test_every_kind_of_model_has_an_example():
    named = [name for name in MODELS if f"`{name}`" in PAGE.read_text("utf-8").split("## Train")[1]]
    assert named == [*MODELS]
    assert len(EXAMPLES) == 11


def small():
    ids = np.ones((2, 5), "int32")
    model = zoo.create_model("rnn_classifier", "tiny", vocabulary_size=30, num_classes=3)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss={"logits": loss})
    return model, {"token_ids": ids, "padding_mask": ids > 0}


def test_other_targets_name_the_outputs():
    model, inputs = small()
    with pytest.raises(ValueError, match="rnn_classifier has the outputs logits, and no labels"):
        model.fit(inputs, {"labels": np.zeros(2)}, verbose=0)


@pytest.mark.parametrize("change", ["missing", "array"])
def test_other_inputs_name_those_of_the_model(change):
    model, inputs = small()
    ids = inputs["token_ids"]
    given = {"token_ids": ids} if change == "missing" else ids
    with pytest.raises(ValueError, match="padding_mask.*token_ids"):
        model.fit(given, {"logits": np.zeros(2)}, verbose=0)
