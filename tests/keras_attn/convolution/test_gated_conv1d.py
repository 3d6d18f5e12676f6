"""Gated convolutions beyond the contract: PyTorch's numbers, steps, initialization, dropout."""

from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.convolution.gated_linear_unit import GatedLinearUnit
from tests.oracles import convolution as oracle

REFERENCE = Path(__file__).parents[2] / "references" / "convolution.npz"


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def build(layer, width=11):
    layer.build((None, None, width))
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


def numpy(x):
    return ops.convert_to_numpy(x)


def test_gate_by_hand():
    """Shares 1/2 and 3/4 of the values 2 and 6: the first half are values, the second gates."""
    y = GatedLinearUnit()(np.array([[2.0, 6.0, 0.0, np.log(3.0)]], "float32"))
    np.testing.assert_allclose(numpy(y), [[1.0, 4.5]], rtol=1e-6)


def test_convolution_by_hand():
    """Of length 2 and gain 3, the kernel (0, 2) sees the next position as 3 x; open gates."""
    layer = GatedConv1D(1, 3, residual=True)
    layer.build((None, None, 1))
    kernel = np.zeros((3, 1, 2))
    kernel[2, 0, 0] = kernel[0, 0, 1] = 2.0
    layer.set_weights([kernel, np.array([3.0, 0.0]), np.array([0.5, 99.0])])
    y = layer(np.array([[[1.0], [10.0]]], "float32"))
    expected = np.sqrt(0.5) * np.array([[[30.5 + 1], [0.5 + 10]]])
    np.testing.assert_allclose(numpy(y), expected, rtol=1e-6)


@pytest.mark.parametrize("padding", ["same", "causal"])
def test_the_numbers_of_pytorch(padding):
    with np.load(REFERENCE) as reference:
        layer = GatedConv1D(5, 3, padding)
        layer.build((None, None, 5))
        layer.set_weights([reference[name] for name in ("kernel", "gain", "bias")])
        y = layer(reference["x"].astype("float32"))
        np.testing.assert_allclose(numpy(y), reference[padding], rtol=1e-6, atol=5e-6)


@settings(max_examples=20, deadline=None)
@given(
    length=st.integers(0, 6),
    size=st.integers(1, 5),
    padding=st.sampled_from(["same", "causal"]),
    filters=st.sampled_from([7, 11]),
    dilation=st.integers(1, 4),
    scaled=st.booleans(),
)
def test_any_length_and_kernel(length, size, padding, filters, dilation, scaled):
    options = {"dilation_rate": dilation, "scale_residual": scaled}
    layer, x = build(GatedConv1D(filters, size, padding, **options)), draw(3, length, 11)
    weights = [w.astype("float64") for w in layer.get_weights()]
    expected = oracle.gated_conv1d(
        weights, x.astype("float64"), None, padding, True, dilation, scaled
    )
    y = numpy(layer(x))
    assert y.shape == (3, length, filters)
    np.testing.assert_allclose(y, expected, atol=1e-5)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("dilation", [2, 3])
def test_dilation_is_that_of_keras(size, dilation):
    """Of open gates and a residual of nothing, the layer is Keras's dilated convolution."""
    layer = build(GatedConv1D(5, size, "causal", residual=False, dilation_rate=dilation), 7)
    kernel, gain, _ = layer.get_weights()
    layer.set_weights([kernel, gain, np.r_[np.zeros(5), np.full(5, 99.0)]])
    theirs = keras.layers.Conv1D(5, size, padding="causal", dilation_rate=dilation, use_bias=False)
    theirs.build((None, None, 7))
    theirs.set_weights([numpy(layer._normalized_kernel())[..., :5]])
    x = draw(2, 13, 7)
    np.testing.assert_allclose(numpy(layer(x)), numpy(theirs(x)), rtol=1e-5, atol=1e-5)


def test_layers_of_doubled_dilation_see_a_power_of_two():
    """Of kernels of 2: an output depends on the last 2^3 inputs, and on no others."""
    layers = [build(GatedConv1D(11, 2, "causal", dilation_rate=2**n)) for n in range(3)]

    def outputs(x):
        for layer in layers:
            x = layer(x)
        return numpy(x)[0, -1]

    x = draw(1, 17, 11)
    changed = [x + (np.arange(17) == t)[None, :, None] for t in range(17)]
    depends = [bool(np.abs(outputs(each) - outputs(x)).max() > 1e-6) for each in changed]
    assert depends == [False] * 9 + [True] * 8


def test_an_empty_sequence_of_unknown_length():
    inputs = keras.Input((None, 11))
    model = keras.Model(inputs, GatedConv1D(7, 3, "causal")(inputs))
    assert model.predict(draw(2, 0, 11), verbose=0).shape == (2, 0, 7)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize(("filters", "dilation"), [(7, 1), (11, 1), (11, 2), (7, 3)])
def test_steps_are_the_whole_sequence(filters, dilation, size, ranks):
    layer, x = build(GatedConv1D(filters, size, "causal", dilation_rate=dilation)), draw(3, 5, 11)
    whole, state = numpy(layer(x)), layer.initial_state(3)
    for t in range(5):
        y, state = layer.step(x[:, t] if ranks == 2 else x[:, t : t + 1], state)
        assert tuple(state.shape) == (3, (size - 1) * dilation, 11)
        np.testing.assert_allclose(numpy(y).reshape(3, filters), whole[:, t], rtol=1e-6, atol=5e-6)
        assert len(y.shape) == ranks
    assert np.abs(np.diff(whole, axis=1)).min(axis=(0, 2)).max() > 0  # positions differ


def test_steps_in_half_precision():
    layer = build(GatedConv1D(11, 3, "causal", dtype="mixed_float16"))
    y, state = layer.step(draw(3, 11), layer.initial_state(3))
    assert {keras.backend.standardize_dtype(v.dtype) for v in (y, state)} == {"float16"}


@pytest.mark.parametrize("dropout", [0.0, 0.75])
def test_the_kernel_starts_as_drawn_with_the_variance_of_the_paper(dropout):
    layer = GatedConv1D(64, 3, residual=False, dropout=dropout)
    layer.build((None, None, 48))
    kernel, gain, bias = layer.get_weights()
    np.testing.assert_allclose(numpy(layer._normalized_kernel()), kernel, rtol=1e-6, atol=5e-6)
    assert abs(kernel.std() / np.sqrt(4 * (1 - dropout) / (3 * 48)) - 1) < 0.02
    np.testing.assert_allclose(gain, np.sqrt((kernel**2).sum((0, 1))), rtol=1e-5)
    assert not bias.any()


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_block_keeps_the_variance_of_small_inputs(dropout):
    """What the initialization is for, dropout or not; small, so that every gate is half open."""
    keras.utils.set_random_seed(0)
    x = 0.01 * draw(4, 200, 64)
    y = numpy(GatedConv1D(64, 3, residual=False, dropout=dropout)(x, training=True))
    assert abs(y.std() / x.std() - 1) < 0.05


def test_dropout_acts_in_training_on_the_input_of_the_convolution_alone():
    layer, x = GatedConv1D(11, 3, dropout=0.5), draw(3, 5, 11)
    build(layer)
    plain = build(GatedConv1D(11, 3))
    np.testing.assert_array_equal(numpy(layer(x)), numpy(plain(x)))
    assert np.abs(numpy(layer(x, training=True)) - numpy(plain(x))).max() > 0.01
    layer.set_weights([w * 0 for w in layer.get_weights()])  # only the residual is left
    np.testing.assert_allclose(numpy(layer(x, training=True)), x * np.sqrt(0.5), rtol=1e-6)


def test_bad_arguments_name_themselves():
    for arguments, message in [
        ({"filters": 0}, "filters must be a positive integer; received 0"),
        ({"kernel_size": 0}, "kernel_size must be a positive integer; received 0"),
        ({"dilation_rate": 0}, "dilation_rate must be a positive integer; received 0"),
        ({"padding": "valid"}, "padding must be one of same, causal; received 'valid'"),
        ({"dropout": 1.0}, "dropout must be at least 0 and less than 1; received 1.0"),
    ]:
        with pytest.raises(ValueError, match=message):
            GatedConv1D(**{"filters": 2, "kernel_size": 3, **arguments})
    layer = build(GatedConv1D(11, 3))
    with pytest.raises(ValueError, match="step requires padding='causal'; received 'same'"):
        layer.step(draw(3, 11), layer.initial_state(3))
    with pytest.raises(ValueError, match="x must have a last axis of even size; received 3"):
        GatedLinearUnit()(np.ones((1, 3), "float32"))
