"""The hierarchical attention network against NumPy float64."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import other_attention, recurrent
from tests.zoo.models.families import run
from tests.zoo.models.test_models import built_without_weights
from zoo.models.create import create_model

SIZES = {"vocabulary_size": 23, "num_classes": 5, "embedding_dim": 7, "units": 3, "dropout": 0.0}


def make(**config):
    model = create_model("han", **{**SIZES, **config})
    for number, weight in enumerate(model.weights):
        weight.assign(0.5 * np.random.default_rng(number).normal(size=weight.shape))
    return model


def batch():
    """Four documents: full, with an empty sentence in the middle, of one word, and empty."""
    lengths = np.array([[5, 3, 4], [2, 0, 1], [1, 0, 0], [0, 0, 0]])
    mask = np.arange(5) < lengths[..., None]
    ids = np.random.default_rng(2).integers(1, 23, mask.shape)
    return {"token_ids": np.where(mask, ids, 0).astype("int32"), "padding_mask": mask}


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


def pooled(layer, x, mask, cell):
    """What a level makes of sequences (N, T, D)."""
    first = [np.zeros((len(x), 3))] * (2 if cell == "lstm" else 1)
    oracle = getattr(recurrent, cell)
    onward, _ = recurrent.run(oracle(*weights_of(layer.forward)), x, first, mask)
    back, _ = recurrent.run(oracle(*weights_of(layer.backward)), x, first, mask, go_backwards=True)
    hidden = np.concatenate([onward, back[:, ::-1]], axis=-1)
    actual, _ = other_attention.pooling(weights_of(layer.pooling), hidden, mask)
    return actual


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_logits_are_those_of_the_formulas(cell):
    model, inputs = make(cell=cell), batch()
    (table,) = weights_of(model.embedding)
    x, mask = table[inputs["token_ids"]], inputs["padding_mask"]
    flat = pooled(model.words, x.reshape(12, 5, 7), mask.reshape(12, 5), cell)
    document = pooled(model.sentences, flat.reshape(4, 3, 6), mask.any(-1), cell)
    kernel, bias = weights_of(model.head)
    expected = document @ kernel + bias
    np.testing.assert_allclose(run(model, inputs), expected, atol=1e-5)
    np.testing.assert_allclose(expected[3], bias)  # of a document without words


def test_padding_does_not_matter():
    model, inputs = make(), batch()
    whole = run(model, inputs)
    for row, words in enumerate(inputs["padding_mask"].sum(2)):
        kept = words > 0
        if not kept.any():
            continue
        own = {key: x[row : row + 1, kept, : words.max()] for key, x in inputs.items()}
        np.testing.assert_allclose(whole[row], run(model, own)[0], atol=5e-6)


def test_500_sentences():
    model = make()
    ids = np.random.default_rng(3).integers(1, 23, (2, 500, 3)).astype("int32")
    ids[1, :499] = ids[0, :499]
    mask = np.ones(ids.shape, bool)
    one, other = model.predict_on_batch({"token_ids": ids, "padding_mask": mask})["logits"]
    assert np.isfinite(one).all() and np.abs(one - other).max() > 1e-6


def test_attention_weights_add_up_to_one_at_both_levels():
    model, inputs = make(), batch()
    maps = model.attention_maps({k: ops.convert_to_tensor(v) for k, v in inputs.items()})
    assert {part: len(actual) for part, actual in maps.items()} == model.attention_layers
    ((words,), (sentences,)) = (map(ops.convert_to_numpy, maps[p]) for p in ("words", "sentences"))
    mask = inputs["padding_mask"]
    assert words.shape == (4, 1, 3, 5) and sentences.shape == (4, 1, 1, 3)
    np.testing.assert_allclose(words.sum(-1)[:, 0], mask.any(-1), atol=1e-6)
    np.testing.assert_allclose(sentences.sum(-1)[:, 0, 0], mask.any((1, 2)), atol=1e-6)
    assert (words[:, 0][~mask] == 0).all() and (sentences[:, 0, 0][~mask.any(-1)] == 0).all()
    assert np.ptp(words[0, 0]) > 0.01 and np.ptp(sentences[0, 0]) > 0.01


def test_half_precision_agrees():
    full, half = make(), make(dtype="mixed_bfloat16")
    half.set_weights(full.get_weights())
    actual = run(half, batch())
    assert actual.dtype == np.float32
    np.testing.assert_allclose(actual, run(full, batch()), atol=0.05)


def test_a_file_gives_the_same_numbers(tmp_path):
    model = make(cell="lstm")
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(run(again, batch()), run(model, batch()))


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["tiny", "base"])
def test_presets_build(preset):
    model = built_without_weights("han", preset, vocabulary_size=23, num_classes=3)
    assert model.output["logits"].shape == (None, 3)
    assert [[layer.name for layer in group] for group in model.layer_groups] == [
        ["embedding"],
        ["words"],
        ["sentences"],
    ]
