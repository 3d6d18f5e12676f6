"""The convolutional encoder-decoder against NumPy float64, and what it refuses."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles.convolution import gated_conv1d
from tests.oracles.other_attention import multi_step
from tests.oracles.position import sinusoidal
from tests.zoo.models.families import batch, make, run
from tests.zoo.models.test_models import built_without_weights
from zoo.models.scaled_gradient import ScaledGradient

HALF = np.sqrt(0.5)


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


def dense(layer, x):
    kernel, bias = weights_of(layer)
    return x @ kernel + bias


def embedded(model, side, ids):
    """The words and where they stand."""
    (table,) = weights_of(getattr(model, f"{side}_embedding"))
    positions = getattr(model, f"{side}_positions")
    length = ids.shape[1]
    known = positions.weights
    places = weights_of(positions)[0][:length] if known else sinusoidal(length, table.shape[1])
    return table[ids] + places


@pytest.mark.parametrize(
    ("position", "dilations", "scaled"),
    [("learned", (1, 1, 1), True), ("sinusoidal", (1, 2, 3), True), ("learned", (2, 3, 1), False)],
)
def test_logits_are_those_of_the_formulas(position, dilations, scaled):
    layers = [[11, 3, dilations[0]], [11, 2, dilations[1]], [5, 2, dilations[2]]]
    layers = layers if max(dilations) > 1 else [each[:2] for each in layers]
    options = {"position": position, "scale_residual": scaled}
    model, inputs = make("conv_s2s", layers=layers, **options), batch()
    half = HALF if scaled else 1
    e, mask = embedded(model, "source", inputs["source_ids"]), inputs["source_mask"]
    x = dense(model.encoder_entry, e)
    for layer, rate in zip(model.encoder, dilations, strict=True):
        x = gated_conv1d(weights_of(layer), x, mask, "same", True, rate, scaled)
    z = dense(model.encoder_exit, x)

    g = embedded(model, "target", inputs["target_ids"])
    y, maps = dense(model.decoder_entry, g), []
    for layer, rate in zip(model.decoder, dilations, strict=True):
        own = weights_of(layer.convolution)
        h = gated_conv1d(own, y, inputs["target_mask"], "causal", False, rate)
        seen, weights = multi_step(weights_of(layer.attention), h, g, z, e, mask, True)
        maps.append(weights)
        before = y if layer.projection is None else dense(layer.projection, y)
        y = half * (before + half * (h + seen))
    expected = dense(model.head, dense(model.decoder_exit, y))
    np.testing.assert_allclose(run(model, inputs), expected, atol=1e-5)
    actual = model.attention_maps(keras.tree.map_structure(ops.convert_to_tensor, inputs))
    assert list(actual) == ["cross"]
    for weights, expected in zip(actual["cross"], maps, strict=True):
        weights = ops.convert_to_numpy(weights)
        np.testing.assert_allclose(weights[:, 0], expected, rtol=1e-6, atol=5e-6)


@pytest.mark.thorough
def test_the_sizes_for_french():
    """Gehring et al. 2017, section 4.2: 15 layers, of which the last two see single positions."""
    vocabulary = {"source_vocabulary_size": 40000, "target_vocabulary_size": 40000}
    model = built_without_weights("conv_s2s", "en_fr", **vocabulary)
    sizes = [(each.filters, each.kernel_size) for each in model.encoder]
    assert [units for units, _ in sizes] == [512] * 6 + [768] * 4 + [1024] * 3 + [2048, 4096]
    assert [kernel for _, kernel in sizes] == [3] * 13 + [1] * 2
    assert len(model.decoder) == 15 and model.decoder_exit.kernel.shape[-1] == 512


@pytest.mark.thorough
def test_the_paper_s_sizes():
    """Of en_ro: 20 convolutions of 512 -> 2 x 512 of width 3 on either side, all else 512 wide."""
    vocabulary = {"source_vocabulary_size": 40000, "target_vocabulary_size": 40000}
    model = built_without_weights("conv_s2s", "en_ro", **vocabulary)
    convolution, dense = 3 * 512 * 1024 + 2 * 1024, 512 * 512 + 512
    embeddings = 2 * (40000 + 1024) * 512
    layers = 20 * convolution + 20 * (convolution + 2 * dense) + 4 * dense
    assert model.count_params() == embeddings + layers + 512 * 40000 + 40000
    assert [len(model.encoder), len(model.decoder)] == [20, 20]


def test_the_encoder_gets_its_share_of_the_gradient():
    """Section 3.4: divided by the number of layers that attend; the numbers stay the same."""
    layer, x = ScaledGradient(0.25), keras.Variable([[2.0, -3.0]])
    np.testing.assert_array_equal(ops.convert_to_numpy(layer(x, training=False)), x)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(x, training=True)), x, rtol=1e-6, atol=5e-6
    )
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False), layer])
    model.compile(keras.optimizers.SGD(1.0), lambda y, p: ops.sum(p))
    model.build((1, 2))
    before = ops.convert_to_numpy(model.weights[0])
    model.train_on_batch(np.array([[2.0, -3.0]]), np.zeros((1, 1)))
    step = before - ops.convert_to_numpy(model.weights[0])
    np.testing.assert_allclose(step[:, 0], [0.5, -0.75], rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize(
    "layers", [[], 3, [[11]], [[11, 0]], [11, 3], [[11, 3.0]], [[11, 3, 0]], [[11, 3, 2, 1]], "abc"]
)
def test_layers_are_pairs_of_sizes(layers):
    with pytest.raises(ValueError, match="layers must be a list"):
        make("conv_s2s", layers=layers)


def test_an_unknown_position():
    with pytest.raises(ValueError, match="position must be one of learned, sinusoidal"):
        make("conv_s2s", position="rotary")


def test_a_target_longer_than_the_table():
    model = make("conv_s2s", max_sequence_length=4)
    with pytest.raises(ValueError, match="max_length = 4"):
        run(model, batch())
