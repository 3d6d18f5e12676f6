"""The convolutional tagger against NumPy float64."""

import keras
import numpy as np
import pytest

from tests.oracles.convolution import gated_conv1d
from tests.zoo.models.families import run
from tests.zoo.models.language_models import batch
from tests.zoo.models.test_models import built_without_weights
from tests.zoo.models.test_rnn_encoder import weights_of
from zoo.models.create import create_model

SIZES = {"vocabulary_size": 23, "num_classes": 5, "embedding_dim": 7, "units": 11, "dropout": 0.0}


def make(**config):
    model = create_model("conv_tagger", **{**SIZES, "num_layers": 2, **config})
    for number, weight in enumerate(model.weights):
        weight.assign(0.35 * np.random.default_rng(number).normal(size=weight.shape))
    return model


def test_logits_are_those_of_the_formulas():
    model, inputs = make(), batch()
    (table,) = weights_of(model.embedding)
    x, mask = table[inputs["token_ids"]], inputs["padding_mask"]
    for layer in model.convolutions:
        x = gated_conv1d(weights_of(layer), x, mask)
    kernel, bias = weights_of(model.head)
    np.testing.assert_allclose(run(model, inputs), x @ kernel + bias, atol=1e-5)


def test_tags_depend_on_the_tokens_in_the_window():
    model, inputs = make(kernel_size=3, num_layers=2), batch(rows=1, length=11)
    before = run(model, inputs)
    inputs["token_ids"][:, 5] += 1
    changed = np.abs(before - run(model, inputs)).max(axis=(0, 2)) > 0
    assert changed.nonzero()[0].tolist() == [3, 4, 5, 6, 7]


def test_a_file_gives_the_same_numbers(tmp_path):
    model = make()
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@pytest.mark.parametrize("preset", ["tiny", "base"])
def test_presets_build(preset):
    model = built_without_weights("conv_tagger", preset, vocabulary_size=23, num_classes=3)
    assert model.output["logits"].shape == (None, None, 3)
