"""The recurrent classifier and tagger against NumPy float64."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import recurrent
from tests.zoo.models.families import run
from tests.zoo.models.language_models import batch
from tests.zoo.models.test_models import built_without_weights
from zoo.models.create import create_model

SIZES = {"vocabulary_size": 23, "num_classes": 5, "embedding_dim": 7, "units": 11, "dropout": 0.0}
each = pytest.mark.parametrize("name", ["rnn_classifier", "rnn_tagger"])


def make(name, **config):
    model = create_model(name, **{**SIZES, **config})
    for number, weight in enumerate(model.weights):
        weight.assign(0.35 * np.random.default_rng(number).normal(size=weight.shape))
    return model


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


@each
@pytest.mark.parametrize(
    ("cell", "layers", "bidirectional"), [("gru", 2, True), ("lstm", 1, True), ("elman", 2, False)]
)
def test_logits_are_those_of_the_formulas(name, cell, layers, bidirectional):
    options = {"cell": cell, "num_layers": layers, "bidirectional": bidirectional}
    model, inputs = make(name, **options), batch()
    encoder = model.backbone
    (table,) = weights_of(encoder.embedding)
    x, mask = table[inputs["token_ids"]], inputs["padding_mask"]
    first = [np.zeros((3, 11))] * (2 if cell == "lstm" else 1)
    oracle = getattr(recurrent, cell)
    for i in range(layers):
        step = oracle(*weights_of(encoder.forwards[i]))
        onward, (last, *_) = recurrent.run(step, x, first, mask)
        if bidirectional:
            step = oracle(*weights_of(encoder.backwards[i]))
            back, (begin, *_) = recurrent.run(step, x, first, mask, go_backwards=True)
            onward = np.concatenate([onward, back[:, ::-1]], axis=-1)
            last = np.concatenate([last, begin], axis=-1)
        x = onward
    kernel, bias = weights_of(model.head)
    features = last if name == "rnn_classifier" else x
    np.testing.assert_allclose(run(model, inputs), features @ kernel + bias, atol=1e-5)


@each
def test_padding_does_not_matter(name):
    model, inputs = make(name, num_layers=2), batch()
    whole = run(model, inputs)
    for row, length in enumerate(inputs["padding_mask"].sum(1)):
        own = {key: value[row : row + 1, :length] for key, value in inputs.items()}
        expected = whole[row] if name == "rnn_classifier" else whole[row, :length]
        np.testing.assert_allclose(expected, run(model, own)[0], atol=5e-6)


def test_tags_of_one_direction_do_not_depend_on_later_tokens():
    model, inputs = make("rnn_tagger", bidirectional=False), batch()
    before = run(model, inputs)
    inputs["token_ids"][:, 4] += 1
    after = run(model, inputs)
    np.testing.assert_array_equal(before[:, :4], after[:, :4])
    assert np.abs(before[0, 4] - after[0, 4]).max() > 1e-3


@each
def test_a_file_gives_the_same_numbers(name, tmp_path):
    model = make(name, num_layers=2, cell="lstm")
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@pytest.mark.thorough
@each
@pytest.mark.parametrize("preset", ["tiny", "base"])
def test_presets_build(name, preset):
    model = built_without_weights(name, preset, vocabulary_size=23, num_classes=3)
    expected = (None, 3) if name == "rnn_classifier" else (None, None, 3)
    assert model.output["logits"].shape == expected


def test_layer_groups_are_the_layers_from_the_input_up():
    names = [[layer.name for layer in group] for group in make("rnn_tagger").layer_groups]
    assert names == [["embedding"], ["forward_0", "backward_0"], ["forward_1", "backward_1"]]


@each
def test_an_unknown_cell(name):
    with pytest.raises(ValueError, match="cell must be one of elman, jordan, lstm, gru"):
        make(name, cell="rnn")
